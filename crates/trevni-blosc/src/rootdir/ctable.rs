//! A table in a directory: columns of equal length.
//!
//! ```text
//! bcolz                              superchunk
//! root/__rootdirs__  __attrs__       root/meta/storage  sizes  attributes
//! root/a/__attrs__                   root/data/a/__1__.bin
//!        meta/sizes  storage         root/data/b/__1__.bin
//!        data/__0.blp
//! root/b/...
//! ```
//! With superchunks all columns share the files in `meta`, and so the rows of a chunk and the compression. In bcolz
//! each column is a separate array.

mod columns;

pub(super) use crate::rootdir::ctable::columns::check_shared;

use std::path::Path;

use super::attributes::Stored;
use super::carray::Carray;
use super::column_names::{self, ROOTDIRS};
use super::data;
use super::directory::{self, Sized};
use super::directory_format::DirectoryFormat;
use super::meta::META_BYTES;
use super::sizes::Sizes;
use super::storage::{Column, resolve_superchunks};
use crate::journal::{Folder, Transaction};
use crate::{Attributes, Container, Edit};
use trevni::{Error, Result};

/// Columns of one length in a directory.
#[derive(Debug)]
pub struct Ctable {
    folder: Folder,
    form: DirectoryFormat,
    /// What the columns share, with superchunks.
    sized: Option<Sized>,
    attributes: Stored,
    names: Vec<String>,
    columns: Vec<Carray>,
    /// Columns that cannot be read, which keep the table from being changed.
    unreadable: Vec<(String, Error)>,
}

