//! Which blocks of a file are read.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use arrow::array::*;
use arrow::datatypes::*;
use bytes::Bytes;
use trevni::FileReader;
use trevni::arrow::*;
use trevni::codec::Codec;
use trevni::io::ReadAt;

use crate::arrow::write;

/// A source that notes where it is read.
#[derive(Clone)]
pub(crate) struct RecordingStore(pub(crate) Bytes, pub(crate) Arc<Mutex<Vec<u64>>>);

impl ReadAt for RecordingStore {
    fn len(&self) -> std::io::Result<u64> {
        ReadAt::len(&self.0)
    }

    fn read_at(&self, offset: u64, len: usize) -> std::io::Result<Bytes> {
        self.1.lock().unwrap().push(offset);
        self.0.read_at(offset, len)
    }
}

/// Returns the blocks of a column that were read, each as often as it was.
pub(crate) fn blocks_read(source: &RecordingStore, column: &str) -> Vec<usize> {
    let file = FileReader::try_new(source.0.clone()).unwrap();
    let column = file.column_named(column).unwrap_or_else(|| panic!("{column}"));
    let blocks = file.blocks(column).unwrap();
    let notes = source.1.lock().unwrap();
    notes.iter().filter_map(|at| blocks.iter().position(|block| block.offset == *at)).collect()
}

/// Opens a file whose metadata is known: of a small file, opening would read all.
pub(crate) fn opened(source: &RecordingStore) -> ArrowReaderBuilder<RecordingStore> {
    let metadata = ArrowReaderMetadata::load(&source.0, ArrowReaderOptions::new()).unwrap();
    ArrowReaderBuilder::new_with_metadata(source.clone(), metadata)
}

pub(crate) fn noting(file: &Bytes) -> RecordingStore {
    RecordingStore(file.clone(), Arc::default())
}

/// Returns the blocks of a column that have some of these rows.
pub(crate) fn blocks_with(file: &Bytes, column: &str, rows: &[u64]) -> Vec<usize> {
    let file = FileReader::try_new(file.clone()).unwrap();
    let blocks = file.blocks(file.column_named(column).unwrap()).unwrap();
    let of = |row: &u64| blocks.iter().position(|block| *row < block.end_row()).unwrap();
    rows.iter().map(of).collect::<BTreeSet<_>>().into_iter().collect()
}

pub(crate) fn table(n: usize) -> RecordBatch {
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..n as i64));
    let scattered: ArrayRef =
        Arc::new(Int32Array::from_iter_values((0..n).map(|i| (i * 7919 % 10_007) as i32)));
    let text = |i: usize| format!("a text of some length, of row {i}, and more of it");
    let text: ArrayRef = Arc::new(StringArray::from_iter_values((0..n).map(text)));
    RecordBatch::try_from_iter([("id", id), ("scattered", scattered), ("text", text)]).unwrap()
}

#[test]
fn only_blocks_with_rows_that_are_left_are_read() {
    let n = 20_000;
    let table = table(n);
    for codec in [Codec::Null, Codec::Snappy, Codec::Pack] {
        let properties = WriterProperties::builder()
            .set_codec(codec)
            .set_block_rows(100)
            .set_block_size(1000)
            .build();
        let file = write(&table.schema(), std::slice::from_ref(&table), properties).unwrap();
        let every = |column: &str| blocks_with(&file, column, &(0..n as u64).collect::<Vec<_>>());
        for condition in [
            "id between 4321 and 4567",
            "scattered < 4",
            "id in (7, 19999)",
            "id >= 100 and scattered = 10",
        ] {
            let source = noting(&file);
            let predicate = Predicate::parse(condition).unwrap();
            let mask = predicate.evaluate(&table).unwrap();
            let rows: Vec<u64> = mask.values().set_indices().map(|row| row as u64).collect();
            let reader = opened(&source).with_pruning(false).with_predicate(predicate.clone());
            let read =
                reader.build().unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>();
            assert_eq!((read, read > 0), (rows.len(), true));
            // The columns of the first predicate are read completely and once, even if they are output, too.
            let first = predicate.columns().remove(0);
            assert_eq!(blocks_read(&source, &first), every(&first), "{condition}");
            assert_eq!(
                blocks_read(&source, "text"),
                blocks_with(&file, "text", &rows),
                "{condition}"
            );
        }
        // The second predicate reads only what the first has left.
        let source = noting(&file);
        let predicate = Predicate::parse("id between 4300 and 4499 and scattered < 1000").unwrap();
        let reader = opened(&source).with_predicate(predicate);
        let mask = ProjectionMask::roots(reader.schema(), []).unwrap();
        let reader = reader.with_projection(mask).build().unwrap();
        assert!(reader.map(|batch| batch.unwrap().num_rows()).sum::<usize>() > 0);
        let left: Vec<_> = (4300..4500).collect();
        assert_eq!(blocks_read(&source, "scattered"), blocks_with(&file, "scattered", &left));
        assert_eq!(blocks_read(&source, "text"), Vec::<usize>::new());
    }
}

#[test]
fn nothing_is_read_behind_the_limit() {
    let table = table(50_000);
    let properties = WriterProperties::builder().set_codec(Codec::Pack).set_block_rows(100).build();
    let file = write(&table.schema(), &[table], properties).unwrap();
    let source = noting(&file);
    let predicate = Predicate::parse("id >= 50").unwrap();
    let builder = opened(&source);
    let reader = builder.with_predicate(predicate).with_offset(1).with_limit(120).build().unwrap();
    let ids: Vec<i64> = reader
        .flat_map(|batch| batch.unwrap().column(0).as_primitive::<Int64Type>().values().to_vec())
        .collect();
    assert_eq!(ids, (51..171).collect::<Vec<_>>());
    // One window of the predicate column; of another the blocks of the matching rows.
    assert_eq!(blocks_read(&source, "id"), (0..82).collect::<Vec<_>>());
    assert_eq!(blocks_read(&source, "text"), [0, 1]);
    let source = noting(&file);
    let builder = opened(&source);
    let reader = builder.with_offset(250).with_limit(100).build().unwrap();
    assert_eq!(reader.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 100);
    assert_eq!(blocks_read(&source, "text"), [2, 3]);
}

/// A gap that is cheaper to read than to skip may contain no complete block.
#[test]
fn short_blocks_between_rows_are_left_out() {
    let table = table(1000);
    let properties = WriterProperties::builder().set_codec(Codec::Pack).set_block_rows(3).build();
    let file = write(&table.schema(), &[table], properties).unwrap();
    let source = noting(&file);
    let rows: Vec<u64> = (0..1000).step_by(7).collect();
    let selection =
        RowSelection::from_consecutive_ranges(rows.iter().map(|row| *row..row + 1), 1000);
    let reader = opened(&source).with_row_selection(selection);
    assert_eq!(reader.build().unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 143);
    assert_eq!(blocks_read(&source, "text"), blocks_with(&file, "text", &rows));
}
