//! The Arrow doors: every integration file of Apache's, random schemas and data, projections, row ranges.

use std::fs::File;
use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::*;
use bytes::Bytes;
use proptest::prelude::*;
use trevni::arrow::*;
use trevni::checksum::Checksum;
use trevni::codec::Codec;
use trevni::{FileReader, Version};

use crate::testdata::{corpus, files, reference_files, stem};
use trevni_testing::arrays::batches;
use trevni_testing::data::REFUSED;
use trevni_testing::equality::same_rows;

pub(crate) fn write(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    properties: WriterProperties,
) -> trevni::Result<Bytes> {
    let mut writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties))?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    Ok(writer.finish()?.0.into())
}

pub(crate) fn read(file: &Bytes, batch_size: usize) -> (SchemaRef, Vec<RecordBatch>) {
    let builder = ArrowReaderBuilder::try_new(file.clone()).unwrap().with_batch_size(batch_size);
    let reader = builder.build().unwrap();
    (reader.schema(), reader.map(|batch| batch.unwrap()).collect())
}

#[test]
fn apaches_integration_files_come_back_as_they_were() {
    let Some(folder) = corpus("arrow-testing/data/arrow-ipc-stream/integration") else { return };
    let (mut count, mut avro) = (0, 0);
    for path in files(&folder, "arrow_file") {
        let name = path.display();
        let reader =
            arrow::ipc::reader::FileReader::try_new(File::open(&path).unwrap(), None).unwrap();
        let schema = reader.schema();
        let batches: Vec<_> = reader.map(|batch| batch.unwrap()).collect();
        for batch_size in [3, 8192] {
            let file = write(&schema, &batches, WriterProperties::builder().build())
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let (read_schema, read) = read(&file, batch_size);
            assert_eq!(read_schema, schema, "{name}");
            same_rows(&batches, &read).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let properties = WriterProperties::builder().set_layout(Layout::Avro).build();
        match write(&schema, &batches, properties) {
            Ok(file) => {
                let (read_schema, read) = read(&file, 8192);
                assert_eq!(read_schema, schema, "{name}");
                same_rows(&batches, &read).unwrap_or_else(|e| panic!("{name}: {e}"));
                avro += 1;
            }
            Err(e) => println!("{name} has no Avro form: {e}"),
        }
        count += 1;
    }
    println!("{count} files, {avro} of them in the Avro layout too");
    assert!(count > 40 && avro > 5);
}

/// The reference's file of an Avro file, read as Arrow and written in the Avro layout, is the same again: columns,
/// and blocks to the byte.
#[test]
fn the_avro_layout_is_the_references() {
    let mut same = 0;
    for path in reference_files().iter().filter(|path| stem(path).starts_with("avro-")) {
        let name = stem(path);
        if name.starts_with("avro-top-") {
            // No record at the top: in Arrow it is a schema of one field, which is written as a record.
            continue;
        }
        let bytes = Bytes::from(std::fs::read(path).unwrap());
        let theirs = FileReader::try_new(bytes.clone()).unwrap();
        let (schema, batches) = read(&bytes, 1000);
        let properties = WriterProperties::builder()
            .set_layout(Layout::Avro)
            .set_codec(Codec::Null)
            .set_checksum(Checksum::Null);
        let ours = match write(&schema, &batches, properties.build()) {
            Ok(ours) => ours,
            Err(e) => panic!("{name}: {e}"),
        };
        let ours = FileReader::try_new(ours).unwrap();
        // A union of only null has no column there; in Arrow it is a null field, which has one.
        let ours_of: Vec<_> = (0..ours.columns().len())
            .filter(|i| ours.columns()[*i].name() != "only_null")
            .collect();
        assert_eq!(ours_of.len(), theirs.columns().len(), "{name}");
        for (column, (i, theirs_of)) in ours_of.into_iter().zip(theirs.columns().iter().enumerate())
        {
            assert_eq!(&ours.columns()[column], theirs_of, "{name}");
            assert!(ours.read_column(column).unwrap() == theirs.read_column(i).unwrap(), "{name}");
            let blocks = |file: &FileReader<Bytes>, column: usize| -> Vec<_> {
                let blocks = file.blocks(column).unwrap();
                blocks.iter().map(|b| (b.rows, b.uncompressed_size)).collect()
            };
            assert_eq!(blocks(&ours, column), blocks(&theirs, i), "{name}");
        }
        same += 1;
    }
    println!("{same} files");
    assert!(same > 10);
}

fn properties(
    codec: usize,
    block_size: usize,
    version: Version,
    layout: Layout,
) -> WriterProperties {
    let codecs: Vec<_> = Codec::ALL.into_iter().filter(|codec| codec.is_available()).collect();
    WriterProperties::builder()
        .set_codec(codecs[codec % codecs.len()])
        .set_block_size(block_size)
        .set_version(version)
        .set_layout(layout)
        .build()
}

/// The same columns as other types: text as views, and what else the columns can be.
#[test]
fn a_schema_given_is_read_into() {
    let text: ArrayRef =
        Arc::new(StringArray::from(vec![Some("a"), None, Some("more than twelve bytes")]));
    let number: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_from_iter([("t", text), ("n", number)]).unwrap();
    let file = write(&batch.schema(), &[batch], WriterProperties::default()).unwrap();
    let given = |text: DataType, number: DataType, name: &str| {
        let fields = [Field::new("t", text, true), Field::new(name, number, false)];
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields.to_vec())));
        ArrowReaderBuilder::try_new_with_options(file.clone(), options)
    };
    let instant = DataType::Timestamp(TimeUnit::Microsecond, None);
    let builder = given(DataType::Utf8View, instant.clone(), "n").unwrap();
    let batch = builder.build().unwrap().next().unwrap().unwrap();
    let views: Vec<_> = batch.column(0).as_string_view().iter().collect();
    assert_eq!(views, [Some("a"), None, Some("more than twelve bytes")]);
    assert_eq!(batch.column(1).data_type(), &instant);
    let e = given(DataType::Utf8View, DataType::Utf8, "n").unwrap_err().to_string();
    assert!(e.contains("field n: Utf8 not null asked for, the file has Int64 not null"), "{e}");
    let e = given(DataType::Utf8View, DataType::Int64, "m").unwrap_err().to_string();
    assert!(e.contains("the schema has field \"m\", the file \"n\""), "{e}");
}

