//! The offsets of each row's lengths and values in column data, and the check that the columns of a batch fit together.
//!
//! ```text
//! lengths of an array column   2      0    1
//! spans of its values          0..2   2..2 2..3
//! ```
//! A child has one length or value for each value of its parent, so the spans of a parent's values are those
//! of its children's lengths, or of their values if they are no arrays.

use std::ops::Range;

use super::column_data::ColumnSlice;
use super::column_metadata::ColumnMetadata;
use super::column_tree::ColumnTree;
use super::value::ValueType;
use super::values_ref::ValuesRef;
use crate::error::{Error, Result};
use crate::kernel;

/// Where each row begins and ends.
#[derive(Debug, Clone)]
pub(crate) enum Spans<'a> {
    /// One item a row.
    Rows,
    /// Row `i` has the items from `[i]` to `[i + 1]`.
    Starts(&'a [usize]),
}

impl Spans<'_> {
    /// Returns the items of these rows.
    pub(crate) fn range(&self, row: usize, end: usize) -> Range<usize> {
        match self {
            Spans::Rows => row..end,
            Spans::Starts(starts) => {
                let at = |i: usize| starts.get(i).copied().unwrap_or(0);
                at(row)..at(end)
            }
        }
    }
}

/// Returns the first row from `low`, at most `high`, at which `fits` is false; it is false for all rows after it.
pub(crate) fn first_not(mut low: usize, mut high: usize, fits: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// The spans of all array columns' values.
#[derive(Debug)]
pub(crate) struct BatchSpans {
    starts: Vec<Option<Vec<usize>>>,
}

impl BatchSpans {
    /// Returns the spans of a column's lengths, if it has any, and of its values.
    pub(crate) fn of(&self, column: usize, tree: &ColumnTree) -> (Spans<'_>, Spans<'_>) {
        let outer = tree.parent(column).map_or(Spans::Rows, |parent| self.values(parent));
        let inner = match self.starts.get(column) {
            Some(Some(starts)) => Spans::Starts(starts),
            _ => outer.clone(),
        };
        (outer, inner)
    }

    fn values(&self, column: usize) -> Spans<'_> {
        match self.starts.get(column) {
            Some(Some(starts)) => Spans::Starts(starts),
            _ => Spans::Rows,
        }
    }
}

/// Compares slices with the columns and with each other.
pub(crate) fn check_slices(
    columns: &[ColumnMetadata],
    tree: &ColumnTree,
    rows: usize,
    slices: &[ColumnSlice<'_>],
) -> Result<BatchSpans> {
    if slices.len() != columns.len() {
        let (got, expected) = (slices.len(), columns.len());
        return Err(Error::invalid(format!("{got} slices for {expected} columns")));
    }
    let mut spans = BatchSpans { starts: Vec::with_capacity(columns.len()) };
    for (i, (column, slice)) in columns.iter().zip(slices).enumerate() {
        let above = tree.parent(i).and_then(|parent| slices.get(parent));
        if above.is_some_and(|above| above.validity.is_some()) {
            let e = Error::invalid("the parent of a column is given as slots");
            return Err(e.in_column(column.name()));
        }
        let starts = check_slice(&spans, tree, i, rows, column, slice);
        spans.starts.push(starts.map_err(|e| e.in_column(column.name()))?);
    }
    Ok(spans)
}

fn check_slice(
    spans: &BatchSpans,
    tree: &ColumnTree,
    i: usize,
    rows: usize,
    column: &ColumnMetadata,
    slice: &ColumnSlice<'_>,
) -> Result<Option<Vec<usize>>> {
    let outer = tree.parent(i).map_or(Spans::Rows, |parent| spans.values(parent));
    let items = outer.range(0, rows).end;
    if let Some(starts) = check_presence(column, slice, &outer, rows, items)? {
        return Ok(starts);
    }
    slice.values.check(column.value_type())?;
    if let Some((bits, offset)) = slice.validity {
        if !column.is_array() || slice.lengths.is_some() || column.value_type() == ValueType::Null {
            return Err(Error::invalid("slots for a column that has none"));
        }
        ValuesRef::Boolean { bits, offset, len: items }.check(ValueType::Boolean)?;
        expect("values", slice.values.len(), items)?;
        return Ok(None);
    }
    let (starts, values) = match slice.lengths {
        Some(lengths) if column.is_array() => {
            expect("lengths", lengths.len(), items)?;
            let starts = starts_of(lengths, &outer, rows)?;
            let end = starts.last().copied().unwrap_or(0);
            (Some(starts), end)
        }
        None if !column.is_array() => (None, items),
        Some(_) => return Err(Error::invalid("lengths for a column that is no array")),
        None => return Err(Error::invalid("an array column without lengths")),
    };
    expect("values", slice.values.len(), values)?;
    Ok(starts)
}

/// Checks counts that are given as bits; `None` if they are not.
fn check_presence(
    column: &ColumnMetadata,
    slice: &ColumnSlice<'_>,
    outer: &Spans<'_>,
    rows: usize,
    items: usize,
) -> Result<Option<Option<Vec<usize>>>> {
    let counts = column.is_array() && column.value_type() == ValueType::Null;
    let (true, None, ValuesRef::Boolean { bits, offset, len }) =
        (counts, slice.lengths, slice.values)
    else {
        return Ok(None);
    };
    slice.values.check(ValueType::Boolean)?;
    expect("lengths", len, items)?;
    let ones =
        |items: Range<usize>| kernel::bitmap::count_ones(bits, offset + items.start, items.len());
    let mut end = 0;
    let mut add = |part: Range<usize>| {
        end += ones(part);
        end
    };
    Ok(Some(match outer {
        Spans::Rows if ones(0..len) == len => None,
        Spans::Rows => {
            let mut starts = Vec::with_capacity(rows + 1);
            starts.push(0);
            kernel::bitmap::for_each_run(bits, offset, rows, |bit, count| {
                let before = starts.last().copied().unwrap_or(0);
                let step = usize::from(bit);
                starts.extend((1..=count).map(|i| before + i * step));
            });
            Some(starts)
        }
        // One value per item, as in lists of non-nullable items.
        Spans::Starts(starts) if ones(0..len) == len => {
            Some(starts.get(..=rows).unwrap_or_default().to_vec())
        }
        outer => {
            let ends = (0..rows).map(|row| add(outer.range(row, row + 1)));
            Some(std::iter::once(0).chain(ends).collect())
        }
    }))
}

fn expect(what: &str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(Error::invalid(format!("{got} {what} where {expected} belong")))
}

fn starts_of(lengths: &[u32], outer: &Spans<'_>, rows: usize) -> Result<Vec<usize>> {
    if lengths.iter().any(|length| i32::try_from(*length).is_err()) {
        return Err(Error::invalid("an array longer than an int counts"));
    }
    let mut starts = Vec::with_capacity(rows + 1);
    let mut sum = 0usize;
    starts.push(sum);
    let mut add = |part: &[u32]| {
        sum += part.iter().map(|length| *length as usize).sum::<usize>();
        sum
    };
    match outer {
        Spans::Rows => starts.extend(lengths.chunks(1).map(&mut add)),
        outer => starts.extend(
            (0..rows).map(|row| add(lengths.get(outer.range(row, row + 1)).unwrap_or_default())),
        ),
    }
    Ok(starts)
}
