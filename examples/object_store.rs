//! Writes a file to an object store and reads a range of its rows: `cargo run --features object_store --example object_store`.

use std::error::Error;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use futures_util::TryStreamExt;
use object_store::ObjectStore;
use object_store::memory::InMemory;
use trevni::arrow::{ArrowStreamBuilder, AsyncArrowWriter};
use trevni::object_store::ObjectWriter;

fn main() -> Result<(), Box<dyn Error>> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run())
}

async fn run() -> Result<(), Box<dyn Error>> {
    // Any store of the crate `object_store`: S3, GCS, Azure, HTTP, a local folder.
    let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1_000_000));
    let batch = RecordBatch::try_from_iter([("id", ids)])?;

    let object = ObjectWriter::new(store.clone(), "ids.trv".into());
    let mut writer = AsyncArrowWriter::try_new(object, batch.schema(), None)?;
    writer.write(&batch).await?;
    writer.close().await?;

    let builder = ArrowStreamBuilder::new(store, "ids.trv").await?;
    let mut stream = builder.with_row_range(500_000..500_010).build()?;
    while let Some(batch) = stream.try_next().await? {
        println!("{} rows", batch.num_rows());
    }
    Ok(())
}