/// Many seeds in a row: what a property finds is easier to look at here, with `SEED` and `SEEDS` set.
#[test]
fn seeds() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let from = number("SEED").unwrap_or(0);
    let mut failed = 0;
    for seed in from..from + number("SEEDS").unwrap_or(300) {
        let result = std::panic::catch_unwind(|| {
            let (schema, batches) = batches(seed);
            let properties = WriterProperties::builder().set_block_size(50).build();
            let file =
                write(&schema, &batches, properties).map_err(|e| format!("{schema}: {e}"))?;
            let (_, read) = read(&file, 7);
            same_rows(&batches, &read).map_err(|e| format!("{schema}: {e}"))
        });
        let e = match result {
            Ok(Ok(())) => continue,
            Ok(Err(e)) => e,
            Err(_) => "panics".to_owned(),
        };
        println!("seed {seed}: {}", e.chars().take(1500).collect::<String>());
        failed += 1;
    }
    assert_eq!(failed, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_table_comes_back(
        seed: u64, codec in 0usize..6, block_size in prop::sample::select(vec![1usize, 50, 65_536]),
        version in prop::sample::select(vec![Version::V1, Version::V2]), batch_size in 1usize..100,
    ) {
        let (schema, batches) = batches(seed);
        let file = write(&schema, &batches, properties(codec, block_size, version, Layout::Split)).unwrap();
        let (read_schema, read) = read(&file, batch_size);
        prop_assert_eq!(&read_schema, &schema);
        prop_assert!(read.iter().all(|batch| batch.num_rows() <= batch_size && batch.num_rows() > 0));
        if let Err(e) = same_rows(&batches, &read) {
            prop_assert!(false, "seed {}: {}: {}", seed, schema, e);
        }
    }

    #[test]
    fn any_table_with_an_avro_form_comes_back(seed: u64, block_size in prop::sample::select(vec![50usize, 65_536])) {
        let (schema, batches) = batches(seed);
        match write(&schema, &batches, properties(0, block_size, Version::V2, Layout::Avro)) {
            Ok(file) => {
                let (read_schema, read) = read(&file, 7);
                prop_assert_eq!(&read_schema, &schema);
                if let Err(e) = same_rows(&batches, &read) {
                    prop_assert!(false, "seed {}: {}: {}", seed, schema, e);
                }
            }
            Err(e) => {
                let invalid = matches!(e.kind(), trevni::ErrorKind::Invalid(_) | trevni::ErrorKind::Unsupported(_));
                prop_assert!(invalid, "{}", e);
            }
        }
    }

    #[test]
    fn any_rows_of_any_columns_are_that_part_of_the_table(
        seed: u64, from in 0u64..100, to in 0u64..100, mask in 0u8..16, block_size in prop::sample::select(vec![20usize, 65_536]),
    ) {
        let (schema, batches) = batches(seed);
        let file = write(&schema, &batches, properties(0, block_size, Version::V2, Layout::Split)).unwrap();
        let rows: u64 = batches.iter().map(|batch| batch.num_rows() as u64).sum();
        let (from, to) = (from.min(to).min(rows), from.max(to).min(rows));
        let indices: Vec<_> = (0..schema.fields().len()).filter(|i| mask >> i & 1 == 1).collect();
        let builder = ArrowReaderBuilder::try_new(file).unwrap();
        let projection = ProjectionMask::roots(builder.schema(), indices.iter().copied()).unwrap();
        let reader = builder.with_projection(projection).with_row_range(from..to).with_batch_size(9).build().unwrap();
        prop_assert_eq!(reader.schema(), Arc::new(schema.project(&indices).unwrap()));
        let read: Vec<_> = reader.map(|batch| batch.unwrap()).collect();
        if let Err(e) = same_rows(&part(&batches, &indices, from, to), &read) {
            prop_assert!(false, "seed {}: {}: {}", seed, schema, e);
        }
    }

    #[test]
    fn any_selection_of_rows_is_those_rows(
        seed: u64, selectors in prop::collection::vec((0u64..30, any::<bool>()), 0..12), batch_size in 1usize..20,
        from in 0u64..40, block_size in prop::sample::select(vec![20usize, 300, 65_536]),
    ) {
        let (schema, batches) = batches(seed);
        let file = write(&schema, &batches, properties(0, block_size, Version::V2, Layout::Split)).unwrap();
        let rows: u64 = batches.iter().map(|batch| batch.num_rows() as u64).sum();
        let all: Vec<_> = (0..schema.fields().len()).collect();
        let (mut at, mut expected) = (0, Vec::new());
        for (n, skip) in &selectors {
            let (start, end) = ((at.max(from)).min(rows), (at + n).min(rows));
            if !skip && start < end {
                expected.extend(part(&batches, &all, start, end));
            }
            at += n;
        }
        let selectors: Vec<_> =
            selectors.into_iter().map(|(row_count, skip)| RowSelector { row_count, skip }).collect();
        let builder = ArrowReaderBuilder::try_new(file).unwrap().with_batch_size(batch_size);
        let builder = builder.with_row_selection(selectors.into()).with_row_range(from..rows);
        let read: Vec<_> = builder.build().unwrap().map(|batch| batch.unwrap()).collect();
        prop_assert!(read.iter().all(|batch| batch.num_rows() <= batch_size && batch.num_rows() > 0));
        if let Err(e) = same_rows(&expected, &read) {
            prop_assert!(false, "seed {}: {}: {}", seed, schema, e);
        }
    }

    #[test]
    fn changed_bytes_end_in_batches_or_an_error(
        seed: u64, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (schema, batches) = batches(seed);
        let properties = WriterProperties::builder()
            .set_codec(Codec::Null).set_checksum(Checksum::Null).build();
        let mut bytes = write(&schema, &batches, properties).unwrap().to_vec();
        changes.iter().for_each(|(at, to)| *at.get_mut(&mut bytes) = *to);
        for skip in [false, true] {
            let options = ArrowReaderOptions::new().with_skip_arrow_metadata(skip);
            let builder = ArrowReaderBuilder::try_new_with_options(Bytes::from(bytes.clone()), options);
            if let Ok(reader) = builder.and_then(|builder| builder.build()) {
                for batch in reader.take(1000) {
                    if batch.is_err() { break; }
                }
            }
        }
    }
}

