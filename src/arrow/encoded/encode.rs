//! Encodes plain values as dictionaries and run-end encoded arrays.
//!
//! ```text
//! rows      a a - b a        dictionary   keys 0 0 - 1 0   values a b
//!                            run ends     2 3 4 5          values a - b a
//! ```
//! Rows are compared as bytes: those of strings, or else those that Arrow's row format makes of them. A type that
//! has no row format gets a key, or a run, for every row. Views that are equal are equal strings, so most of them are
//! found without a look at the strings.

use std::sync::Arc;

use ahash::{HashMap, HashMapExt};
use arrow::array::*;
use arrow::buffer::NullBuffer;
use arrow::compute;
use arrow::datatypes::*;
use arrow::row::{RowConverter, Rows, SortField};

use super::from_stored;
use crate::arrow::array::expand_nulls::within;
use crate::arrow::array::map_rows::take;
use crate::error::{Error, Result};

/// The maximum number of places in a table of views.
const PLACES: usize = 1 << 13;

/// Strings behind views.
enum Views<'a> {
    Text(&'a StringViewArray),
    Binary(&'a BinaryViewArray),
}

impl<'a> Views<'a> {
    fn views(&self) -> &'a [u128] {
        match self {
            Views::Text(strings) => strings.views(),
            Views::Binary(binary) => binary.views(),
        }
    }

    fn value(&self, row: usize) -> &'a [u8] {
        match self {
            Views::Text(strings) => strings.value(row).as_bytes(),
            Views::Binary(binary) => binary.value(row),
        }
    }
}

/// Rows that can be compared with each other.
enum Comparable<'a> {
    Strings(&'a StringArray),
    Views(Views<'a>),
    Rows(Rows),
    Not,
}

impl<'a> Comparable<'a> {
    fn new(array: &'a ArrayRef) -> Result<Self> {
        if let Some(strings) = array.as_string_opt::<i32>() {
            return Ok(Comparable::Strings(strings));
        }
        if let Some(strings) = array.as_string_view_opt() {
            return Ok(Comparable::Views(Views::Text(strings)));
        }
        if let Some(binary) = array.as_binary_view_opt() {
            return Ok(Comparable::Views(Views::Binary(binary)));
        }
        let field = SortField::new(array.data_type().clone());
        if !RowConverter::supports_fields(std::slice::from_ref(&field)) {
            return Ok(Comparable::Not);
        }
        let converter = RowConverter::new(vec![field])?;
        let rows = converter.convert_columns(std::slice::from_ref(array))?;
        Ok(Comparable::Rows(rows))
    }

    /// Returns whether a row equals the one before it; neither is null.
    fn repeats(&self, row: usize) -> bool {
        match self {
            Comparable::Strings(strings) => strings.value(row) == strings.value(row - 1),
            Comparable::Views(views) => views.value(row) == views.value(row - 1),
            Comparable::Rows(rows) => rows.row(row) == rows.row(row - 1),
            Comparable::Not => false,
        }
    }

    /// Returns the first row of each value, and the number of each row's value.
    fn distinct(&self, array: &dyn Array) -> (Vec<u64>, Vec<usize>) {
        let n = array.len();
        match self {
            Comparable::Strings(strings) => {
                number(n, |row| strings.is_valid(row).then(|| strings.value(row).as_bytes()))
            }
            Comparable::Views(views) => number_views(views, array),
            Comparable::Rows(rows) => number(n, |row| array.is_valid(row).then(|| rows.row(row))),
            Comparable::Not => number(n, |row| array.is_valid(row).then_some(row)),
        }
    }
}

/// Numbers values in the order in which they come; nulls get number 0.
fn number<K: std::hash::Hash + Eq>(
    n: usize,
    value: impl Fn(usize) -> Option<K>,
) -> (Vec<u64>, Vec<usize>) {
    let mut numbers = HashMap::new();
    let mut firsts = Vec::new();
    let numbered = (0..n).map(|row| {
        let Some(value) = value(row) else { return 0 };
        *numbers.entry(value).or_insert_with(|| {
            firsts.push(row as u64);
            firsts.len() - 1
        })
    });
    let numbered = numbered.collect();
    (firsts, numbered)
}

/// Numbers views in the order in which their strings come, as [`number`] does. A table has the numbers of the views
/// that came last, so that the strings of few are compared.
fn number_views(views: &Views<'_>, array: &dyn Array) -> (Vec<u64>, Vec<usize>) {
    let all = views.views();
    let mut last = vec![None; all.len().next_power_of_two().min(PLACES)];
    let mask = last.len() - 1;
    let (mut numbers, mut firsts) = (HashMap::new(), Vec::new());
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
    let numbered = all.iter().enumerate().map(|(row, view)| {
        if nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return 0;
        }
        let Some(place) = last.get_mut(place_of(*view) & mask) else { return 0 };
        if let Some((other, number)) = *place
            && other == *view
        {
            return number;
        }
        let number = *numbers.entry(views.value(row)).or_insert_with(|| {
            firsts.push(row as u64);
            firsts.len() - 1
        });
        *place = Some((*view, number));
        number
    });
    let numbered = numbered.collect();
    (firsts, numbered)
}

/// Returns the place of a view in a table of any size.
fn place_of(view: u128) -> usize {
    // The low half has the length and the first bytes, the high half the others or where they are.
    let folded = (view ^ view >> 64) & u128::from(u64::MAX);
    let mixed = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
    usize::from(u16::from_le_bytes([mixed[6], mixed[7]]))
}

