//! The answer to `diff`: in what a range of rows differs from the same rows of the other file.

use serde_json::{Value as Json, json};
use trevni::{Error, Result};
use trevni_convert::Comparison;

use crate::cell::shortened;
use crate::session::{RowRange, Session};

/// Different rows of an answer.
const MOST: usize = 100;

pub(crate) fn diff(session: &Session, start: u64, count: Option<u64>) -> Result<Json> {
    let other = session.other.as_ref();
    let other = other.ok_or_else(|| Error::invalid("there is no other file to compare with"))?;
    let names = session.schema.fields().iter().map(|field| field.name());
    let columns = names.filter(|name| other.schema.field_with_name(name).is_ok());
    let columns: Vec<String> = columns.cloned().collect();
    let range = RowRange { columns: Some(columns), start, count, predicate: None };
    let found = Comparison::new((session.reader)(&range)?, (other.reader)(&range)?, MOST)?;
    let differing = found.rows.chunk_by(|a, b| a.row == b.row).count();
    let rows = found.rows.iter().map(|difference| {
        let [a, b] = difference.values.each_ref().map(|value| shortened(value));
        json!({ "row": start + difference.row, "column": difference.column, "a": a, "b": b })
    });
    Ok(json!({
        "types": found.schema,
        "rows": rows.collect::<Vec<_>>(),
        "cut": differing >= MOST,
        "counts": found.counts,
    }))
}
