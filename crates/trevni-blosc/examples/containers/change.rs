//! Changes of a container, and what its rows are then.

use super::Result;
use trevni_blosc::{Attributes, ChunkedArray, ChunkedTable};

/// One change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// Appends this many rows.
    Append(usize),
    /// Overwrites up to this many rows from the middle on.
    Write(usize),
    /// Drops half of the rows, and this many more.
    Truncate(usize),
    /// Appends this many rows of the fill value.
    Grow(usize),
    /// Other attributes.
    Attributes,
    /// Chunks of a frame, which [`chunks`](super::chunks) changes; first, if at all.
    Chunks,
}

/// The sequences of changes that most containers support.
pub(crate) const ALL: [&[Change]; 6] = [
    &[Change::Append(170)],
    &[Change::Write(130)],
    &[Change::Truncate(3)],
    &[Change::Grow(333)],
    &[Change::Attributes],
    &[
        Change::Write(40),
        Change::Append(77),
        Change::Truncate(0),
        Change::Grow(201),
        Change::Append(1),
        Change::Attributes,
        Change::Write(90),
    ],
];

/// What can be done to frames.
pub(crate) const CHUNKS: [&[Change]; 8] = [
    ALL[0],
    ALL[1],
    &[Change::Chunks],
    ALL[2],
    ALL[3],
    ALL[4],
    ALL[5],
    &[Change::Chunks, Change::Append(170), Change::Write(130), Change::Truncate(5)],
];

/// What can be done to files that only grow.
pub(crate) const APPENDS: [&[Change]; 3] = [
    &[Change::Append(170)],
    &[Change::Attributes],
    &[Change::Append(77), Change::Attributes, Change::Append(1)],
];

impl Change {
    /// Returns what a container is called that was changed so.
    pub(crate) fn names(changes: &[Change]) -> &'static str {
        match changes {
            [] => "",
            [Change::Append(_)] => "-append",
            [Change::Write(_)] => "-write",
            [Change::Truncate(_)] => "-truncate",
            [Change::Grow(_)] => "-grow",
            [Change::Attributes] => "-attributes",
            [Change::Chunks] => "-chunks",
            [Change::Chunks, ..] => "-chunks-all",
            _ => "-all",
        }
    }
}

/// Returns the attributes before or after a change.
pub(crate) fn attributes(changed: bool) -> Attributes {
    let text = match changed {
        false => r#"{"unit": "°C", "scale": 0.25, "nested": {"list": [1, null, true]}}"#,
        true => r#"{"unit": "K", "count": 12, "new": [2.5, "x"]}"#,
    };
    serde_json::from_str(text).unwrap_or_default()
}

/// The rows of a column.
pub(crate) struct Model {
    pub(crate) bytes: Vec<u8>,
    pub(crate) row: usize,
    /// The bytes of the element that growing fills with.
    pub(crate) fill: Vec<u8>,
}

impl Model {
    fn len(&self) -> usize {
        self.bytes.len() / self.row
    }

    /// Returns where a change begins and how many rows it has, as many as there can be.
    fn place(&self, change: Change) -> (usize, usize) {
        let len = self.len();
        match change {
            Change::Append(n) | Change::Grow(n) => (len, n),
            Change::Write(n) => (len / 2, n.min(len - len / 2)),
            Change::Truncate(n) => ((len / 2).saturating_sub(n), 0),
            Change::Attributes | Change::Chunks => (0, 0),
        }
    }

    fn put(&mut self, at: usize, rows: &[u8]) {
        let start = at * self.row;
        let end = self.bytes.len().min(start + rows.len());
        self.bytes.splice(start..end, rows.iter().copied());
    }
}

/// Returns the rows of a column: column index, number of rows.
pub(crate) type More<'a> = dyn FnMut(usize, usize) -> Vec<u8> + 'a;

/// Changes an array, and what it should be then.
pub(crate) fn array(
    array: &mut ChunkedArray,
    model: &mut Model,
    changes: &[Change],
    more: &mut More,
) -> Result<()> {
    for change in changes {
        let (at, count) = model.place(*change);
        let rows = match change {
            Change::Append(_) | Change::Write(_) => more(0, count),
            Change::Grow(_) => filled(model, count),
            _ => Vec::new(),
        };
        match change {
            Change::Append(_) => array.append(&rows)?,
            Change::Write(_) => array.write(at as u64, &rows)?,
            Change::Truncate(_) => array.truncate(at as u64)?,
            Change::Grow(_) => array.grow((at + count) as u64)?,
            Change::Attributes => array.set_attributes(attributes(true))?,
            Change::Chunks => return Err("chunks are changed first".into()),
        }
        if matches!(change, Change::Truncate(_)) {
            model.bytes.truncate(at * model.row);
        }
        model.put(at, &rows);
    }
    Ok(())
}

/// Changes a table, and what its columns should be then.
pub(crate) fn table(
    table: &mut ChunkedTable,
    models: &mut [Model],
    changes: &[Change],
    more: &mut More,
) -> Result<()> {
    for change in changes {
        let (at, count) = models.first().map_or((0, 0), |model| model.place(*change));
        let rows = models.iter().enumerate().map(|(column, model)| match change {
            Change::Append(_) | Change::Write(_) => more(column, count),
            Change::Grow(_) => filled(model, count),
            _ => Vec::new(),
        });
        let rows: Vec<Vec<u8>> = rows.collect();
        let parts: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
        match change {
            Change::Append(_) => table.append(&parts)?,
            Change::Write(_) => table.write(at as u64, &parts)?,
            Change::Truncate(_) => table.truncate(at as u64)?,
            Change::Grow(_) => table.grow((at + count) as u64)?,
            Change::Attributes => table.set_attributes(attributes(true))?,
            Change::Chunks => return Err("a table has chunks of many columns".into()),
        }
        for (model, rows) in models.iter_mut().zip(&rows) {
            if matches!(change, Change::Truncate(_)) {
                model.bytes.truncate(at * model.row);
            }
            model.put(at, rows);
        }
    }
    Ok(())
}

fn filled(model: &Model, count: usize) -> Vec<u8> {
    model.fill.iter().copied().cycle().take(count * model.row).collect()
}

/// Truncates the fractions of floats to this many bits.
pub(crate) fn cut_fractions(bytes: &mut [u8], size: usize, kept: u32) {
    let cut = if size == 4 { 23 - kept } else { 52 - kept };
    for element in bytes.chunks_exact_mut(size) {
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(element);
        let number = u64::from_le_bytes(wide) >> cut << cut;
        element.copy_from_slice(&number.to_le_bytes()[..size]);
    }
}
