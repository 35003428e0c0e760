//! Avro files put together by hand, so that they can be wrong.

use trevni::wire;

/// The sync marker after every block.
pub(super) const SYNC: &[u8; 16] = b"sixteen markers!";

/// A part of a row, or of a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'a> {
    /// An int, a long, a count, the number of a branch or a symbol.
    N(i64),
    F(f32),
    D(f64),
    /// Text after its length.
    S(&'a str),
    /// Raw bytes.
    B(&'a [u8]),
}

pub(super) use Part::{B, D, F, N, S};

pub(super) fn bytes(parts: &[Part]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        match part {
            N(n) => wire::put_long(&mut out, *n),
            F(x) => out.extend_from_slice(&x.to_le_bytes()),
            D(x) => out.extend_from_slice(&x.to_le_bytes()),
            S(text) => wire::put_string(&mut out, text),
            B(bytes) => out.extend_from_slice(bytes),
        }
    }
    out
}

/// Returns a header with these pairs.
pub(super) fn header(pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut parts = vec![B(b"Obj\x01")];
    if !pairs.is_empty() {
        parts.push(N(pairs.len() as i64));
    }
    parts.extend(pairs.iter().flat_map(|(key, value)| [S(key), S(value)]));
    parts.extend([N(0), B(SYNC)]);
    bytes(&parts)
}

/// Returns a block that claims this many rows.
pub(super) fn block(rows: i64, stored: &[u8]) -> Vec<u8> {
    bytes(&[N(rows), N(stored.len() as i64), B(stored), B(SYNC)])
}

/// Returns a file without a codec, of blocks that claim these numbers of rows.
pub(super) fn file_of(schema: &str, blocks: &[(i64, &[u8])]) -> Vec<u8> {
    let mut file = header(&[("avro.schema", schema)]);
    blocks.iter().for_each(|(rows, stored)| file.extend(block(*rows, stored)));
    file
}

/// Returns a record of these fields, which are JSON.
pub(super) fn record(fields: &[&str]) -> String {
    format!(r#"{{"type":"record","name":"R","fields":[{}]}}"#, fields.join(","))
}

/// Returns a field of a type, which is JSON.
pub(super) fn field(name: &str, data_type: &str) -> String {
    format!(r#"{{"name":"{name}","type":{data_type}}}"#)
}
