//! Opens files of every format of the build.

use std::path::Path;
use std::sync::atomic::Ordering;

use trevni::{Error, Result};
use trevni_convert::{Format, ReadOptions, Rows, Source, skip_rows};

use crate::counted_source::{BytesRead, CountedSource};
use crate::session::{Reader, RowRange, Session};

impl Session {
    /// Opens a file of any format of this build, which its name or its first bytes tell.
    pub fn open(name: impl Into<String>, source: CountedSource) -> Result<Self> {
        let name = name.into();
        if Source::bytes(&name, source.clone()).head()?.starts_with(b"Trv") {
            return Self::try_new(name, source);
        }
        let (read, called) = (source.bytes_read(), name.clone());
        Self::open_source(name, read, move || Source::bytes(&called, source.clone()))
    }

    /// Opens what sources of a name hold. Each time that rows are read, another one is asked for.
    pub fn open_source(
        name: impl Into<String>,
        read: BytesRead,
        source: impl Fn() -> Source + Send + Sync + 'static,
    ) -> Result<Self> {
        let name = name.into();
        let (format, found) = find(&name, source())?;
        let options = ReadOptions::default();
        let report = options.report.clone();
        let (len, schema) = (found.size(), (format.open)(found, &options)?.schema());
        let called = name.clone();
        let reader: Reader = Box::new(move |range| {
            let (format, source) = find(&called, source())?;
            open_range(format, source, range)
        });
        let mut session = Self::from_reader(name, format.name, len, schema, reader);
        session.read = Some(read);
        let rows = report.row_count.load(Ordering::Relaxed);
        Ok(session.with_row_count((rows > 0).then_some(rows)))
    }
}

/// Returns the format of a source, and the source without the compression in front of it.
fn find(name: &str, source: Source) -> Result<(&'static Format, Source)> {
    let mut source = if source.is_folder() { source } else { source.decompressed()? };
    let of_path = Format::of_input(Path::new(name));
    let format = match of_path.filter(|_| !source.is_folder()) {
        Some(format) => Some(format),
        None => Format::of_source(&mut source)?,
    };
    let unknown = || Error::unsupported(format!("{name} is of no known format"));
    Ok((format.ok_or_else(unknown)?, source))
}

fn open_range(format: &Format, source: Source, range: &RowRange) -> Result<Rows> {
    let (columns, predicate) = (range.columns.clone(), range.predicate.clone());
    let mut options = ReadOptions { columns, predicate, ..ReadOptions::default() };
    let end = range.start.saturating_add(range.count.unwrap_or(u64::MAX));
    if range.predicate.is_none() {
        options.rows = Some(range.start..end);
        return (format.open)(source, &options);
    }
    options.limit = range.count.map(|_| end);
    Ok(skip_rows((format.open)(source, &options)?, range.start))
}
