//! Trevni files: read, verified, and read in part. A file that verifies can be read, and a part has the rows that the
//! whole has there.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use trevni::arrow::{ArrowReaderBuilder, ArrowReaderOptions};
use trevni::{FileReader, Result};
use trevni_fuzz::{check, limits, within_limits};

/// More rows than this are not read: a file of a few bytes can have any number of them.
const ROWS: u64 = 5000;

fn rows(bytes: &Bytes, rows: std::ops::Range<u64>) -> Result<Vec<arrow::array::RecordBatch>> {
    read(bytes, rows, ArrowReaderOptions::new())
}

fn read(
    bytes: &Bytes,
    rows: std::ops::Range<u64>,
    options: ArrowReaderOptions,
) -> Result<Vec<arrow::array::RecordBatch>> {
    let options = options.with_limits(limits());
    let builder = ArrowReaderBuilder::try_new_with_options(bytes.clone(), options)?;
    let batches = builder.with_row_range(rows).build()?;
    batches.map(|batch| Ok(batch?)).collect()
}

fuzz_target!(|data: &[u8]| {
    let bytes = Bytes::copy_from_slice(data);
    within_limits(data.len(), || {
        let Ok(file) = FileReader::try_new_with_limits(bytes.clone(), limits()) else { return };
        let few = file.rows() <= ROWS;
        let verified = few && file.verify(|_| ()).faults.is_empty();
        let Ok(whole) = rows(&bytes, 0..ROWS) else { return };
        whole.iter().for_each(check);
        for options in [
            ArrowReaderOptions::new().with_view_types(true),
            ArrowReaderOptions::new().with_dictionaries(true),
        ] {
            if let Ok(batches) = read(&bytes, 0..ROWS, options) {
                batches.iter().for_each(check);
            }
        }
        if !verified {
            return;
        }
        let end = file.rows();
        let part =
            rows(&bytes, end / 3..end / 2).expect("what was read completely is read in part");
        let schema =
            ArrowReaderBuilder::try_new(bytes.clone()).expect("it was opened").schema().clone();
        let whole = arrow::compute::concat_batches(&schema, &whole).expect("batches of a schema");
        let part = arrow::compute::concat_batches(&schema, &part).expect("batches of a schema");
        let expected = whole.slice((end / 3) as usize, (end / 2 - end / 3) as usize);
        let same = trevni_testing::equality::same_rows(&[expected], &[part]);
        assert!(same.is_ok(), "{same:?}");
    });
});
