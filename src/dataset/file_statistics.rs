//! Statistics of files: minimum, maximum and null count of each column.
//!
//! ```text
//! batch ──► min, max, nulls     of a file, batch for batch         a: 3   9   0
//! files ──► arrays              one value for each file      min   a: 3 1 -       max   a: 9 1 -      nulls   a: 0 0 7
//! ```
//! Floats are in IEEE's total order, as in predicates. A bound is null if all values are null, or if it is unknown,
//! as for strings of more than 64 bytes. Nested columns have no statistics.

use std::sync::Arc;

use arrow::array::*;
use arrow::compute::*;
use arrow::datatypes::*;

use crate::error::Result;

/// Bytes of the longest text that is a bound.
const LONGEST: usize = 64;

/// The bounds of a column in some files.
#[derive(Debug, Clone)]
pub(super) struct ColumnBounds {
    pub(super) name: String,
    /// A value for each file, of the column's type, or of the values of its dictionary.
    pub(super) min: ArrayRef,
    pub(super) max: ArrayRef,
    /// How many rows are null; null itself if that is not known.
    pub(super) nulls: UInt64Array,
}

/// The bounds of one file in the making.
#[derive(Debug)]
pub(super) struct FileBounds {
    columns: Vec<SeenBounds>,
}

#[derive(Debug)]
struct SeenBounds {
    at: usize,
    name: String,
    data_type: DataType,
    ends: Option<[ArrayRef; 2]>,
    nulls: u64,
}

impl FileBounds {
    /// Of no rows yet.
    pub(super) fn new(schema: &Schema) -> Self {
        let column = |(at, field): (usize, &FieldRef)| {
            let (data_type, name) = (bounded(field.data_type())?.clone(), field.name().clone());
            Some(SeenBounds { at, name, data_type, ends: None, nulls: 0 })
        };
        Self { columns: schema.fields().iter().enumerate().filter_map(column).collect() }
    }

    /// Adds rows.
    pub(super) fn see(&mut self, batch: &RecordBatch) -> Result<()> {
        for seen in &mut self.columns {
            let Some(array) = batch.columns().get(seen.at) else { continue };
            seen.nulls += array.logical_null_count() as u64;
            let values = match array.data_type() {
                // Values that no row has make bounds looser, not wrong.
                DataType::Dictionary(..) => array.as_any_dictionary().values(),
                _ => array,
            };
            let Some([min, max]) = ends(values) else { continue };
            let (min, max) = match &seen.ends {
                Some([least, greatest]) => (
                    concat(&[least.as_ref(), min.as_ref()])?,
                    concat(&[greatest.as_ref(), max.as_ref()])?,
                ),
                None => (min, max),
            };
            let least = ends(&min).map(|[min, _]| min);
            let greatest = ends(&max).map(|[_, max]| max);
            seen.ends = least.zip(greatest).map(|(min, max)| [min, max]);
        }
        Ok(())
    }

    /// Returns the bounds of files of one schema, one after another.
    pub(super) fn join(files: &[FileBounds]) -> Result<Vec<ColumnBounds>> {
        let Some(first) = files.first() else { return Ok(Vec::new()) };
        let column = |(at, one): (usize, &SeenBounds)| {
            let of_file = |file: &FileBounds| {
                let seen = file.columns.get(at);
                let ends = seen.and_then(|seen| seen.ends.clone());
                let null = || new_null_array(&one.data_type, 1);
                let [min, max] = ends.unwrap_or_else(|| [null(), null()]);
                let long = is_long(&min) || is_long(&max);
                let [min, max] = if long { [null(), null()] } else { [min, max] };
                (min, max, seen.map(|seen| seen.nulls))
            };
            let (mut min, mut max, mut nulls) = (Vec::new(), Vec::new(), Vec::new());
            for (low, high, null) in files.iter().map(of_file) {
                min.push(low);
                max.push(high);
                nulls.push(null);
            }
            let joined = |arrays: &[ArrayRef]| {
                concat(&arrays.iter().map(AsRef::as_ref).collect::<Vec<&dyn Array>>())
            };
            let (name, nulls) = (one.name.clone(), nulls.into());
            Ok(ColumnBounds { name, min: joined(&min)?, max: joined(&max)?, nulls })
        };
        first.columns.iter().enumerate().map(column).collect()
    }
}

/// Returns the type of the bounds of a column; `None` if it has none.
pub(super) fn bounded(data_type: &DataType) -> Option<&DataType> {
    use DataType::*;
    match data_type {
        Dictionary(_, values) => bounded(values),
        Boolean | Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView => {
            Some(data_type)
        }
        Date32 | Date64 | Time32(_) | Time64(_) | Timestamp(..) | Duration(_) => Some(data_type),
        other if other.is_numeric() => Some(data_type),
        _ => None,
    }
}

/// Returns whether a bound is of more bytes than are worth keeping.
fn is_long(value: &ArrayRef) -> bool {
    let bytes = cast(value, &DataType::LargeBinary);
    let text = !value.data_type().is_primitive() && *value.data_type() != DataType::Boolean;
    text && bytes.is_ok_and(|bytes| bytes.as_binary::<i64>().values().len() > LONGEST)
}

