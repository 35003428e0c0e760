//! Reads the record batches of a data set in a folder.

use std::fs::File;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::folder::Folder;
use super::scan::{DatasetScan, FileSettings, ScanPart, ScanPlan};
use crate::arrow::{
    Adapter, ArrowReader, ArrowReaderBuilder, ArrowReaderOptions, FilePlan, OrderedScan, Part,
    ScanOptions, ScanSettings, pool,
};
use crate::error::Result;
use crate::read::file_reader::FileReader;

/// An iterator over the record batches of a scan, in the order of the files. After an error it ends.
///
/// An error is a [`trevni::Error`](crate::Error) within an [`ArrowError::ExternalError`]: `Error::from` takes it out.
pub struct DatasetReader(ArrowReader<File>);

impl DatasetScan<Folder> {
    /// Starts to read.
    pub fn build(self) -> Result<DatasetReader> {
        let ScanPlan { settings, parts, trim } = self.plan()?;
        let schema = settings.predicate.output.clone();
        let ScanSettings { batch_size, parallelism, limits, .. } = settings.scan;
        let rows = parts.iter().map(|part| part.rows.end.saturating_sub(part.rows.start));
        let rows = rows.fold(0, u64::saturating_add);
        let pool = pool(parallelism, parts.len(), rows, batch_size)?;
        let joins = !settings.predicate.steps.is_empty();
        let options = ScanOptions { limits, trim, pool, joins };
        let opener = Arc::new(Opener { folder: self.place, settings });
        let parts = parts.into_iter().map(|part| {
            let (opener, rows) = (opener.clone(), part.rows.clone());
            (Part::closed(move || opener.open(&part)), rows)
        });
        let scan = OrderedScan::new(parts, &schema, batch_size, options);
        Ok(DatasetReader(ArrowReader::new(schema, scan)))
    }
}

/// Opens files.
struct Opener {
    folder: Folder,
    settings: FileSettings,
}

impl Opener {
    /// Opens a file; `None` if none of its rows can match.
    fn open(&self, part: &ScanPart) -> Result<Option<FilePlan<File>>> {
        self.try_open(part).map_err(|e| e.in_file(part.file.path()))
    }

    fn try_open(&self, part: &ScanPart) -> Result<Option<FilePlan<File>>> {
        let file = FileReader::try_new(self.folder.open(part.file.path())?)?;
        let builder = ArrowReaderBuilder::from_file(file, ArrowReaderOptions::new())?;
        let Some((builder, scan)) = self.settings.configure(builder, part)? else {
            return Ok(None);
        };
        let (plan, _) = builder.into_plan()?;
        let name = part.file.path().to_owned();
        let keeps_rows = scan.evaluates_all();
        let finish = Box::new(move |batch: &RecordBatch| scan.finish(batch));
        Ok(Some(plan.with_adapter(Adapter { name, keeps_rows, finish })))
    }
}

impl Iterator for DatasetReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl RecordBatchReader for DatasetReader {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }
}

impl std::fmt::Debug for DatasetReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatasetReader").field("schema", &self.0.schema()).finish_non_exhaustive()
    }
}
