//! What the fuzz targets share: limits, and readers that check what they read.

use arrow::array::{Array, RecordBatch};
use bytes::Bytes;
use trevni::io::Limits;
use trevni_convert::{Format, ReadOptions, Rows, Source};
use trevni_testing::allocator::{CountingAllocator, peak};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The memory limit of each reader, in bytes.
pub const MEMORY: usize = 64 << 20;

/// What the library needs whatever it reads: state of codecs, schemas, buffers that grow.
const BESIDES: usize = 8 << 20;

/// The maximum number of rows that are read: a file of a few bytes can have any number of them.
const ROWS: usize = 20_000;

/// Runs `f`, and fails if it held more memory than the limit allows for an input of this many bytes.
pub fn within_limits<T>(input: usize, f: impl FnOnce() -> T) -> T {
    let (result, held) = peak(f);
    let allowed = MEMORY + BESIDES + 64 * input;
    assert!(held <= allowed, "{held} bytes held, {allowed} allowed");
    result
}

/// Prints panics; those that a reader catches, as it does those of the `parquet` crate, do not end the process.
pub fn allow_caught_panics() {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
}

/// The limits of each reader.
pub fn limits() -> Limits {
    Limits::of_memory(MEMORY)
}

/// The options of row files.
pub fn read_options() -> ReadOptions {
    ReadOptions { limits: limits(), batch_size: 1000, ..ReadOptions::default() }
}

/// Fails if an array of the batch is not valid for its type.
pub fn check(batch: &RecordBatch) {
    for array in batch.columns() {
        if let Err(e) = array.to_data().validate_full() {
            panic!("{}: {e}", array.data_type());
        }
    }
}

/// Reads the first rows, and checks them.
pub fn read_rows(rows: trevni::Result<Rows>) {
    let Ok(rows) = rows else { return };
    let mut read = 0;
    for batch in rows {
        let Ok(batch) = batch else { return };
        check(&batch);
        read += batch.num_rows();
        if read >= ROWS {
            return;
        }
    }
}

/// Reads bytes as a file of a format.
pub fn read_as(format: &Format, data: &[u8], options: &ReadOptions) {
    let source = Source::bytes("input", Bytes::copy_from_slice(data));
    within_limits(data.len(), || read_rows((format.open)(source, options)));
}
