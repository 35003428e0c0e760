//! Writes a partitioned data set, appends to it, and scans it with a predicate.

use std::error::Error;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use trevni::arrow::Predicate;
use trevni::dataset::{Dataset, DatasetMode, DatasetProperties, DatasetWriter};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("quakes");
    for year in [2025, 2026] {
        let years: ArrayRef = Arc::new(Int32Array::from(vec![year; 1000]));
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
        let batch = RecordBatch::try_from_iter([("year", years), ("id", ids)])?;
        let properties = DatasetProperties::builder()
            .set_partition_by(["year"])
            .set_mode(DatasetMode::Append)
            .build();
        let mut writer = DatasetWriter::try_new(&path, batch.schema(), properties)?;
        writer.write(&batch)?;
        // Readers see the files of a commit all at once.
        let summary = writer.finish()?;
        for file in &summary.files {
            println!("commit {}: {}", summary.commit, file.path());
        }
    }
    let dataset = Dataset::open(&path)?;
    let scan = dataset.scan().with_predicate(Predicate::parse("year = 2026 and id < 10")?);
    println!("{} file is opened", scan.files()?.len());
    let rows: usize =
        scan.build()?.map(|batch| Ok(batch?.num_rows())).sum::<Result<_, Box<dyn Error>>>()?;
    println!("{rows} rows");
    Ok(())
}
