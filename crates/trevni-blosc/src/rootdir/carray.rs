//! An array in a directory.
//!
//! ```text
//! root/__attrs__         or meta/attributes
//! root/meta/sizes
//! root/meta/storage
//! root/data/__0.blp ...  or __1__.bin ...
//! ```

use std::path::Path;

use bytes::Bytes;

use super::attributes::Stored;
use super::chunk_splitter::Cut;
use super::data::{self, Data};
use super::directory::{self, Sized};
use super::directory_format::DirectoryFormat;
use super::edit;
use super::excerpt;
use super::sizes::Sizes;
use super::storage::{Column, Storage, resolve_superchunks};
use crate::chunk::{Header, Params};
use crate::journal::{Folder, Transaction};
use crate::{Container, Edit, Layout};
use trevni::{Error, Result};

/// An array whose chunks are in a directory of their own.
#[derive(Debug, Clone)]
pub struct Carray {
    folder: Folder,
    storage: Storage,
    form: DirectoryFormat,
    /// That of the directory; columns that share theirs have none.
    sized: Option<Sized>,
    attributes: Stored,
    cut: Cut,
    data: Data,
    layout: Layout,
}

impl Carray {
    /// Opens an array, in either form. Nothing is written, and no chunk is read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_in(Folder::open(path.as_ref())?)
    }

    /// Opens the array in a folder.
    pub(super) fn open_in(folder: Folder) -> Result<Self> {
        let sized = Sized::read(&folder)?;
        let (columns, said) = directory::read_storage(&folder, &sized.sizes.shape)?;
        if columns.is_table() {
            return Err(Error::invalid("this directory is a table, no array"));
        }
        let [column] = <[Column; 1]>::try_from(columns.0)
            .map_err(|_| Error::malformed("this directory has no array"))?;
        let form = match data::form(&folder, "data", said)? {
            Some(form) => form,
            None => directory::form_of_empty(&folder)?,
        };
        let attributes = directory::read_attributes(&folder)?;
        let shape = sized.sizes.shape.clone();
        Self::assemble(folder, "data", column.storage, form, shape, attributes)
            .map(|array| Self { sized: Some(sized), ..array })
    }

    /// Returns an array with its chunks in `path`, whose sizes are elsewhere.
    pub(super) fn assemble(
        folder: Folder,
        path: &str,
        storage: Storage,
        form: DirectoryFormat,
        shape: Vec<u64>,
        attributes: Stored,
    ) -> Result<Self> {
        let cut = Cut::new(&storage, &shape)?;
        let form = resolve_superchunks(form, std::iter::once(&storage));
        let data = Data::open(&folder, path, form, &cut)?;
        let layout = layout(&storage, &cut, shape, &attributes);
        Ok(Self { folder, storage, form, sized: None, attributes, cut, data, layout })
    }

    /// Returns what the elements are and how they are stored.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Returns the format of the chunk files.
    pub fn form(&self) -> DirectoryFormat {
        self.form
    }

    /// Returns the bytes of the elements.
    pub(super) fn nbytes(&self) -> u64 {
        self.cut.nbytes
    }

    /// Returns the array in the current state of a folder.
    pub(super) fn in_folder(self, folder: Folder) -> Self {
        Self { folder, ..self }
    }

    /// Puts an edit into a change: what the array is then, and how many bytes more its chunks take.
    pub(super) fn stage(&self, edit: &Edit, change: &mut Transaction) -> Result<(Self, i64)> {
        let [old, new] = [&self.layout.shape, &edit.shape];
        if old.len() != new.len() || old.get(1..) != new.get(1..) {
            return Err(Error::invalid(format!(
                "an array of {} cannot become one of {}",
                excerpt::list(old),
                excerpt::list(new)
            )));
        }
        let after = Cut::new(&self.storage, new)?;
        let headers = edit::check(edit, &self.cut, &after)?;
        self.check_outgrown(edit, &after)?;
        let cuts = (&self.cut, &after);
        let staged = self.data.stage(&self.folder, change, (edit, &headers), cuts)?;
        let attributes = self.stage_attributes(edit, change)?;
        let sized = match &self.sized {
            Some(sized) => {
                let counted = sized.sizes.cbytes.map_or_else(|| self.counted_cbytes(), Ok)?;
                let cbytes = counted.saturating_add_signed(staged.more);
                let sizes =
                    Sizes { shape: new.clone(), nbytes: after.nbytes, cbytes: Some(cbytes) };
                Some(sized.stage(&self.folder, change, sizes)?)
            }
            None => None,
        };
        let layout = layout(&self.storage, &after, new.clone(), &attributes);
        let data = staged.data;
        Ok((Self { attributes, sized, cut: after, data, layout, ..self.clone() }, staged.more))
    }

    fn check_outgrown(&self, edit: &Edit, after: &Cut) -> Result<()> {
        let Some(number) = edit::outgrown(edit, &self.cut, after) else { return Ok(()) };
        let nbytes = Header::parse(&self.chunk(number)?)?.nbytes;
        let needed = after.needed(number);
        if u64::from(nbytes) >= needed {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "chunk {number} stays at {nbytes} bytes, where {needed} are needed"
        )))
    }

    fn stage_attributes(&self, edit: &Edit, change: &mut Transaction) -> Result<Stored> {
        let Some(attributes) = &edit.attributes else { return Ok(self.attributes.clone()) };
        if self.sized.is_none() {
            return Err(Error::unsupported(
                "attributes of a column, which shares those of its table",
            ));
        }
        let stored = self.attributes.with(attributes);
        directory::put_attributes(change, &self.folder.path(""), self.form, &stored)?;
        Ok(stored)
    }

    /// `Invalid` if the array has other sizes by now than were read.
    pub(super) fn check_unchanged(&self) -> Result<()> {
        self.sized.as_ref().map_or(Ok(()), |sized| sized.check(&self.folder))
    }

    /// Returns the bytes of the chunks, counted again.
    pub(super) fn counted_cbytes(&self) -> Result<u64> {
        self.data.cbytes(&self.folder, &self.cut)
    }
}

impl Container for Carray {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn params(&self) -> &Params {
        &self.storage.params
    }

    fn chunk(&self, number: u64) -> Result<Bytes> {
        self.data.chunk(&self.folder, &self.cut, number)
    }

    fn commit(&mut self, edit: Edit) -> Result<()> {
        let mut change = Transaction::new(self.folder.root()?)?;
        let (next, _) = self.stage(&edit, &mut change)?;
        change.commit()?;
        *self = next.in_folder(self.folder.reopen()?);
        Ok(())
    }
}

fn layout(storage: &Storage, cut: &Cut, shape: Vec<u64>, attributes: &Stored) -> Layout {
    Layout {
        dtype: storage.dtype.clone(),
        shape,
        order: storage.order,
        chunking: cut.chunking.clone(),
        chunks: cut.chunks,
        fill: storage.fill.clone(),
        attributes: attributes.plain.clone(),
    }
}

#[cfg(test)]
mod tests;
