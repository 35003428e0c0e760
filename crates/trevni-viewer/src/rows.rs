//! The answers to `rows` and `count`.

use serde_json::{Value as Json, json};
use trevni::Result;
use trevni::arrow::Predicate;

use crate::cell::cells;
use crate::session::{RowRange, Session};

/// Rows, and columns, of an answer.
const MOST_ROWS: u64 = 1_000;
pub(crate) const MOST_COLUMNS: usize = 200;

pub(crate) fn rows(session: &Session, mut range: RowRange) -> Result<Json> {
    range.count = range.count.map(|count| count.min(MOST_ROWS));
    let start = range.start;
    let (names, rows) = read(session, range)?;
    Ok(json!({ "start": start, "columns": names, "rows": rows }))
}

/// Reads rows, and the names of their columns.
pub(crate) fn read(
    session: &Session,
    mut range: RowRange,
) -> Result<(Vec<String>, Vec<Vec<Json>>)> {
    let names = range.columns.get_or_insert_with(|| {
        session.schema.fields().iter().map(|field| field.name().clone()).collect()
    });
    names.truncate(MOST_COLUMNS);
    let mut reader = (session.reader)(&range)?;
    let fields = reader.schema().fields().clone();
    let mut rows: Vec<Vec<Json>> = Vec::new();
    for batch in reader.by_ref() {
        let batch = batch?;
        let columns = batch.columns().iter().map(|column| cells(column.as_ref()));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let of_row = |row: usize| {
            columns.iter().map(|column| column.get(row).cloned().unwrap_or_default()).collect()
        };
        rows.extend((0..batch.num_rows()).map(of_row));
    }
    Ok((fields.iter().map(|field| field.name().clone()).collect(), rows))
}

pub(crate) fn count(session: &Session, predicate: Option<Predicate>) -> Result<Json> {
    if let (None, Some(rows)) = (&predicate, session.row_count) {
        return Ok(json!({ "rows": rows }));
    }
    let range = RowRange { columns: Some(Vec::new()), predicate, ..RowRange::default() };
    let mut rows = 0u64;
    for batch in (session.reader)(&range)? {
        rows += batch?.num_rows() as u64;
    }
    Ok(json!({ "rows": rows }))
}
