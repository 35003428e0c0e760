//! A file in an object store.
//!
//! ```text
//! open           header                          one request; one more if it is longer than the first read
//! fetch_tables   block tables of some columns    together; none for known ones
//! fetch_rows     blocks with some rows           together
//! file           decodes what was fetched        a read of anything else is an error
//! ```

use std::ops::Range;
use std::sync::Arc;

use ::object_store::ObjectStore;

use super::file_metadata::FileMetadata;
use super::file_reader::FileReader;
use crate::error::{Error, Result};
use crate::format::block_table::Table;
use crate::format::header::Header;
use crate::io::Ranges;
use crate::object_store::{FetchOptions, Fetched, Location, Object};

/// The minimum size of a second read, if the first did not contain the header.
const MORE_HEADER: u64 = 256 << 10;

/// The longest header that is believed to be one.
const MOST_HEADER: u64 = 1 << 30;

/// A file in a store, which is fetched part by part and decoded by a [`FileReader`].
///
/// ```
/// use object_store::{ObjectStoreExt, memory::InMemory};
/// use trevni::object_store::FetchOptions;
/// use trevni::{ColumnMetadata, ColumnSlice, FileWriter, RemoteFile, ValueType, Values, ValuesRef};
///
/// # futures_util::FutureExt::now_or_never(async {
/// let columns = vec![ColumnMetadata::new("id", ValueType::Long)];
/// let mut writer = FileWriter::builder().build(Vec::new(), columns)?;
/// writer.write(3, &[ColumnSlice::plain(ValuesRef::Long(&[5, 6, 7]))])?;
/// let store = std::sync::Arc::new(InMemory::new());
/// store.put(&"ids.trv".into(), writer.finish()?.0.into()).await?;
///
/// let file = RemoteFile::open(store, "ids.trv", FetchOptions::default()).await?;
/// file.fetch_rows(&[0], &[1..3]).await?;
/// let ids = file.file().read_rows(0, 1..3)?;
/// assert_eq!(ids.values, Values::Long(vec![6, 7]));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap()?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RemoteFile {
    object: Object,
    pieces: Arc<Ranges>,
    file: FileReader<Arc<Ranges>>,
}

impl RemoteFile {
    /// Opens a file: fetches and checks its header.
    pub async fn open(
        store: Arc<dyn ObjectStore>,
        location: impl Into<Location>,
        options: FetchOptions,
    ) -> Result<Self> {
        let (object, pieces) = Object::open(store, location, options).await?;
        let size = object.size();
        let header = loop {
            let bytes = pieces.available(0..size)?;
            let available = bytes.len() as u64;
            match Header::read(&bytes) {
                Err(e) if e.is_truncated() && available < size => {
                    if available > MOST_HEADER {
                        return Err(Error::too_large("header", available, MOST_HEADER));
                    }
                    let more = available.saturating_add(available.max(MORE_HEADER)).min(size);
                    insert_pieces(
                        &pieces,
                        object.fetch(std::slice::from_ref(&(available..more))).await?,
                    )?;
                }
                header => break header?,
            }
        };
        let pieces = Arc::new(pieces);
        let file = FileReader::from_header(pieces.clone(), size, header)?;
        Ok(Self { object, pieces, file })
    }

    /// Opens a file of which this is known. Nothing is fetched.
    pub fn new_with_metadata(
        store: Arc<dyn ObjectStore>,
        location: impl Into<Location>,
        options: FetchOptions,
        metadata: Arc<FileMetadata>,
    ) -> Self {
        let (object, pieces) = Object::of_size(store, location, options, metadata.file_len());
        let pieces = Arc::new(pieces);
        let file = FileReader::new_with_metadata(pieces.clone(), metadata);
        Self { object, pieces, file }
    }

    /// Returns the file, which reads the fetched bytes.
    pub fn file(&self) -> &FileReader<Arc<Ranges>> {
        &self.file
    }

    #[cfg(feature = "arrow")]
    pub(crate) fn pieces(&self) -> &Arc<Ranges> {
        &self.pieces
    }

