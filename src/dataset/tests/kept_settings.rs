//! What a data set keeps when a write that does not set it adds or replaces rows.

use ::object_store::ObjectStore;
use ::object_store::memory::InMemory;

use super::*;
use crate::FileReader;
use crate::arrow::{Layout, WriterProperties};
use crate::checksum::Checksum;
use crate::codec::Codec;

fn chosen() -> DatasetPropertiesBuilder {
    let file = WriterProperties::builder()
        .set_codec(Codec::Deflate)
        .set_layout(Layout::Avro)
        .set_checksum(Checksum::Null);
    DatasetProperties::builder().set_writer_properties(file.build())
}

/// Returns the partition columns, and of each file its codec, its layout and its checksum.
fn settings(path: &Path) -> (Vec<String>, Vec<[Option<String>; 3]>) {
    let table = Dataset::open(path).unwrap();
    let names = table.partitions().iter().map(|field| field.name().clone()).collect();
    let of_file = |file: &DataFile| {
        let file = FileReader::try_new(File::open(path.join(file.path())).unwrap()).unwrap();
        let metadata = &file.header().metadata;
        let text = |key| metadata.get_str(key).map(str::to_owned);
        [text("trevni.codec"), text("arrow.layout"), text("trevni.checksum")]
    };
    (names, table.files().map(of_file).collect())
}

fn codecs(path: &Path) -> Vec<Option<String>> {
    settings(path).1.into_iter().map(|[codec, _, _]| codec).collect()
}

#[test]
fn what_is_not_chosen_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, &[rows(0..10)], chosen().set_partition_by(["year"]).build());
    let (partitions, files) = settings(path);
    assert_eq!(partitions, ["year"]);
    let [codec, layout, checksum] = &files[0];
    assert_eq!(codec.as_deref(), Some("deflate"));
    assert_eq!(layout.as_deref(), Some("avro"));
    assert_ne!(checksum.as_deref(), Some("crc32"));
    for mode in [DatasetMode::Append, DatasetMode::Overwrite, DatasetMode::Append] {
        write(path, &[rows(0..10)], DatasetProperties::builder().set_mode(mode).build());
        let (partitions, all) = settings(path);
        assert_eq!(partitions, ["year"], "{mode:?}");
        assert!(all.iter().all(|file| *file == files[0]), "{mode:?}: {all:?}");
    }
    // A codec is chosen, and the rest is kept.
    let packed = WriterProperties::builder().set_codec(Codec::Pack).build();
    let packed = DatasetProperties::builder().set_writer_properties(packed);
    write(path, &[rows(0..10)], packed.set_mode(DatasetMode::Overwrite).build());
    let (partitions, all) = settings(path);
    assert_eq!((partitions, &all[0][1], &all[0][2]), (vec!["year".into()], layout, checksum));
    assert_eq!(all[0][0].as_deref(), Some("pack"));
    // Nothing is partitioned any more.
    let flat = DatasetProperties::builder().set_partition_by([""; 0]);
    write(path, &[rows(0..10)], flat.set_mode(DatasetMode::Overwrite).build());
    assert_eq!(settings(path).0, [""; 0]);
}

#[test]
fn files_without_a_commit_are_like_those_that_follow() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let file = WriterProperties::builder().set_codec(Codec::Pack).build();
    let batch = rows(0..10);
    let output = File::create(path.join("a.trv")).unwrap();
    let mut writer = ArrowWriter::try_new(output, batch.schema(), Some(file)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    write(path, &[batch], DatasetProperties::default());
    assert_eq!(codecs(path), [Some("pack".into()), Some("pack".into())]);
    assert_eq!(settings(path).1[0], settings(path).1[1]);
}

#[test]
fn new_rows_without_the_column_of_a_partition_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, &[rows(0..10)], DatasetProperties::builder().set_partition_by(["year"]).build());
    let replace = DatasetProperties::builder().set_mode(DatasetMode::Overwrite);
    let schema = Arc::new(rows(0..1).schema().project(&[0]).unwrap());
    assert_eq!(schema.field(0).name(), "id");
    let e = DatasetWriter::try_new(path, schema.clone(), replace.clone().build()).unwrap_err();
    assert!(e.to_string().contains("partitioned by \"year\", which the new rows lack"), "{e}");
    DatasetWriter::try_new(path, schema, replace.set_partition_by([""; 0]).build()).unwrap();
}

#[test]
fn what_cannot_be_read_can_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, &[rows(0..10)], DatasetProperties::default());
    std::fs::write(path.join(file_names::commit(1)), b"damaged").unwrap();
    let replace = DatasetProperties::builder().set_mode(DatasetMode::Overwrite);
    let schema = rows(0..1).schema();
    assert!(DatasetWriter::try_new(path, schema, replace.clone().build()).is_err());
    write(path, &[rows(0..5)], replace.set_partition_by([""; 0]).build());
    assert_eq!(ids(&read(path)), [0, 1, 2, 3, 4]);
}

#[tokio::test]
async fn writers_to_a_store_keep_the_same() {
    let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    for properties in [
        chosen().set_partition_by(["year"]).build(),
        DatasetProperties::builder().set_mode(DatasetMode::Overwrite).build(),
        DatasetProperties::default(),
    ] {
        let writer =
            AsyncDatasetWriter::try_new(store.clone(), "t", rows(0..1).schema(), properties);
        let mut writer = writer.await.unwrap();
        writer.write(&rows(0..10)).await.unwrap();
        writer.finish().await.unwrap();
        let table = Dataset::open_in(store.clone(), "t").await.unwrap();
        assert_eq!(table.partitions()[0].name(), "year");
    }
    let table = Dataset::open_in(store.clone(), "t").await.unwrap();
    assert_eq!(table.rows(), 20);
}
