//! Random tables, of any types, read back by every reader of this crate.

use std::sync::Arc;

use arrow::array::RecordBatch;
use bytes::Bytes;
use proptest::prelude::*;
use trevni::FileReader;
use trevni::arrow::{ArrowReaderBuilder, WriterProperties, verify_rows};
use trevni::codec::Codec;
use trevni::dataset::{Dataset, DatasetProperties, DatasetWriter};
use trevni_testing::arrays::batches;
use trevni_testing::equality::same_rows;

use crate::arrow::write;
use crate::cases::{cases, one_of};

fn codecs() -> impl Strategy<Value = Codec> {
    one_of(&[Codec::Null, Codec::Snappy, Codec::Zstd, Codec::Pack, Codec::PackZstd])
}

/// Returns what each reader returns, with its name.
fn read_all(
    file: &Bytes,
    batches: &[RecordBatch],
    properties: WriterProperties,
    batch_size: usize,
) -> Vec<(&'static str, trevni::Result<Vec<RecordBatch>>)> {
    let serial = || ArrowReaderBuilder::try_new(file.clone());
    let whole = |builder: ArrowReaderBuilder<Bytes>| {
        builder.with_batch_size(batch_size).build()?.map(|batch| Ok(batch?)).collect()
    };
    let mut all = vec![
        ("one thread", serial().and_then(whole)),
        ("threads", serial().and_then(|builder| whole(builder.with_parallelism(3)))),
        ("metadata", {
            let builder = serial().map(|builder| {
                ArrowReaderBuilder::new_with_metadata(file.clone(), builder.metadata())
            });
            builder.and_then(whole)
        }),
        ("verify", {
            let file = FileReader::try_new(file.clone()).unwrap();
            let faults = file.verify(|_| ()).faults.into_iter().next();
            let verified = faults.map_or(Ok(()), Err).and_then(|()| verify_rows(&file, 2));
            verified.map(|()| batches.to_vec())
        }),
    ];
    #[cfg(feature = "object_store")]
    all.push(("stream", stream(file, batch_size)));
    if let Some(first) = batches.first() {
        let names: std::collections::HashSet<_> =
            first.schema().fields().iter().map(|field| field.name().clone()).collect();
        // Columns of data sets are found by name.
        if names.len() == first.num_columns() {
            all.push(("data set", data_set(batches, properties, batch_size)));
        }
    }
    all
}

#[cfg(feature = "object_store")]
fn stream(file: &Bytes, batch_size: usize) -> trevni::Result<Vec<RecordBatch>> {
    use futures_util::TryStreamExt;
    use object_store::ObjectStoreExt;
    use trevni::arrow::ArrowStreamBuilder;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = Arc::new(object_store::memory::InMemory::new());
        store.put(&"a.trv".into(), file.clone().into()).await.unwrap();
        let builder =
            ArrowStreamBuilder::new(store, object_store::path::Path::from("a.trv")).await?;
        builder.with_batch_size(batch_size).build()?.try_collect().await
    })
}

fn data_set(
    batches: &[RecordBatch],
    properties: WriterProperties,
    batch_size: usize,
) -> trevni::Result<Vec<RecordBatch>> {
    let folder = tempfile::tempdir().unwrap();
    let properties =
        DatasetProperties::builder().set_writer_properties(properties).set_max_rows_per_file(7);
    let schema = batches[0].schema();
    let mut writer = DatasetWriter::try_new(folder.path(), schema, properties.build())?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.finish()?;
    let scan = Dataset::open(folder.path())?.scan().with_batch_size(batch_size);
    scan.with_parallelism(2).build()?.map(|batch| Ok(batch?)).collect()
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn what_is_written_every_reader_returns(
        seed: u64, codec in codecs(), block_size in prop::sample::select(vec![1usize, 300, 65_536]),
        batch_size in 1usize..60,
    ) {
        let (schema, batches) = batches(seed);
        let properties =
            || WriterProperties::builder().set_codec(codec).set_block_size(block_size).build();
        let file = write(&schema, &batches, properties()).unwrap();
        for (reader, found) in read_all(&file, &batches, properties(), batch_size) {
            let found = match found {
                Ok(found) => found,
                Err(e) => return Err(TestCaseError::fail(format!("{reader}: {schema}: {e}"))),
            };
            if let Err(e) = same_rows(&batches, &found) {
                return Err(TestCaseError::fail(format!("{reader}: seed {seed}: {schema}: {e}")));
            }
        }
    }
}
