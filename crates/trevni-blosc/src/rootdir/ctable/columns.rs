//! Adds and removes columns of a table.
//!
//! ```text
//! bcolz         the folder of the column, and __rootdirs__
//! superchunk    data/name, meta/storage and meta/sizes
//! ```

use super::super::attributes::Stored;
use super::super::carray::Carray;
use super::super::column_writer::ColumnWriter;
use super::super::directory::{self, Sized};
use super::super::excerpt;
use super::super::meta::META_BYTES;
use super::super::storage::{Column, Columns, Storage};
use super::Ctable;
use crate::Container;
use crate::journal::{Sink, Transaction};
use crate::rootdir::column_names::{self, ROOTDIRS};
use crate::rootdir::directory_format::DirectoryFormat;
use trevni::{Error, Result};

impl Ctable {
    /// Adds a column before that of number `at`: of this shape, whose first number is that of the rows of the
    /// table, and of these chunks. With superchunks it must be cut and compressed as the others are. A crash at any
    /// point leaves the old table or the new one.
    pub fn add_column(
        &mut self,
        at: usize,
        name: &str,
        storage: Storage,
        shape: &[u64],
        chunks: impl IntoIterator<Item = Result<Vec<u8>>>,
    ) -> Result<()> {
        self.check_readable()?;
        self.check_new(at, name, &storage, shape)?;
        let item_shape = shape.get(1..).unwrap_or_default().to_vec();
        let mut column = Column::new(name, storage, item_shape);
        let folder = self.folder_of(&column);
        if self.folder.exists(&folder)? {
            return Err(Error::invalid(format!("{folder} is there, but is no column")));
        }
        let data = if self.form == DirectoryFormat::Bcolz {
            format!("{folder}/data")
        } else {
            folder.clone()
        };
        let mut change = Transaction::new(self.folder.root()?)?;
        self.check_unchanged()?;
        change.folder(&data)?;
        let mut writer = ColumnWriter::new(data, column.storage.clone(), self.form);
        chunks.into_iter().try_for_each(|chunk| writer.push(&mut change, &chunk?))?;
        let sizes = writer.finish(&mut change, shape)?;
        if let Some(sized) = &self.sized {
            let more = i64::try_from(sizes.cbytes.unwrap_or(0)).unwrap_or(i64::MAX);
            let mut columns = self.shared(sized);
            columns.0.insert(at, column);
            let nbytes = self.nbytes().saturating_add(sizes.nbytes);
            let sizes = self.shared_sizes(sized, self.rows(), nbytes, more)?;
            directory::put(&mut change, "", self.form, &columns, &sizes)?;
        } else {
            column.names.clear();
            let prefix = format!("{folder}/");
            directory::put(&mut change, &prefix, self.form, &Columns(vec![column]), &sizes)?;
            directory::put_attributes(&mut change, &prefix, self.form, &Stored::default())?;
            let mut names = self.names.clone();
            names.insert(at, name.to_owned());
            change.put(ROOTDIRS, &[&column_names::to_bytes(&names)])?;
        }
        self.end(change)
    }

    /// Removes a column and its files. A crash at any point leaves the old table or the new one.
    pub fn remove_column(&mut self, name: &str) -> Result<()> {
        self.check_readable()?;
        let at = self.names.iter().position(|found| found == name);
        let Some((at, column)) = at.and_then(|at| Some((at, self.columns.get(at)?))) else {
            return Err(Error::invalid(format!("there is no column {}", excerpt::text(name))));
        };
        let mut change = Transaction::new(self.folder.root()?)?;
        self.check_unchanged()?;
        match &self.sized {
            Some(sized) => {
                let mut columns = self.shared(sized);
                let gone = columns.0.remove(at);
                let less = i64::try_from(column.counted_cbytes()?).unwrap_or(i64::MAX);
                change.remove(&gone.folder())?;
                let nbytes = self.nbytes().saturating_sub(column.nbytes());
                let sizes = self.shared_sizes(sized, self.rows(), nbytes, -less)?;
                directory::put(&mut change, "", self.form, &columns, &sizes)?;
            }
            None => {
                change.remove(name)?;
                let names: Vec<_> =
                    self.names.iter().filter(|found| *found != name).cloned().collect();
                change.put(ROOTDIRS, &[&column_names::to_bytes(&names)])?;
            }
        }
        self.end(change)
    }

    /// `Invalid` if the table has other columns or rows by now than were read.
    fn check_unchanged(&self) -> Result<()> {
        if let Some(sized) = &self.sized {
            return sized.check(&self.folder);
        }
        let rootdirs = self.folder.read(ROOTDIRS, META_BYTES)?.unwrap_or_default();
        if column_names::parse(ROOTDIRS, &rootdirs)? == self.names {
            return self.columns.iter().try_for_each(Carray::check_unchanged);
        }
        Err(Error::invalid(format!("{ROOTDIRS} has changed since it was opened")))
    }

    fn end(&mut self, change: Transaction) -> Result<()> {
        change.commit()?;
        *self = Self::open_in(self.folder.reopen()?)?;
        Ok(())
    }

    fn check_new(&self, at: usize, name: &str, storage: &Storage, shape: &[u64]) -> Result<()> {
        let has_rows = self.columns.is_empty() || shape.first() == Some(&self.rows());
        if self.column(name).is_some() || at > self.names.len() || !has_rows {
            let what =
                format!("column {} of {} at {at}", excerpt::text(name), excerpt::list(shape));
            return Err(Error::invalid(format!("{what}: the table has {} rows", self.rows())));
        }
        match self.form {
            DirectoryFormat::Bcolz => column_names::check(name),
            DirectoryFormat::Superchunk(_) => {
                column_names::check_superchunk(name)?;
                check_shared(self.columns.iter().map(Carray::storage).chain([storage]))
            }
        }
    }

    fn folder_of(&self, column: &Column) -> String {
        if self.form == DirectoryFormat::Bcolz { column.name() } else { column.folder() }
    }

    /// Returns the columns that share a file.
    fn shared(&self, sized: &Sized) -> Columns {
        let dimensions = sized.sizes.shape.len();
        let columns = self.columns.iter().zip(&self.names).map(|(column, name)| {
            let item_shape = column.layout().shape.get(dimensions..).unwrap_or_default();
            Column::new(name, column.storage().clone(), item_shape.to_vec())
        });
        Columns(columns.collect())
    }

    /// Returns the bytes of the elements of all columns.
    fn nbytes(&self) -> u64 {
        self.columns.iter().map(Carray::nbytes).fold(0, u64::saturating_add)
    }
}

/// Refuses columns that cannot share a file.
pub(in crate::rootdir) fn check_shared<'a>(
    storages: impl IntoIterator<Item = &'a Storage>,
) -> Result<()> {
    let mut first: Option<&Storage> = None;
    for storage in storages {
        let shared = *first.get_or_insert(storage);
        let params =
            [shared, storage].map(|s| (s.params.compressor, s.params.level, s.params.filters));
        let cut = [shared, storage].map(|s| (&s.chunk_shape, s.order));
        if params[0] != params[1] || cut[0] != cut[1] || storage.chunk_shape.len() != 1 {
            return Err(Error::invalid(
                "columns of superchunks share compression and one number of rows of a chunk",
            ));
        }
    }
    Ok(())
}