    /// Returns the object.
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// Fetches the block tables of these columns and their parents that are not known yet. Estimated ranges are
    /// fetched together. Tables that exceed them take one more round, or a few for columns with long first values.
    ///
    /// With the tables, blocks at the beginnings of the columns are fetched, of `ahead` bytes in total, for callers that
    /// will read them anyway: columns that are no longer than the gap of the options completely, the others in
    /// proportion to their sizes. If all tables are known already, nothing is fetched.
    pub async fn fetch_tables(&self, columns: &[usize], ahead: u64) -> Result<()> {
        let columns = self.file.tree().with_ancestors(columns);
        let is_unknown = |column: &usize| !self.file.has_blocks(*column);
        let mut wanted: Vec<_> = columns.iter().copied().filter(is_unknown).collect();
        // Tables within the first read are parsed already.
        let mut longer = self.take_tables(&mut wanted)?;
        let mut wants = self.table_ranges(&columns, &wanted, ahead);
        while !wanted.is_empty() {
            wants.append(&mut longer);
            let missing: Vec<_> =
                wants.drain(..).flat_map(|want| self.pieces.missing(want)).collect();
            insert_pieces(&self.pieces, self.object.fetch(&missing).await?)?;
            longer = self.take_tables(&mut wanted)?;
        }
        Ok(())
    }

    /// Returns the estimated ranges of the tables of the columns that are `wanted`, and with them the first `ahead` bytes
    /// of the blocks of all columns.
    fn table_ranges(&self, columns: &[usize], wanted: &[usize], ahead: u64) -> Vec<Range<u64>> {
        let (header, len) = (self.file.header(), self.file.file_len());
        let (mut ranges, mut large, mut ahead) = (Vec::new(), Vec::new(), ahead);
        for column in columns {
            let span = header.span(*column, len);
            let size = span.end - span.start;
            if size <= self.object.options().gap() && size <= ahead {
                ahead -= size;
                ranges.push(span);
            } else {
                large.push((*column, span));
            }
        }
        let size = |span: &Range<u64>| u128::from(span.end - span.start);
        let total: u128 = large.iter().map(|(_, span)| size(span)).sum();
        for (column, span) in large {
            let share = u128::from(ahead) * size(&span) / total.max(1);
            let share = u64::try_from(share).unwrap_or(u64::MAX);
            let table = match wanted.binary_search(&column) {
                Ok(_) => header.table_span(column, len),
                Err(_) => span.start..span.start,
            };
            ranges.push(span.start..table.end.saturating_add(share).min(span.end));
        }
        ranges
    }

    /// Parses the tables that were fetched. Leaves the columns of the others in `wanted`, and returns the minimum
    /// ranges they need.
    fn take_tables(&self, wanted: &mut Vec<usize>) -> Result<Vec<Range<u64>>> {
        let (header, len) = (self.file.header(), self.file.file_len());
        let mut longer = Vec::new();
        let mut left = Vec::new();
        for column in wanted.drain(..) {
            let span = header.span(column, len);
            let bytes = self.pieces.available(span.clone())?;
            match header.read_table(column, len, &bytes)? {
                Table::Whole(blocks) => {
                    self.file.keep_blocks(column, blocks);
                }
                Table::Longer(least) => {
                    longer.push(span.start..span.start + least);
                    left.push(column);
                }
            }
        }
        *wanted = left;
        Ok(longer)
    }

    /// Fetches the missing bytes of these rows, as ascending ranges, of these columns.
    pub async fn fetch_rows(&self, columns: &[usize], rows: &[Range<u64>]) -> Result<()> {
        self.fetch_tables(columns, 0).await?;
        let wanted = self.file.block_ranges(columns, rows)?;
        let missing = wanted.into_iter().flat_map(|range| self.pieces.missing(range));
        let missing: Vec<_> = missing.collect();
        insert_pieces(&self.pieces, self.object.fetch(&missing).await?)
    }
}

/// Adds the fetched pieces.
pub(crate) fn insert_pieces(pieces: &Ranges, fetched: Fetched) -> Result<()> {
    fetched.into_iter().try_for_each(|(offset, bytes)| Ok(pieces.insert(offset, bytes)?))
}