impl Ctable {
    /// Opens a table, in either form. Nothing is written, and no chunk is read. Columns that cannot be read are
    /// among [`unreadable`](Self::unreadable).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_in(Folder::open(path.as_ref())?)
    }

    pub(super) fn open_in(folder: Folder) -> Result<Self> {
        let table = match folder.read(ROOTDIRS, META_BYTES)? {
            Some(bytes) => Self::open_bcolz(folder, &bytes)?,
            None => Self::open_superchunk(folder)?,
        };
        let rows = table.rows();
        match table.columns.iter().zip(&table.names).find(|(column, _)| rows_of(column) != rows) {
            Some((column, name)) => {
                let of = rows_of(column);
                Err(Error::malformed(format!(
                    "column {name:?} has {of} rows, the first has {rows}"
                )))
            }
            None => Ok(table),
        }
    }

    fn open_bcolz(folder: Folder, rootdirs: &[u8]) -> Result<Self> {
        let names = column_names::parse(&folder.path(ROOTDIRS), rootdirs)?;
        let open = |name: &String| folder.child(name).and_then(Carray::open_in);
        let opened = names.into_iter().map(|name| (open(&name), name));
        let (names, columns, unreadable) = divided(opened);
        let attributes = directory::read_attributes(&folder)?;
        let form = DirectoryFormat::Bcolz;
        Ok(Self { folder, form, sized: None, attributes, names, columns, unreadable })
    }

    fn open_superchunk(folder: Folder) -> Result<Self> {
        let sized = Sized::read(&folder)?;
        let (columns, said) = directory::read_storage(&folder, &sized.sizes.shape)?;
        if !columns.is_table() {
            return Err(Error::invalid("this directory is an array, no table"));
        }
        let form = DirectoryFormat::Superchunk(said.unwrap_or_default());
        let form = resolve_superchunks(form, columns.0.iter().map(|column| &column.storage));
        let attributes = directory::read_attributes(&folder)?;
        let shape = sized.sizes.shape.clone();
        let open = |column: Column| {
            let name = column.name();
            (open_column(&folder, column, form, &shape), name)
        };
        let (names, columns, unreadable) = divided(columns.0.into_iter().map(open));
        Ok(Self { folder, form, sized: Some(sized), attributes, names, columns, unreadable })
    }

    /// Returns the columns that cannot be read, and why.
    pub fn unreadable(&self) -> &[(String, Error)] {
        &self.unreadable
    }

    /// Returns the columns that cannot be read, and forgets them.
    pub(crate) fn take_unreadable(&mut self) -> Vec<(String, Error)> {
        std::mem::take(&mut self.unreadable)
    }

    /// Fails if there is a column that cannot be read: the others would get other rows than it has.
    fn check_readable(&self) -> Result<()> {
        let Some((name, e)) = self.unreadable.first() else { return Ok(()) };
        let what = format!("a change of a table whose column {name:?} cannot be read: {e}");
        Err(Error::unsupported(what))
    }

    /// Returns the names of the columns that can be read, in order; of columns in columns with a dot.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the columns, in order.
    pub fn columns(&self) -> &[Carray] {
        &self.columns
    }

    /// Returns the columns with their names, as separate arrays.
    pub fn into_columns(self) -> Vec<(String, Carray)> {
        self.names.into_iter().zip(self.columns).collect()
    }

    /// Returns the column of a name.
    pub fn column(&self, name: &str) -> Option<&Carray> {
        self.columns.get(self.place(name)?)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|found| found == name)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.columns.first().map_or(0, rows_of)
    }

    /// Returns what users have hung on the table; its columns have their own.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes.plain
    }

    /// Returns the format of the chunk files.
    pub fn form(&self) -> DirectoryFormat {
        self.form
    }

    /// Changes all columns, one edit for each, and the attributes of the table if there are some. A crash at any
    /// point leaves the old table or the new one, an error the old.
    pub fn commit(&mut self, edits: Vec<Edit>, attributes: Option<Attributes>) -> Result<()> {
        self.check_readable()?;
        let rows = edits.first().and_then(|edit| edit.shape.first().copied());
        let alike = edits.iter().all(|edit| edit.shape.first().copied() == rows);
        if edits.len() != self.columns.len() || !alike {
            return Err(Error::invalid(format!(
                "{} edits of {} columns, of one length or not",
                edits.len(),
                self.columns.len()
            )));
        }
        let mut change = Transaction::new(self.folder.root()?)?;
        let mut columns = Vec::with_capacity(edits.len());
        let mut more = 0i64;
        for ((column, name), edit) in self.columns.iter().zip(&self.names).zip(&edits) {
            let staged = column.stage(edit, &mut change);
            let (column, bytes) = staged.map_err(|e| e.in_column(name))?;
            more = more.saturating_add(bytes);
            columns.push(column);
        }
        let sized = match &self.sized {
            Some(sized) => Some(self.stage_sizes(sized, &columns, more, &mut change)?),
            None => None,
        };
        let attributes = self.stage_attributes(attributes.as_ref(), &mut change)?;
        change.commit()?;
        self.adopt(columns, sized, attributes)
    }

    /// Puts the sizes that the columns share into a change.
    fn stage_sizes(
        &self,
        sized: &Sized,
        columns: &[Carray],
        more: i64,
        change: &mut Transaction,
    ) -> Result<Sized> {
        let nbytes = columns.iter().map(Carray::nbytes).fold(0, u64::saturating_add);
        let rows = columns.first().map_or(0, rows_of);
        let sizes = self.shared_sizes(sized, rows, nbytes, more)?;
        sized.stage(&self.folder, change, sizes)
    }

    /// Returns the shared sizes of columns with this many rows and bytes, whose chunks take `more` bytes than now.
    fn shared_sizes(&self, sized: &Sized, rows: u64, nbytes: u64, more: i64) -> Result<Sizes> {
        let count = || self.columns.iter().map(Carray::counted_cbytes).sum::<Result<u64>>();
        let cbytes = sized.sizes.cbytes.map_or_else(count, Ok)?.saturating_add_signed(more);
        let row_shape = sized.sizes.shape.get(1..).unwrap_or_default();
        let shape = [&[rows], row_shape].concat();
        Ok(Sizes { shape, nbytes, cbytes: Some(cbytes) })
    }

    fn stage_attributes(
        &self,
        new: Option<&Attributes>,
        change: &mut Transaction,
    ) -> Result<Stored> {
        let Some(new) = new else { return Ok(self.attributes.clone()) };
        let stored = self.attributes.with(new);
        directory::put_attributes(change, "", self.form, &stored)?;
        Ok(stored)
    }

    fn adopt(
        &mut self,
        columns: Vec<Carray>,
        sized: Option<Sized>,
        attributes: Stored,
    ) -> Result<()> {
        let folder = self.folder.reopen()?;
        let mut seen = Vec::with_capacity(columns.len());
        for (column, name) in columns.into_iter().zip(&self.names) {
            let own = if sized.is_none() { folder.child(name)? } else { folder.clone() };
            seen.push(column.in_folder(own));
        }
        (self.folder, self.columns, self.sized, self.attributes) =
            (folder, seen, sized, attributes);
        Ok(())
    }
}

/// Divides columns into those that can be read, with their names, and the others.
fn divided(
    columns: impl Iterator<Item = (Result<Carray>, String)>,
) -> (Vec<String>, Vec<Carray>, Vec<(String, Error)>) {
    let (mut names, mut good, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    for (column, name) in columns {
        match column {
            Ok(column) => {
                good.push(column);
                names.push(name);
            }
            Err(e) => unreadable.push((name.clone(), e.in_column(&name))),
        }
    }
    (names, good, unreadable)
}

/// Returns a column whose table has its sizes.
fn open_column(
    folder: &Folder,
    column: Column,
    form: DirectoryFormat,
    shape: &[u64],
) -> Result<Carray> {
    let path = column.folder();
    let shape = [shape, column.item_shape.as_slice()].concat();
    // Files of one chunk each are in the folder of a column, as files of several are.
    let form = data::form(folder, &path, None)?
        .filter(|form| *form == DirectoryFormat::Bcolz)
        .unwrap_or(form);
    Carray::assemble(folder.clone(), &path, column.storage, form, shape, Stored::default())
}

fn rows_of(column: &Carray) -> u64 {
    column.layout().shape.first().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests;
