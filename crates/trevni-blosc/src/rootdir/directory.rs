//! Reads the files in `meta`, and finds the file of attributes.
//!
//! ```text
//! meta/sizes, or meta/shape         the shape
//! meta/storage                      types, chunk shape, compression
//! __attrs__, or meta/attributes     attributes
//! ```

use bytes::Bytes;

use super::attributes::{ATTRIBUTES, ATTRS, Stored};
use super::directory_format::{DirectoryFormat, Superchunks};
use super::meta::{META_BYTES, Meta};
use super::sizes::{SHAPE, SIZES, Sizes};
use super::storage::{Columns, STORAGE, parse_form, to_superchunk};
use crate::journal::{Folder, Sink, Transaction};
use trevni::{Error, Result};

/// The shape of a folder, with the stored bytes.
#[derive(Debug, Clone)]
pub(super) struct Sized {
    pub(super) sizes: Sizes,
    bytes: Bytes,
}

impl Sized {
    /// Reads `meta/sizes`, or `meta/shape`.
    pub(super) fn read(folder: &Folder) -> Result<Self> {
        if let Some(bytes) = folder.read(SIZES, META_BYTES)? {
            return Ok(Self { sizes: Sizes::parse(&folder.path(SIZES), &bytes)?, bytes });
        }
        match folder.read(SHAPE, META_BYTES)? {
            Some(bytes) => {
                Ok(Self { sizes: Sizes::parse_shape(&folder.path(SHAPE), &bytes)?, bytes })
            }
            None => Err(Error::malformed(format!("{} is missing", folder.path(SIZES)))),
        }
    }

    /// `Invalid` if the folder has other sizes by now than were read.
    pub(super) fn check(&self, folder: &Folder) -> Result<()> {
        if Self::read(folder)?.bytes == self.bytes {
            return Ok(());
        }
        let path = folder.path(SIZES);
        Err(Error::invalid(format!("{path} has changed since it was opened")))
    }

    /// Puts other sizes into a change.
    pub(super) fn stage(
        &self,
        folder: &Folder,
        change: &mut Transaction,
        sizes: Sizes,
    ) -> Result<Self> {
        self.check(folder)?;
        if folder.exists(SHAPE)? {
            change.remove(&folder.path(SHAPE))?;
        }
        let bytes = Bytes::from(sizes.to_bytes());
        change.put(&folder.path(SIZES), &[&bytes])?;
        Ok(Self { sizes, bytes })
    }
}

/// Reads `meta/storage` of an array or a table of this shape, and the form if the file speaks of it.
pub(super) fn read_storage(
    folder: &Folder,
    shape: &[u64],
) -> Result<(Columns, Option<Superchunks>)> {
    let file = folder.path(STORAGE);
    let Some(bytes) = folder.read(STORAGE, META_BYTES)? else {
        return Err(Error::malformed(format!("{file} is missing")));
    };
    let meta = Meta::parse(&file, &bytes)?;
    Ok((Columns::parse(&meta, shape)?, parse_form(&meta)?))
}

/// Reads the attributes; without a file there are none.
pub(super) fn read_attributes(folder: &Folder) -> Result<Stored> {
    if let Some(bytes) = folder.read(ATTRS, META_BYTES)? {
        return Stored::parse_plain(&folder.path(ATTRS), &bytes);
    }
    match folder.read(ATTRIBUTES, META_BYTES)? {
        Some(bytes) => Stored::parse(&folder.path(ATTRIBUTES), &bytes),
        None => Ok(Stored::default()),
    }
}

/// Writes the storage and the sizes of an array or a table; the inverse of [`read_storage`] and [`Sized::read`].
pub(super) fn put(
    sink: &mut impl Sink,
    folder: &str,
    form: DirectoryFormat,
    columns: &Columns,
    sizes: &Sizes,
) -> Result<()> {
    let storage = match (form, columns.0.as_slice()) {
        (DirectoryFormat::Superchunk(form), _) => to_superchunk(columns, &form)?,
        (DirectoryFormat::Bcolz, [column]) => column.storage.to_bcolz()?,
        (DirectoryFormat::Bcolz, _) => {
            return Err(Error::invalid("bcolz has a directory for each column"));
        }
    };
    sink.put(&format!("{folder}{SIZES}"), &[&sizes.to_bytes()])?;
    sink.put(&format!("{folder}{STORAGE}"), &[&storage])
}

/// Puts the attributes of an array or a table in a folder.
pub(super) fn put_attributes(
    sink: &mut impl Sink,
    folder: &str,
    form: DirectoryFormat,
    stored: &Stored,
) -> Result<()> {
    let file = match form {
        DirectoryFormat::Bcolz => ATTRS,
        DirectoryFormat::Superchunk(_) => ATTRIBUTES,
    };
    let bytes = stored.to_bytes();
    if bytes.len() as u64 > META_BYTES {
        return Err(Error::too_large("attributes", bytes.len() as u64, META_BYTES));
    }
    // A directory whose attributes cannot be read again could not be opened.
    Stored::parse(file, &bytes).map_err(|e| Error::invalid(e.to_string()))?;
    sink.put(&format!("{folder}{file}"), &[&bytes])
}

/// Returns the form of a folder whose files do not tell: what only the proposals have tells then.
pub(super) fn form_of_empty(folder: &Folder) -> Result<DirectoryFormat> {
    let proposal = folder.exists(ATTRIBUTES)? || folder.exists(SHAPE)?;
    Ok(if proposal {
        DirectoryFormat::Superchunk(Superchunks::default())
    } else {
        DirectoryFormat::Bcolz
    })
}