fn part(batches: &[RecordBatch], columns: &[usize], from: u64, to: u64) -> Vec<RecordBatch> {
    let mut start = 0;
    let parts = batches.iter().map(|batch| {
        let end = start + batch.num_rows() as u64;
        let (a, b) = (from.clamp(start, end), to.clamp(start, end));
        let part = batch.slice((a - start) as usize, (b - a) as usize);
        start = end;
        part.project(columns).unwrap()
    });
    parts.collect()
}

#[test]
fn text_and_bytes_are_read_as_views() {
    let mut viewed = 0;
    for seed in 0..200 {
        let (schema, batches) = batches(seed);
        for codec in [Codec::Null, Codec::Pack] {
            let properties = WriterProperties::builder().set_codec(codec).build();
            let Ok(file) = write(&schema, &batches, properties) else { continue };
            let options = ArrowReaderOptions::new().with_view_types(true);
            let builder = ArrowReaderBuilder::try_new_with_options(file, options).unwrap();
            let views = builder.schema().clone();
            assert_eq!(*views, with_view_types(&schema));
            viewed += usize::from(views != schema);
            let read: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
            let expected: Vec<_> = batches.iter().map(|batch| cast_to(batch, &views)).collect();
            same_rows(&expected, &read).unwrap();
        }
    }
    assert!(viewed > 20);
}

/// The files have no Arrow schema: their types follow from an Avro schema or from the columns.
#[test]
fn text_of_other_writers_is_read_as_views() {
    let mut viewed = 0;
    for path in reference_files().iter().filter(|path| !REFUSED.contains(&stem(path))) {
        let file = || File::open(path).unwrap();
        let options = ArrowReaderOptions::new().with_view_types(true);
        let builder = ArrowReaderBuilder::try_new_with_options(file(), options).unwrap();
        let plain = ArrowReaderBuilder::try_new(file()).unwrap();
        let views = builder.schema().clone();
        assert_eq!(*views, with_view_types(plain.schema()), "{}", stem(path));
        viewed += usize::from(views != *plain.schema());
        let read: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
        let expected = plain.build().unwrap().map(|batch| cast_to(&batch.unwrap(), &views));
        same_rows(&expected.collect::<Vec<_>>(), &read).unwrap();
    }
    assert!(viewed > 5);
}

fn cast_to(batch: &RecordBatch, schema: &SchemaRef) -> RecordBatch {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| match column.data_type() == field.data_type() {
        true => column.clone(),
        false => arrow::compute::cast(column, field.data_type()).unwrap(),
    });
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns.collect(), &options).unwrap()
}
