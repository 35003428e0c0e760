//! One column of sixteen out of a store that takes 20 ms to answer: how many requests, how many bytes, how long.
//!
//! ```text
//! lineitem ──► file in memory ──► store: each request is counted, and answered 20 ms later
//! ```

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::*;
use parquet::arrow::ProjectionMask as ParquetMask;
#[expect(deprecated, reason = "what is to come instead is an example there, and no door")]
use parquet::arrow::async_reader::ParquetObjectReader;
use parquet::arrow::async_reader::ParquetRecordBatchStreamBuilder;
use trevni::arrow::{ArrowStreamBuilder, ProjectionMask};

use crate::Result;
use crate::formats::CONFIGS;
use crate::tables::{BATCH, RECIPES, Table};

const LATENCY: Duration = Duration::from_millis(20);
const REPETITIONS: usize = 9;

/// What is read: the first column, one in the middle, the last, all.
const WANTED: [(&str, &[usize]); 4] = [
    ("l_orderkey", &[0]),
    ("l_extendedprice", &[5]),
    ("l_comment", &[15]),
    ("all", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
];

/// Prints a table.
pub fn race(quick: bool) -> Result<()> {
    let recipe = RECIPES.iter().find(|recipe| recipe.name == "lineitem").ok_or("no lineitem")?;
    let table = recipe.make(if quick { recipe.rows / 10 } else { recipe.rows })?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build()?;
    println!("| | | requests | bytes | ms |\n|---|---|---|---|---|");
    for (what, columns) in WANTED {
        for name in ["trevni-snappy", "trevni-pack", "parquet-snappy"] {
            let config = CONFIGS.iter().find(|config| config.name == name);
            let config = config.ok_or_else(|| format!("no {name}"))?;
            let file = (config.start)()?.write(&table.schema, &table.batches)?;
            let store = Arc::new(Late::default());
            runtime.block_on(store.inner.put(&Path::from("file"), file.into()))?;
            for hint in [false, true] {
                if hint && name != "parquet-snappy" {
                    continue;
                }
                let shown = if hint { format!("{name}, 64 KiB hint") } else { name.to_owned() };
                let mut times = Vec::new();
                for _ in 0..REPETITIONS {
                    store.reset();
                    let started = Instant::now();
                    let read = match name {
                        "parquet-snappy" => runtime.block_on(parquet(store.clone(), columns, hint)),
                        _ => runtime.block_on(trevni(store.clone(), columns)),
                    }?;
                    times.push(started.elapsed());
                    check(&table, &read, columns)?;
                }
                times.sort_unstable();
                let ms = times[REPETITIONS / 2].as_secs_f64() * 1000.0;
                let (requests, bytes) = store.counts();
                println!("| {what} | {shown} | {requests} | {bytes} | {ms:.1} |");
            }
        }
    }
    Ok(())
}

async fn trevni(store: Arc<Late>, columns: &[usize]) -> Result<Vec<RecordBatch>> {
    let builder = ArrowStreamBuilder::new(store, "file").await?;
    let mask = ProjectionMask::roots(builder.schema(), columns.iter().copied())?;
    let stream = builder.with_projection(mask).with_batch_size(BATCH).build()?;
    Ok(stream.try_collect().await?)
}

#[expect(deprecated, reason = "as above")]
async fn parquet(store: Arc<Late>, columns: &[usize], hint: bool) -> Result<Vec<RecordBatch>> {
    let mut reader = ParquetObjectReader::new(store, Path::from("file"));
    if hint {
        reader = reader.with_footer_size_hint(64 << 10);
    }
    let builder = ParquetRecordBatchStreamBuilder::new(reader).await?;
    let mask = ParquetMask::roots(builder.parquet_schema(), columns.iter().copied());
    let stream = builder.with_projection(mask).with_batch_size(BATCH).build()?;
    Ok(stream.try_collect().await?)
}

/// What came must be what was written.
fn check(table: &Table, read: &[RecordBatch], columns: &[usize]) -> Result<()> {
    let rows: usize = read.iter().map(RecordBatch::num_rows).sum();
    let first = table.batches.first().ok_or("no rows")?.project(columns)?;
    let same = read.first().is_some_and(|batch| batch.columns() == first.columns());
    match rows == table.rows && same {
        true => Ok(()),
        false => Err("read other rows than were written".into()),
    }
}

/// A store that counts requests for bytes, and answers late.
#[derive(Debug, Default)]
struct Late {
    inner: InMemory,
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Late {
    fn reset(&self) {
        self.requests.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }

    fn counts(&self) -> (u64, u64) {
        (self.requests.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}

impl fmt::Display for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("late")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Late {
    async fn get_opts(
        &self,
        location: &Path,
        options: GetOptions,
    ) -> object_store::Result<GetResult> {
        tokio::time::sleep(LATENCY).await;
        let result = self.inner.get_opts(location, options).await?;
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(result.range.end - result.range.start, Ordering::Relaxed);
        Ok(result)
    }

    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> object_store::Result<PutResult> {
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(
        &self,
        from: &Path,
        to: &Path,
        options: CopyOptions,
    ) -> object_store::Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
