//! The value codec: `spec/pack.md` and its examples, and a second decoder, `tests/pack/decode.py`, which was written
//! from that page alone and must find in our files what we have written.
//!
//! ```text
//! data ──► our writer ──► file ──► our reader ──► lines   ┐
//!                          └─────► decode.py  ──► lines   ┴ all the same as those of the data
//! ```

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use bytes::Bytes;
use serde_json::{Value as Json, json};
use trevni::{ColumnData, ColumnMetadata, FileReader, Value};

mod encodings;
mod examples;
mod goldens;
#[cfg(feature = "arrow")]
mod joined_columns;
mod malformed;
mod sample_columns;

/// The kinds of each sort of packed values that were met.
type Kinds = HashMap<String, Vec<Json>>;

/// Returns a column as `decode.py` shows it.
fn line(column: &ColumnMetadata, data: &ColumnData) -> Json {
    use trevni::ValueType;
    let validity = data.validity.as_ref().map(|bits| {
        let bit = |i: usize| bits.as_bytes()[i / 8] >> (i % 8) & 1;
        (0..bits.len()).map(|i| u32::from(bit(i))).collect::<Vec<_>>()
    });
    let values = data.values.as_slice();
    let is_there = |i: &usize| validity.as_ref().is_none_or(|validity| validity[*i] == 1);
    let shown: Vec<Json> =
        (0..values.len()).filter(is_there).map(|i| shown(column, values.get(i).unwrap())).collect();
    let mut line = json!({"name": column.name(), "type": column.value_type().to_string()});
    if column.is_array() {
        line["lengths"] = json!(data.lengths.clone().or(validity).unwrap());
    }
    line["values"] = match column.value_type() {
        ValueType::Null => json!(shown.len()),
        _ => json!(shown),
    };
    line
}

fn shown(column: &ColumnMetadata, value: Value<'_>) -> Json {
    use trevni::ValueType;
    match value {
        Value::Null => Json::Null,
        Value::Boolean(v) => json!(v),
        Value::Int(v) => json!(v),
        Value::Long(v) => json!(v),
        Value::Float(v) => json!(format!("{:08x}", v.to_bits())),
        Value::Double(v) => json!(format!("{:016x}", v.to_bits())),
        Value::Bytes(v) if column.value_type() == ValueType::String => {
            json!(std::str::from_utf8(&v).unwrap())
        }
        Value::Bytes(v) => json!(hex(&v)),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns what our reader finds in a file.
fn read(bytes: &[u8]) -> Vec<Json> {
    let file = FileReader::try_new(Bytes::copy_from_slice(bytes)).unwrap();
    let columns = file.columns().iter().enumerate();
    columns.map(|(i, column)| line(column, &file.read_column(i).unwrap())).collect()
}

/// Returns the output of `decode.py` for a file: a line for each column, and the encodings in it. `None` without
/// Python, or if it lacks zstd and the file needs it.
fn decoded(path: &Path) -> Option<(Vec<Json>, Kinds)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = Command::new("python3")
        .arg(root.join("tests/pack/decode.py"))
        .arg(path)
        .arg("--kinds")
        .output();
    let Ok(output) = run else {
        eprintln!("skipped: no python3 for tests/pack/decode.py");
        return None;
    };
    let complaint = String::from_utf8(output.stderr).unwrap();
    if complaint.starts_with("no zstd") {
        eprintln!("skipped: {}: {complaint}", path.display());
        return None;
    }
    assert!(output.status.success(), "{}: {complaint}", path.display());
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<Json> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds = serde_json::from_value(lines.pop().unwrap()).unwrap();
    Some((lines, kinds))
}

/// Returns the same of a file that is only in memory.
fn decoded_bytes(bytes: &[u8]) -> Option<(Vec<Json>, Kinds)> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    decoded(file.path())
}

/// Fails and names the column in which lines differ.
fn assert_same(found: &[Json], expected: &[Json], who: &str) {
    assert_eq!(found.len(), expected.len(), "{who}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found == expected, "{who}: column {} differs", expected["name"]);
    }
}

/// Returns a file of one column whose one block has this payload, without a checksum.
fn file_of(payload: &[u8], value_type: &str, array: bool, rows: usize, size: u32) -> Vec<u8> {
    use trevni::wire::{put_fixed32, put_fixed64, put_long, put_string};
    let mut out = b"Trv\x02".to_vec();
    put_fixed64(&mut out, rows as u64);
    put_fixed32(&mut out, 1);
    put_long(&mut out, 1);
    put_string(&mut out, "trevni.codec");
    put_string(&mut out, "pack");
    put_long(&mut out, if array { 3 } else { 2 });
    let mut pairs = vec![("trevni.name", "x"), ("trevni.type", value_type)];
    pairs.extend(array.then_some(("trevni.array", "")));
    for (key, value) in pairs {
        put_string(&mut out, key);
        put_string(&mut out, value);
    }
    let start = out.len() as u64 + 8;
    put_fixed64(&mut out, start);
    put_fixed32(&mut out, 1);
    for field in [rows as u32, size, payload.len() as u32] {
        put_fixed32(&mut out, field);
    }
    out.extend(payload);
    out
}