/// Returns a dictionary of the values; `None` if there are more than keys. Of a stored one only the types change, if it
/// has a value for two rows at most.
pub(crate) fn dictionary(
    array: &ArrayRef,
    key_type: &DataType,
    value_type: &DataType,
) -> Result<Option<ArrayRef>> {
    within("values of a dictionary in one batch", array.len())?;
    if let Some(stored) = array.as_dictionary_opt::<Int32Type>() {
        // Blocks without a dictionary have a value for each row, null or not; and rows may have been left out.
        if stored.values().len() <= stored.len() / 2
            && let Some(rekeyed) = rekeyed(stored, key_type, value_type)?
        {
            return Ok(Some(rekeyed));
        }
        let expanded = compute::take(stored.values(), stored.keys(), None)?;
        return dictionary(&expanded, key_type, value_type);
    }
    let (firsts, keys) = Comparable::new(array)?.distinct(array);
    let mut values = take(array, &UInt64Array::from(firsts))?;
    if values.as_string_view_opt().is_some() || values.as_binary_view_opt().is_some() {
        values = compute::cast(&values, value_type)?;
    }
    let Some(values) = from_stored(&values, &Field::new("", value_type.clone(), true))? else {
        return Ok(None);
    };
    keyed_by(key_type, &keys, array.nulls(), values)
}

/// Returns a dictionary with keys and values of other types; `None` if some key does not fit, since the values of a
/// block come first and may be more than those in use.
fn rekeyed(
    stored: &DictionaryArray<Int32Type>,
    key_type: &DataType,
    value_type: &DataType,
) -> Result<Option<ArrayRef>> {
    let values = compute::cast(stored.values(), value_type)?;
    if *key_type == DataType::Int32 {
        return Ok(Some(Arc::new(stored.with_values(values))));
    }
    let keys = stored.keys().values().iter().map(|key| usize::try_from(*key).unwrap_or(0));
    keyed_by(key_type, &keys.collect::<Vec<_>>(), stored.nulls(), values)
}

fn keyed_by(
    key_type: &DataType,
    keys: &[usize],
    nulls: Option<&NullBuffer>,
    values: ArrayRef,
) -> Result<Option<ArrayRef>> {
    match key_type {
        DataType::Int8 => keyed::<Int8Type>(keys, nulls, values),
        DataType::Int16 => keyed::<Int16Type>(keys, nulls, values),
        DataType::Int32 => keyed::<Int32Type>(keys, nulls, values),
        DataType::Int64 => keyed::<Int64Type>(keys, nulls, values),
        DataType::UInt8 => keyed::<UInt8Type>(keys, nulls, values),
        DataType::UInt16 => keyed::<UInt16Type>(keys, nulls, values),
        DataType::UInt32 => keyed::<UInt32Type>(keys, nulls, values),
        DataType::UInt64 => keyed::<UInt64Type>(keys, nulls, values),
        other => Err(Error::malformed(format!("dictionary keys of {other}"))),
    }
}

fn keyed<K: ArrowDictionaryKeyType>(
    keys: &[usize],
    nulls: Option<&NullBuffer>,
    values: ArrayRef,
) -> Result<Option<ArrayRef>> {
    let keys: Option<Vec<K::Native>> = keys.iter().map(|key| K::Native::from_usize(*key)).collect();
    let Some(keys) = keys else { return Ok(None) };
    let keys = PrimitiveArray::<K>::new(keys.into(), nulls.cloned());
    Ok(Some(Arc::new(DictionaryArray::try_new(keys, values)?)))
}

/// Runs of the values; `None` if there are more rows than run ends can count.
pub(crate) fn runs(
    array: &ArrayRef,
    data_type: &DataType,
    end_type: &DataType,
    values: &Field,
) -> Result<Option<ArrayRef>> {
    within("run-end encoded values in one batch", array.len())?;
    let rows = Comparable::new(array)?;
    let nulls = array.nulls().cloned();
    let null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let starts_run = |row: &usize| {
        *row == 0 || null(*row) != null(row - 1) || (!null(*row) && !rows.repeats(*row))
    };
    let starts: Vec<usize> = (0..array.len()).filter(starts_run).collect();
    let ends = starts.iter().copied().skip(1).chain(starts.first().map(|_| array.len()));
    let ends: Vec<usize> = ends.collect();
    let starts: Vec<u64> = starts.into_iter().map(|row| row as u64).collect();
    let Some(values) = from_stored(&take(array, &UInt64Array::from(starts))?, values)? else {
        return Ok(None);
    };
    match end_type {
        DataType::Int16 => ended::<Int16Type>(data_type, &ends, values),
        DataType::Int32 => ended::<Int32Type>(data_type, &ends, values),
        DataType::Int64 => ended::<Int64Type>(data_type, &ends, values),
        other => Err(Error::malformed(format!("run ends of {other}"))),
    }
}

fn ended<R: RunEndIndexType>(
    data_type: &DataType,
    ends: &[usize],
    values: ArrayRef,
) -> Result<Option<ArrayRef>> {
    let len = ends.last().copied().unwrap_or(0);
    let ends: Option<Vec<R::Native>> = ends.iter().map(|end| R::Native::from_usize(*end)).collect();
    let Some(ends) = ends else { return Ok(None) };
    let ends = PrimitiveArray::<R>::new(ends.into(), None);
    // `RunArray::try_new` is not used, since it chooses the names of the children.
    let data = ArrayData::builder(data_type.clone()).len(len);
    let data = data.child_data(vec![ends.to_data(), values.to_data()]).build()?;
    Ok(Some(make_array(data)))
}