/// Returns the minimum and maximum of an array, each an array of one; `None` if all are null.
fn ends(array: &ArrayRef) -> Option<[ArrayRef; 2]> {
    use DataType::*;
    fn two<T>(
        min: Option<T>,
        max: Option<T>,
        one: impl Fn(T) -> ArrayRef,
    ) -> Option<[ArrayRef; 2]> {
        Some([one(min?), one(max?)])
    }
    macro_rules! text {
        ($array:expr, $min:path, $max:path, $made:ty) => {{
            let array = $array;
            two($min(array), $max(array), |v| Arc::new(<$made>::from_iter_values([v])))
        }};
    }
    match array.data_type() {
        Boolean => {
            let values = array.as_boolean();
            let one = |v: bool| Arc::new(BooleanArray::from(vec![v])) as ArrayRef;
            two(min_boolean(values), max_boolean(values), one)
        }
        Utf8 => text!(array.as_string::<i32>(), min_string, max_string, StringArray),
        LargeUtf8 => text!(array.as_string::<i64>(), min_string, max_string, LargeStringArray),
        Utf8View => {
            text!(array.as_string_view(), min_string_view, max_string_view, StringViewArray)
        }
        Binary => text!(array.as_binary::<i32>(), min_binary, max_binary, BinaryArray),
        LargeBinary => text!(array.as_binary::<i64>(), min_binary, max_binary, LargeBinaryArray),
        BinaryView => {
            text!(array.as_binary_view(), min_binary_view, max_binary_view, BinaryViewArray)
        }
        _ => downcast_primitive_array! {
            array => numbers(array),
            _ => None,
        },
    }
}

fn numbers<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>) -> Option<[ArrayRef; 2]>
where
    T::Native: ArrowNativeTypeOp,
{
    let mut values = array.iter().flatten();
    let first = values.next()?;
    let (min, max) = values.fold((first, first), |(min, max), value| {
        (if value.is_lt(min) { value } else { min }, if value.is_gt(max) { value } else { max })
    });
    let one = |value| {
        let one = PrimitiveArray::<T>::from_iter_values([value]);
        Arc::new(one.with_data_type(array.data_type().clone())) as ArrayRef
    };
    Some([one(min), one(max)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(batches: &[ArrayRef]) -> ColumnBounds {
        let batch = |array: &ArrayRef| {
            RecordBatch::try_from_iter_with_nullable([("a", array.clone(), true)]).unwrap()
        };
        let mut file = FileBounds::new(&batch(&batches[0]).schema());
        batches.iter().for_each(|array| file.see(&batch(array)).unwrap());
        FileBounds::join(&[file]).unwrap().pop().unwrap()
    }

    #[test]
    fn bounds_of_all_batches_in_total_order() {
        let nan = f64::NAN;
        let bounds = seen(&[
            Arc::new(Float64Array::from(vec![Some(0.0), None])),
            Arc::new(Float64Array::from(vec![None, None])),
            Arc::new(Float64Array::from(vec![-0.0, nan])),
        ]);
        let min = bounds.min.as_primitive::<Float64Type>().value(0);
        assert!(min == 0.0 && min.is_sign_negative());
        assert!(bounds.max.as_primitive::<Float64Type>().value(0).is_nan());
        assert_eq!(bounds.nulls.value(0), 3);
    }

    #[test]
    fn every_kind_of_column_has_its_own_type() {
        let zoned = DataType::Timestamp(TimeUnit::Millisecond, Some("+01:00".into()));
        let times = Int64Array::from(vec![5, 3]);
        let cases: Vec<ArrayRef> = vec![
            Arc::new(StringViewArray::from(vec!["b", "a"])),
            Arc::new(BooleanArray::from(vec![true, false])),
            Arc::new(BinaryArray::from(vec![&b"b"[..], b"a"])),
            cast(&times, &zoned).unwrap(),
            cast(&times, &DataType::Decimal128(9, 2)).unwrap(),
            Arc::new(UInt64Array::from(vec![u64::MAX, 0])),
        ];
        for array in cases {
            let bounds = seen(std::slice::from_ref(&array));
            assert_eq!(bounds.min.as_ref(), array.slice(1, 1).as_ref());
            assert_eq!(bounds.max.as_ref(), array.slice(0, 1).as_ref());
        }
        let dictionary: DictionaryArray<Int8Type> = ["b", "a"].into_iter().collect();
        assert_eq!(seen(&[Arc::new(dictionary)]).min.data_type(), &DataType::Utf8);
    }

    #[test]
    fn long_text_and_no_values_have_none() {
        let long = "x".repeat(65);
        let bounds = seen(&[Arc::new(StringArray::from(vec!["a", &long]))]);
        assert!(bounds.min.is_null(0) && bounds.max.is_null(0) && bounds.nulls.value(0) == 0);
        let bounds = seen(&[Arc::new(Int8Array::from(vec![None, None]))]);
        assert!(bounds.min.is_null(0) && bounds.nulls.value(0) == 2);
    }
}
