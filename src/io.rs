//! Positioned reads, limits, the spool, and files that appear complete or not at all.
//!
//! ```text
//! reading   File, Bytes, &[u8], memory map ──► ReadAt {len, read_at} ◄── Ranges: pieces that were fetched
//! writing   compressed blocks ──► Spool (memory up to the budget, then one temporary file)
//!                                └─► spliced after the header ──► AtomicFile ──fsync, rename──► path
//! ```
//!
//! A memory map is [`Bytes`] too, and reads from it copy nothing: with the crate `memmap2`,
//! `Bytes::from_owner(map)`.

mod atomic;
mod folder;
mod limits;
mod out_of_space;
mod ranges;
mod spool;
mod temporary;
#[cfg(feature = "arrow")]
mod unsynced;

pub use atomic::AtomicFile;
#[cfg(feature = "arrow")]
pub(crate) use atomic::sync_folder;
pub use folder::AtomicFolder;
pub use limits::Limits;
pub use out_of_space::in_temporary_folder;
pub use ranges::Ranges;
#[cfg(all(feature = "arrow", feature = "object_store"))]
pub(crate) use ranges::without;
pub use spool::Spool;
#[cfg(feature = "arrow")]
pub(crate) use temporary::{Listed, PREFIX as TEMPORARY, TemporaryFile, Unused, is_temporary};
pub use temporary::{TemporaryFolder, remove_temporary_files};
#[cfg(feature = "arrow")]
pub(crate) use unsynced::Unsynced;

use std::fs::File;
use std::sync::Arc;

use bytes::Bytes;

use crate::error::{Error, ErrorKind, Result};

/// Bytes of known length that can be read at any position, by several threads at once.
pub trait ReadAt: Send + Sync {
    /// Returns the length in bytes.
    fn len(&self) -> std::io::Result<u64>;

    /// Returns whether there are no bytes.
    fn is_empty(&self) -> std::io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Returns the `len` bytes from `offset`, all of them or an error. Callers of untrusted files compare the range
    /// with [`len`](ReadAt::len) first.
    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes>;
}

impl ReadAt for File {
    fn len(&self) -> std::io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        let mut buffer = vec![0; len];
        read_exact_at(self, &mut buffer, offset)?;
        Ok(buffer.into())
    }
}

/// Fills a buffer from a position of a file, whatever the position of the file itself.
#[cfg(unix)]
pub fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

/// Fills a buffer from a position of a file.
#[cfg(windows)]
pub fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            n => {
                buffer = buffer.split_at_mut(n).1;
                offset += n as u64;
            }
        }
    }
    Ok(())
}

/// Fills a buffer from a position of a file. The system has no positioned reads, so the position of the file moves.
#[cfg(not(any(unix, windows)))]
pub fn read_exact_at(mut file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(buffer)
}

impl ReadAt for Bytes {
    fn len(&self) -> std::io::Result<u64> {
        Ok(<[u8]>::len(self) as u64)
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        let part = range_of(self, offset, len)?;
        Ok(self.slice_ref(part))
    }
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> std::io::Result<u64> {
        Ok(self.as_slice().len() as u64)
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        self.as_slice().read_at(offset, len)
    }
}

impl ReadAt for &[u8] {
    fn len(&self) -> std::io::Result<u64> {
        Ok(<[u8]>::len(self) as u64)
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        range_of(self, offset, len).map(Bytes::copy_from_slice)
    }
}

impl<R: ReadAt + ?Sized> ReadAt for Arc<R> {
    fn len(&self) -> std::io::Result<u64> {
        (**self).len()
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        (**self).read_at(offset, len)
    }
}

impl<R: ReadAt + ?Sized> ReadAt for Box<R> {
    fn len(&self) -> std::io::Result<u64> {
        (**self).len()
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        (**self).read_at(offset, len)
    }
}

fn range_of(bytes: &[u8], offset: u64, len: usize) -> std::io::Result<&[u8]> {
    usize::try_from(offset)
        .ok()
        .and_then(|start| bytes.get(start..start.checked_add(len)?))
        .ok_or_else(|| std::io::ErrorKind::UnexpectedEof.into())
}

/// Reads `len` bytes at `offset` of a source of `total` bytes. `what` names them in the error.
///
/// Fails before anything is allocated if the source is shorter.
pub fn read_within(
    source: &impl ReadAt,
    total: u64,
    offset: u64,
    len: u64,
    what: &'static str,
) -> Result<Bytes> {
    let available = total.saturating_sub(offset);
    let size = usize::try_from(len).ok().filter(|_| len <= available);
    let Some(size) = size else {
        return Err(Error::new(ErrorKind::Truncated { what, missing: len - available }).at(offset));
    };
    source.read_at(offset, size).map_err(|e| Error::from(e).at(offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn all_sources_read_alike() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        let bytes = Bytes::from_static(b"0123456789");
        let slice: &[u8] = &bytes;
        let sources: [Box<dyn ReadAt + '_>; 4] = [
            Box::new(file),
            Box::new(bytes.clone()),
            Box::new(slice),
            Box::new(Arc::new(bytes.clone())),
        ];
        for source in sources {
            assert_eq!(source.len().unwrap(), 10);
            assert_eq!(source.read_at(3, 4).unwrap(), &b"3456"[..]);
            assert!(source.read_at(8, 3).is_err());
            assert!(source.read_at(u64::MAX, 1).is_err());
        }
    }

    #[test]
    fn refuses_ranges_outside_before_allocating() {
        let e = read_within(&Bytes::from_static(b"abc"), 3, 1, u64::MAX, "block").unwrap_err();
        assert!(e.is_truncated());
        assert_eq!(e.location().offset, Some(1));
    }
}
