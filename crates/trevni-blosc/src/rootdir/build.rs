//! Writes new directories.
//!
//! ```text
//! parent/.trevni-Xy3kQz/data/__0.blp ...      chunks as they come
//! parent/.trevni-Xy3kQz/meta/sizes ...        finish: the sizes
//! parent/name                                 finish: renamed
//! ```

use std::path::Path;

use super::attributes::Stored;
use super::column_names::{self, ROOTDIRS};
use super::column_writer::ColumnWriter;
use super::ctable::check_shared;
use super::directory;
use super::directory_format::DirectoryFormat;
use super::sizes::Sizes;
use super::storage::{Column, Columns, Storage, resolve_superchunks};
use crate::Attributes;
use crate::array::Build;
use crate::journal::{NewFolder, Sink};
use trevni::{Error, Result};

/// An array in the making.
#[derive(Debug)]
pub struct CarrayBuilder {
    folder: NewFolder,
    form: DirectoryFormat,
    writer: ColumnWriter,
}

impl CarrayBuilder {
    /// Starts an array that will be at `path`. Unless `replace`, a path that exists is an error, now and at the end.
    pub fn create(
        path: impl AsRef<Path>,
        storage: Storage,
        form: DirectoryFormat,
        replace: bool,
    ) -> Result<Self> {
        let form = resolve_superchunks(form, [&storage].into_iter());
        let mut folder = NewFolder::create(path.as_ref(), replace)?;
        folder.folder("data")?;
        Ok(Self { folder, form, writer: ColumnWriter::new("data".into(), storage, form) })
    }
}

impl Build for CarrayBuilder {
    fn push(&mut self, chunk: &[u8]) -> Result<()> {
        self.writer.push(&mut self.folder, chunk)
    }

    fn finish(mut self: Box<Self>, shape: &[u64], attributes: &Attributes) -> Result<()> {
        let sizes = self.writer.finish(&mut self.folder, shape)?;
        put_array(&mut self.folder, "", self.form, self.writer, &sizes, attributes)?;
        self.folder.commit()
    }
}

/// A table in the making.
#[derive(Debug)]
pub struct CtableBuilder {
    folder: NewFolder,
    form: DirectoryFormat,
    names: Vec<String>,
    writers: Vec<ColumnWriter>,
}

impl CtableBuilder {
    /// Starts a table that will be at `path`, of columns with these names. Unless `replace`, a path that exists is
    /// an error, now and at the end. `Invalid` if names are no names, or twice there, or if superchunks are wanted
    /// of columns that are not cut and compressed alike.
    pub fn create(
        path: impl AsRef<Path>,
        columns: Vec<(String, Storage)>,
        form: DirectoryFormat,
        replace: bool,
    ) -> Result<Self> {
        let form = resolve_superchunks(form, columns.iter().map(|(_, storage)| storage));
        check_names(&columns, form)?;
        let mut folder = NewFolder::create(path.as_ref(), replace)?;
        if form != DirectoryFormat::Bcolz {
            check_shared(columns.iter().map(|(_, storage)| storage))?;
        }
        let (names, mut writers) =
            (columns.iter().map(|(name, _)| name.clone()).collect(), Vec::new());
        for (name, storage) in columns {
            let data = match form {
                DirectoryFormat::Bcolz => format!("{name}/data"),
                DirectoryFormat::Superchunk(_) => {
                    Column::new(&name, storage.clone(), Vec::new()).folder()
                }
            };
            folder.folder(&data)?;
            writers.push(ColumnWriter::new(data, storage, form));
        }
        Ok(Self { folder, form, names, writers })
    }

    /// Takes the next chunk of a column, by number.
    pub fn push(&mut self, column: usize, chunk: &[u8]) -> Result<()> {
        match self.writers.get_mut(column) {
            Some(writer) => writer.push(&mut self.folder, chunk),
            None => Err(Error::invalid(format!("column {column} of {}", self.names.len()))),
        }
    }

    /// Writes the sizes and commits the table: columns of these shapes, with equal first dimensions.
    pub fn finish(mut self, shapes: &[Vec<u64>], attributes: &Attributes) -> Result<()> {
        let rows = shapes.first().and_then(|shape| shape.first()).copied();
        let alike = shapes.iter().all(|shape| shape.first().copied() == rows);
        if shapes.len() != self.writers.len() || !alike {
            let (shapes, names) = (shapes.len(), self.names.len());
            return Err(Error::invalid(format!(
                "{shapes} shapes of {names} columns, of one length or not"
            )));
        }
        let mut found = Vec::new();
        for (writer, shape) in self.writers.iter_mut().zip(shapes) {
            found.push(writer.finish(&mut self.folder, shape)?);
        }
        let columns = self.names.iter().zip(self.writers).zip(&found);
        match self.form {
            DirectoryFormat::Bcolz => {
                for ((name, writer), sizes) in columns {
                    let prefix = format!("{name}/");
                    put_array(
                        &mut self.folder,
                        &prefix,
                        self.form,
                        writer,
                        sizes,
                        &Attributes::new(),
                    )?;
                }
                self.folder.put(ROOTDIRS, &[&column_names::to_bytes(&self.names)])?;
            }
            DirectoryFormat::Superchunk(_) => {
                let column = |((name, writer), sizes): ((&String, ColumnWriter), &Sizes)| {
                    Column::new(
                        name,
                        writer.storage,
                        sizes.shape.get(1..).unwrap_or_default().to_vec(),
                    )
                };
                let columns = Columns(columns.map(column).collect());
                let sum = |of: fn(&Sizes) -> u64| found.iter().map(of).fold(0, u64::saturating_add);
                let nbytes = sum(|sizes| sizes.nbytes);
                let cbytes = Some(sum(|sizes| sizes.cbytes.unwrap_or(0)));
                let sizes = Sizes { shape: vec![rows.unwrap_or(0)], nbytes, cbytes };
                directory::put(&mut self.folder, "", self.form, &columns, &sizes)?;
            }
        }
        let stored = Stored::default().with(attributes);
        directory::put_attributes(&mut self.folder, "", self.form, &stored)?;
        self.folder.commit()
    }
}

/// Writes the storage metadata and the attributes of an array.
fn put_array(
    folder: &mut NewFolder,
    prefix: &str,
    form: DirectoryFormat,
    writer: ColumnWriter,
    sizes: &Sizes,
    attributes: &Attributes,
) -> Result<()> {
    let columns = Columns(vec![Column::new("", writer.storage, Vec::new())]);
    directory::put(folder, prefix, form, &columns, sizes)?;
    directory::put_attributes(folder, prefix, form, &Stored::default().with(attributes))
}

fn check_names(columns: &[(String, Storage)], form: DirectoryFormat) -> Result<()> {
    let check = if form == DirectoryFormat::Bcolz {
        column_names::check
    } else {
        column_names::check_superchunk
    };
    columns.iter().try_for_each(|(name, _)| check(name))?;
    let mut sorted: Vec<_> = columns.iter().map(|(name, _)| name).collect();
    sorted.sort();
    match sorted.iter().zip(sorted.iter().skip(1)).find(|(a, b)| a == b) {
        Some((name, _)) => Err(Error::invalid(format!("two columns are called {name:?}"))),
        None => Ok(()),
    }
}
