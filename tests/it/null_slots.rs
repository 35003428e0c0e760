//! Slots of nulls may have any content: none of it is read, and no memory is taken for it.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, Field, Int32Type, Schema};
use trevni::arrow::{ArrowWriter, Predicate, WriterProperties};
use trevni::codec::Codec;
use trevni_testing::allocator::peak;
use trevni_testing::equality::same_rows;

use crate::arrow::read;

const ROWS: usize = 20_000;
const LONG: usize = 1 << 20;

/// Three valid rows, spread.
fn nulls() -> NullBuffer {
    (0..ROWS).map(|row| matches!(row, 5 | 10_000 | 19_999)).collect()
}

/// Views of which all are of one long value; what nulls have is arbitrary.
fn views<T: arrow::datatypes::ByteViewType>() -> ArrayRef {
    let data = Buffer::from_vec(vec![b'x'; LONG]);
    let long = ByteView::new(LONG as u32, b"xxxx").as_u128();
    let views: ScalarBuffer<u128> = vec![long; ROWS].into();
    let array = GenericByteViewArray::<T>::new(views, vec![data], None);
    let mask: BooleanArray = nulls().iter().map(|valid| Some(!valid)).collect();
    arrow::compute::nullif(&array, &mask).unwrap()
}

/// Lists that are all of the same million items.
fn list_views<O: OffsetSizeTrait>() -> ArrayRef {
    let items: ArrayRef = Arc::new(Int32Array::from_iter_values(0..LONG as i32));
    let item = Arc::new(Field::new("item", DataType::Int32, false));
    let starts = vec![O::zero(); ROWS];
    let sizes: Vec<_> =
        nulls().iter().map(|valid| O::from_usize(if valid { 3 } else { LONG }).unwrap()).collect();
    let array = GenericListViewArray::new(item, starts.into(), sizes.into(), items, Some(nulls()));
    Arc::new(array)
}

/// Keys that are all of one long value.
fn dictionary(values: ArrayRef) -> ArrayRef {
    let keys =
        Int32Array::new(nulls().iter().map(|valid| i32::from(!valid)).collect(), Some(nulls()));
    Arc::new(DictionaryArray::<Int32Type>::new(keys, values))
}

fn long_texts() -> ArrayRef {
    Arc::new(StringArray::from(vec!["short".to_owned(), "x".repeat(LONG)]))
}

/// Long values below a null: of fields, items and branches.
fn struct_of(field: ArrayRef) -> ArrayRef {
    let fields = vec![Field::new("f", field.data_type().clone(), true)].into();
    Arc::new(StructArray::new(fields, vec![field], Some(nulls())))
}

fn fixed_lists(items: ArrayRef) -> ArrayRef {
    let item = Arc::new(Field::new("item", items.data_type().clone(), true));
    Arc::new(FixedSizeListArray::new(item, 1, items, Some(nulls())))
}

fn long_views() -> ArrayRef {
    let data = Buffer::from_vec(vec![b'y'; LONG]);
    let long = ByteView::new(LONG as u32, b"yyyy").as_u128();
    let short = 0u128;
    let views = nulls().iter().map(|valid| if valid { short } else { long }).collect::<Vec<_>>();
    Arc::new(StringViewArray::new(views.into(), vec![data], None))
}

fn arrays() -> Vec<(&'static str, ArrayRef)> {
    vec![
        ("StringView", views::<arrow::datatypes::StringViewType>()),
        ("BinaryView", views::<arrow::datatypes::BinaryViewType>()),
        ("ListView", list_views::<i32>()),
        ("LargeListView", list_views::<i64>()),
        ("Dictionary", dictionary(long_texts())),
        ("Struct of StringView", struct_of(long_views())),
        ("FixedSizeList of StringView", fixed_lists(long_views())),
        ("Struct of Dictionary", struct_of(dictionary(long_texts()))),
        ("Struct of ListView", struct_of(list_views::<i32>())),
        ("FixedSizeList of ListView", fixed_lists(list_views::<i32>())),
        (
            "Dictionary of StringView",
            dictionary(Arc::new(StringViewArray::from(vec!["short", &"x".repeat(LONG)]))),
        ),
    ]
}

#[test]
fn no_memory_is_taken_for_null_slots() {
    for (name, array) in arrays() {
        let field = Field::new("a", array.data_type().clone(), true);
        let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).unwrap();
        let codecs = [Codec::Null, Codec::Snappy, Codec::Pack, Codec::PackZstd];
        for codec in codecs.into_iter().filter(|codec| codec.is_available()) {
            let properties = WriterProperties::builder().set_codec(codec).build();
            let (file, held) = peak(|| {
                let mut writer =
                    ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
                writer.write(&batch).unwrap();
                bytes::Bytes::from(writer.into_inner().unwrap())
            });
            // A few copies of the valid values, and some bytes for each row.
            assert!(held < 40 << 20, "{name}, {codec:?}: {held} bytes held to write");
            let ((_, found), held) = peak(|| read(&file, ROWS));
            assert!(held < 40 << 20, "{name}, {codec:?}: {held} bytes held to read");
            same_rows(std::slice::from_ref(&batch), &found)
                .unwrap_or_else(|e| panic!("{name}, {codec:?}: {e}"));
        }
        // What asks of the rows, too.
        let predicate = Predicate::parse("a is not null").unwrap();
        let (answer, held) = peak(|| predicate.evaluate(&batch));
        assert!(held < 40 << 20, "{name}: {held} bytes held to evaluate");
        if let Ok(answer) = answer {
            assert_eq!(answer.true_count(), 3, "{name}");
        }
    }
}
