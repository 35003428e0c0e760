//! Compares the rows of two files of any formats.
//!
//! ```text
//! int32 | int64        compared as int64            dictionary, run-ends     by their values
//! utf8 | utf8 view     as large utf8                list | large list        item by item
//! ms | µs              as µs                        nullable or not          the same
//! ```
//! How a value is stored is no difference; what it is, is. Floating-point numbers are the same if their bits are.

mod supertype;

use std::collections::VecDeque;
use std::fmt;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Schema};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use self::supertype::{raised, supertype};
use super::Rows;
use trevni::Result;

/// The differences between two files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// A line for each difference of their schemas. If there are any, rows are not compared.
    pub schema: Vec<String>,
    /// The values that differ, of the first rows that do.
    pub rows: Vec<Difference>,
    /// How many rows each has, as far as they were read.
    pub counts: [u64; 2],
}

/// A value that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The row, from 0.
    pub row: u64,
    /// The name of the column.
    pub column: String,
    /// The values of both.
    pub values: [String; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.values;
        write!(f, "row {}, {}: {a} | {b}", self.row, self.column)
    }
}

impl Comparison {
    /// Compares rows, until `most` of them differ.
    pub fn new(a: Rows, b: Rows, most: usize) -> Result<Self> {
        let mut found = Self::default();
        let (schema, types) = compare_schemas(&a.schema(), &b.schema());
        if !schema.is_empty() {
            found.schema = schema;
            return Ok(found);
        }
        let [mut a, mut b] = [a, b].map(BufferedRows::new);
        let mut differing = 0;
        while differing < most {
            let n = a.fill()?.min(b.fill()?);
            if n == 0 {
                break;
            }
            let first = found.counts[0];
            let pair = [a.take(n), b.take(n)];
            found.counts = found.counts.map(|count| count + n as u64);
            differing += found.compare_batches(&pair, &types, first, most - differing)?;
        }
        if differing < most {
            found.counts[0] += a.count_rest()?;
            found.counts[1] += b.count_rest()?;
        }
        Ok(found)
    }

    /// Returns whether nothing differs.
    pub fn is_equal(&self) -> bool {
        self.schema.is_empty() && self.rows.is_empty() && self.counts[0] == self.counts[1]
    }

    /// Compares batches of as many rows, the first of which has a number. Returns how many differ, `most` at most.
    fn compare_batches(
        &mut self,
        [a, b]: &[RecordBatch; 2],
        types: &[DataType],
        first: u64,
        most: usize,
    ) -> Result<usize> {
        let mut columns = Vec::with_capacity(types.len());
        let mut differing = Vec::new();
        for (i, data_type) in types.iter().enumerate() {
            let pair = [raised(a.column(i), data_type)?, raised(b.column(i), data_type)?];
            unequal(&pair, 0, a.num_rows(), most, &mut differing);
            columns.push(pair);
        }
        differing.sort_unstable();
        differing.dedup();
        differing.truncate(most);
        let options = FormatOptions::default().with_null("null");
        for row in &differing {
            for ([a, b], field) in columns.iter().zip(a.schema().fields()) {
                if a.slice(*row, 1).to_data() == b.slice(*row, 1).to_data() {
                    continue;
                }
                let text = |array: &ArrayRef| {
                    let formatter = ArrayFormatter::try_new(array.as_ref(), &options)?;
                    formatter.value(*row).try_to_string()
                };
                self.rows.push(Difference {
                    row: first + *row as u64,
                    column: field.name().clone(),
                    values: [text(a)?, text(b)?],
                });
            }
        }
        Ok(differing.len())
    }
}

/// Returns the differences of two schemas; and if there are none, the types in which their columns are compared.
fn compare_schemas(a: &Schema, b: &Schema) -> (Vec<String>, Vec<DataType>) {
    let (mut lines, mut types) = (Vec::new(), Vec::new());
    let longest = a.fields().len().max(b.fields().len());
    for i in 0..longest {
        match (a.fields().get(i), b.fields().get(i)) {
            (Some(a), Some(b)) if a.name() != b.name() => {
                lines.push(format!("column {i}: {} | {}", a.name(), b.name()));
            }
            (Some(a), Some(b)) => match supertype(a.data_type(), b.data_type()) {
                Some(data_type) => types.push(data_type),
                None => {
                    let (name, a, b) = (a.name(), a.data_type(), b.data_type());
                    lines.push(format!("column {i}, {name}: {a} | {b}"));
                }
            },
            (Some(a), None) => lines.push(format!("column {i}: {} | -", a.name())),
            (None, Some(b)) => lines.push(format!("column {i}: - | {}", b.name())),
            (None, None) => {}
        }
    }
    (lines, types)
}

/// Finds rows in which two arrays differ, by halves.
fn unequal(pair: &[ArrayRef; 2], from: usize, n: usize, most: usize, found: &mut Vec<usize>) {
    let [a, b] = pair.each_ref().map(|array| array.slice(from, n).to_data());
    if n == 0 || a == b {
        return;
    }
    if n == 1 {
        found.push(from);
        return;
    }
    let (before, half) = (found.len(), n / 2);
    unequal(pair, from, half, most, found);
    if found.len() - before < most {
        unequal(pair, from + half, n - half, most, found);
    }
}

/// Rows of a file, of which some are read and not yet compared.
struct BufferedRows {
    rows: Rows,
    batches: VecDeque<RecordBatch>,
}

impl BufferedRows {
    fn new(rows: Rows) -> Self {
        Self { rows, batches: VecDeque::new() }
    }

    /// Returns how many rows can be taken at once: none at the end.
    fn fill(&mut self) -> Result<usize> {
        loop {
            match self.batches.front() {
                Some(batch) if batch.num_rows() > 0 => return Ok(batch.num_rows()),
                Some(_) => drop(self.batches.pop_front()),
                None => match self.rows.next() {
                    Some(batch) => self.batches.push_back(batch?),
                    None => return Ok(0),
                },
            }
        }
    }

    fn take(&mut self, n: usize) -> RecordBatch {
        let schema = self.rows.schema();
        let Some(batch) = self.batches.pop_front() else { return RecordBatch::new_empty(schema) };
        if n < batch.num_rows() {
            self.batches.push_front(batch.slice(n, batch.num_rows() - n));
        }
        batch.slice(0, n)
    }

    fn count_rest(&mut self) -> Result<u64> {
        let mut rows: u64 = self.batches.iter().map(|batch| batch.num_rows() as u64).sum();
        for batch in &mut self.rows {
            rows += batch?.num_rows() as u64;
        }
        Ok(rows)
    }
}
