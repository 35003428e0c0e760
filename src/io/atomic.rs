//! A file that appears whole or not at all.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A file in the making: written under a temporary name in the folder of its path, and renamed to it by
/// [`commit`](AtomicFile::commit). Dropped before that, it leaves nothing behind.
///
/// ```
/// use std::io::Write;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.trv");
/// let mut file = trevni::io::AtomicFile::create(&path, false)?;
/// file.write_all(b"whole")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    temporary: NamedTempFile,
    path: PathBuf,
    replace: bool,
}

impl AtomicFile {
    /// How temporary names begin.
    pub(crate) const PREFIX: &str = ".trevni-";

    /// Starts a file that will be `path`. Unless `replace`, a path that exists is an error, now and at the end.
    pub fn create(path: impl Into<PathBuf>, replace: bool) -> io::Result<Self> {
        let path = path.into();
        if !replace && path.symlink_metadata().is_ok() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{} exists", path.display()),
            ));
        }
        let temporary = new_file_builder().tempfile_in(folder_of(&path))?;
        Ok(Self { temporary, path, replace })
    }

    /// Makes the bytes durable, then gives the file its name.
    pub fn commit(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        let persisted = if self.replace {
            self.temporary.persist(&self.path)
        } else {
            self.temporary.persist_noclobber(&self.path)
        };
        persisted.map_err(|e| e.error)?;
        sync_folder(folder_of(&self.path))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.temporary.seek(position)
    }
}

/// With the permissions of any new file, not the private ones of a temporary file.
#[cfg(unix)]
fn new_file_builder() -> Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = Builder::new();
    builder.prefix(AtomicFile::PREFIX).permissions(std::fs::Permissions::from_mode(0o666));
    builder
}

#[cfg(not(unix))]
fn new_file_builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(AtomicFile::PREFIX);
    builder
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_nothing_behind_and_never_overwrites_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        drop(AtomicFile::create(&path, false).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

        let mut late = AtomicFile::create(&path, false).unwrap();
        late.write_all(b"late").unwrap();
        std::fs::write(&path, b"first").unwrap();
        assert_eq!(late.commit().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let refused = AtomicFile::create(&path, false).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");

        let mut forced = AtomicFile::create(&path, true).unwrap();
        forced.write_all(b"second").unwrap();
        forced.commit().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
