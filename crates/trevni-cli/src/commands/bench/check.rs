//! Verifies that each format returns the rows that were written.

use arrow::array::{ArrayRef, RecordBatch, UInt64Array};
use arrow::compute::{cast, concat_batches, filter_record_batch, take_record_batch};
use arrow::datatypes::DataType;

use super::Result;
use super::config::{Config, Request};
use super::table::BATCH;
use super::work::Work;

/// The rows that must come, in batches of any size.
pub(super) struct Expected<'a> {
    batches: &'a [RecordBatch],
    /// The only column that is wanted.
    column: Option<usize>,
    /// The next row: which batch it is in, and where there.
    at: (usize, usize),
}

impl<'a> Expected<'a> {
    pub(super) fn new(batches: &'a [RecordBatch], column: Option<usize>) -> Self {
        Self { batches, column, at: (0, 0) }
    }

    /// Compares the next rows.
    pub(super) fn compare(&mut self, found: &RecordBatch) -> Result<()> {
        let mut done = 0;
        while done < found.num_rows() {
            let (place, row) = self.at;
            let Some(batch) = self.batches.get(place) else {
                return Err("more rows come back than were written".into());
            };
            if row == batch.num_rows() {
                self.at = (place + 1, 0);
                continue;
            }
            let rows = (batch.num_rows() - row).min(found.num_rows() - done);
            let expected = match self.column {
                Some(column) => batch.project(&[column])?.slice(row, rows),
                None => batch.slice(row, rows),
            };
            same(&expected, &found.slice(done, rows))?;
            done += rows;
            self.at.1 += rows;
        }
        Ok(())
    }

    /// Fails if rows are missing.
    pub(super) fn finish(self) -> Result<()> {
        let (place, row) = self.at;
        let rest: usize = self.batches.iter().skip(place).map(RecordBatch::num_rows).sum();
        match rest.saturating_sub(row) {
            0 => Ok(()),
            missing => Err(format!("{missing} rows are missing").into()),
        }
    }
}

fn same(expected: &RecordBatch, found: &RecordBatch) -> Result<()> {
    if expected.num_columns() != found.num_columns() {
        let (there, wanted) = (found.num_columns(), expected.num_columns());
        return Err(format!("{there} columns come back of {wanted}").into());
    }
    let fields = expected.schema_ref().fields().iter();
    for ((field, expected), found) in fields.zip(expected.columns()).zip(found.columns()) {
        if expected.data_type() != found.data_type() {
            let (now, before) = (found.data_type(), expected.data_type());
            return Err(format!("{:?} comes back as {now}, not {before}", field.name()).into());
        }
        if expected != found && plain(expected)?.as_ref() != plain(found)?.as_ref() {
            return Err(format!("{:?} comes back with other values", field.name()).into());
        }
    }
    Ok(())
}

/// Returns the values of a dictionary one by one: a null may be a null key, or a key of a null.
fn plain(array: &ArrayRef) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::Dictionary(_, values) => Ok(cast(array, values)?),
        _ => Ok(array.clone()),
    }
}

/// The expected result of each request.
pub(super) struct Answers {
    pub(super) rows: RecordBatch,
    pub(super) filtered: Vec<RecordBatch>,
}

impl Answers {
    pub(super) fn of(work: &Work<'_>) -> Result<Self> {
        let mut filtered = Vec::new();
        if let Some(filter) = &work.filter {
            for batch in &work.table.batches {
                let kept = filter_record_batch(batch, &filter.predicate.evaluate(batch)?)?;
                if kept.num_rows() > 0 {
                    filtered.push(kept);
                }
            }
        }
        Ok(Self { rows: scattered(work)?, filtered })
    }

    /// Returns how many rows the filter keeps.
    pub(super) fn kept(&self) -> usize {
        self.filtered.iter().map(RecordBatch::num_rows).sum()
    }

    /// Reads a file in every measured way.
    pub(super) fn check(
        &self,
        config: &Config,
        file: &bytes::Bytes,
        work: &Work<'_>,
    ) -> Result<()> {
        let rows = std::slice::from_ref(&self.rows);
        let batches = work.table.batches.as_slice();
        let mut requests = vec![
            (Request::All, Expected::new(batches, None)),
            (Request::Column(work.column), Expected::new(batches, Some(work.column))),
            (Request::Rows(&work.rows), Expected::new(rows, None)),
        ];
        let filter = work.filter.as_ref();
        requests.extend(filter.map(|f| (Request::Filter(f), Expected::new(&self.filtered, None))));
        for (request, mut expected) in requests {
            config.format.read(file, request, &mut |batch| expected.compare(&batch))?;
            expected.finish()?;
        }
        Ok(())
    }
}

fn scattered(work: &Work<'_>) -> Result<RecordBatch> {
    let mut taken = Vec::new();
    for (place, batch) in work.table.batches.iter().enumerate() {
        // All batches but the last are full.
        let first = place * BATCH;
        let here = work.rows.iter().filter(|row| (first..first + batch.num_rows()).contains(row));
        let here = UInt64Array::from_iter_values(here.map(|row| (row - first) as u64));
        taken.push(take_record_batch(batch, &here)?);
    }
    Ok(concat_batches(&work.table.schema, &taken)?)
}
