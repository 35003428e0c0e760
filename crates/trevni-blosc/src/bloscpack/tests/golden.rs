//! The reference's files: their values, and the same files written again.

use std::path::{Path, PathBuf};

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::DataType;
use arrow::ipc::reader::FileReader;

use super::*;
use crate::dtype::ByteOrder;
use crate::filter::Filter;

/// Returns the reference's files.
pub(super) fn goldens() -> Vec<PathBuf> {
    let Some(folder) = trevni_testing::data::corpus("golden/blosc/bloscpack") else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut all: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|e| e == "blp"));
    all.sort();
    assert!(all.len() >= 84, "only {} files", all.len());
    all
}

fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

#[test]
fn values_are_those_of_the_reference() {
    for path in goldens() {
        let file = Bloscpack::open_path(&path).unwrap();
        let reader = std::fs::File::open(path.with_extension("arrow")).unwrap();
        let batches: Vec<_> =
            FileReader::try_new(reader, None).unwrap().map(Result::unwrap).collect();
        let expected: Vec<u8> =
            batches.iter().flat_map(|b| rows(b, &file.layout().dtype)).collect();
        let mut found = content(&file);
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        assert_eq!(file.layout().shape[0], rows as u64, "{}", stem(&path));
        if file.layout().order == Order::F {
            found = row_major(&found, file.layout().dtype.size, &file.layout().shape);
        }
        assert!(found == expected, "{}", stem(&path));
        file.verify().unwrap();
    }
}

/// Returns the rows of a batch as NumPy has them in memory.
fn rows(batch: &RecordBatch, dtype: &Dtype) -> Vec<u8> {
    let types: Vec<&Dtype> = match &dtype.kind {
        DtypeKind::Record(fields) => fields.iter().map(|field| &field.dtype).collect(),
        _ => vec![dtype],
    };
    let columns: Vec<_> =
        batch.columns().iter().zip(types).map(|(column, dtype)| values(column, dtype)).collect();
    let mut out = Vec::new();
    for row in 0..batch.num_rows() {
        for column in &columns {
            let width = column.len() / batch.num_rows();
            out.extend_from_slice(&column[row * width..(row + 1) * width]);
        }
    }
    out
}

fn values(array: &dyn Array, dtype: &Dtype) -> Vec<u8> {
    match array.data_type() {
        DataType::Boolean => array.as_boolean().values().iter().map(u8::from).collect(),
        DataType::FixedSizeList(..) => values(array.as_fixed_size_list().values(), dtype),
        DataType::Utf8 => {
            let padded = |text: &str| {
                let mut bytes: Vec<u8> =
                    text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
                bytes.resize(dtype.size, 0);
                bytes
            };
            array.as_string::<i32>().iter().flat_map(|text| padded(text.unwrap())).collect()
        }
        _ => {
            let data = array.to_data();
            assert_eq!(data.offset(), 0);
            let mut bytes = data.buffers()[0].to_vec();
            if dtype.order == ByteOrder::Big {
                bytes.chunks_exact_mut(dtype.size).for_each(<[u8]>::reverse);
            }
            bytes
        }
    }
}

/// Returns an array in Fortran order, in C order.
fn row_major(bytes: &[u8], size: usize, shape: &[u64]) -> Vec<u8> {
    let [rows, columns] = [shape[0] as usize, shape[1] as usize];
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| column * rows + row));
    places.flat_map(|place| bytes[place * size..(place + 1) * size].to_vec()).collect()
}

#[test]
fn are_written_again_to_the_byte() {
    for path in goldens() {
        let file = Bloscpack::open_path(&path).unwrap();
        let chunks: Vec<_> =
            (0..file.layout().chunks).map(|n| file.chunk(n).unwrap().to_vec()).collect();
        let Layout { shape, attributes, .. } = file.layout();
        let again = |properties| {
            built(array_of(&file), file.typesize(), properties, &chunks, shape, attributes).unwrap()
        };
        let expected = std::fs::read(&path).unwrap();
        assert!(again(file.properties()) == expected, "{}", stem(&path));
        // zlib is dropped where it does not help; one file was written without it.
        let mut properties = file.properties();
        properties.metadata.zlib = true;
        assert_eq!(again(properties) == expected, stem(&path) != "meta_raw", "{}", stem(&path));
    }
}

#[test]
fn a_file_of_nothing_has_an_empty_chunk() {
    for path in goldens().iter().filter(|path| stem(path).contains("empty")) {
        let file = Bloscpack::open_path(path).unwrap();
        let array = array_of(&file);
        let again = built(array, 8, file.properties(), &[], &[0], &Attributes::new()).unwrap();
        assert!(again == std::fs::read(path).unwrap(), "{}", stem(path));
    }
}

#[test]
fn parameters_are_those_of_the_first_chunk() {
    for path in goldens() {
        let name = stem(&path).to_owned();
        let Some((codec, filter)) = name.strip_prefix("codec_").and_then(|n| n.split_once('_'))
        else {
            continue;
        };
        let params = Bloscpack::open_path(&path).unwrap().params().clone();
        // The two kinds of LZ4 are not distinguished in chunks.
        assert_eq!(params.compressor.name(), codec.trim_end_matches("hc"), "{name}");
        let expected = match filter {
            "byte" => Filter::Shuffle { group: 0 },
            "bit" => Filter::BitShuffle,
            _ => Filter::None,
        };
        assert_eq!(params.filters[5], expected, "{name}");
        assert_eq!(params.typesize, 4);
    }
}
