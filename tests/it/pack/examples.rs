//! The examples of `spec/pack.md`: each payload has the rows that follow it, for this reader and for the second
//! decoder.

use serde_json::{Value as Json, json};

use super::*;

const SPEC: &str = include_str!("../../../spec/pack.md");

/// Returns the content of each block whose fence begins with this word, and the rest of the fence.
fn fenced(word: &str) -> Vec<(&'static str, &'static str)> {
    let fence = format!("```{word}");
    let blocks = SPEC.split(&fence).skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap().split_once('\n').unwrap()).collect()
}

/// `x*3` is three times `x`.
fn repeated(token: &str) -> impl Iterator<Item = &str> {
    let (token, times) = token.split_once('*').unwrap_or((token, "1"));
    std::iter::repeat_n(token, times.parse().unwrap())
}

fn unhex(text: &str) -> Vec<u8> {
    let text = text.lines().map(|line| line.split('#').next().unwrap());
    let tokens = text.flat_map(str::split_whitespace).flat_map(repeated);
    tokens.map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// Returns a value as the page writes it.
fn value(value_type: &str, token: &str) -> Json {
    let bits = token.strip_prefix("0x");
    match value_type {
        "boolean" => json!(token.parse::<bool>().unwrap()),
        "int" | "fixed32" | "long" | "fixed64" => json!(token.parse::<i64>().unwrap()),
        "float" | "double" if bits.is_some() => json!(bits),
        "float" => json!(format!("{:08x}", token.parse::<f32>().unwrap().to_bits())),
        "double" => json!(format!("{:016x}", token.parse::<f64>().unwrap().to_bits())),
        "string" => json!(token.trim_matches('"')),
        "bytes" => json!(bits.unwrap()),
        other => panic!("{other}"),
    }
}

/// Returns the line of a column with these rows, and how many they are.
fn expected(value_type: &str, array: bool, rows: &str) -> (Json, usize) {
    let (mut lengths, mut values) = (Vec::new(), Vec::new());
    let rows = rows.replace('[', " [ ").replace(']', " ] ");
    for token in rows.split_whitespace().flat_map(repeated) {
        match token {
            "[" => lengths.push(0),
            "]" => {}
            token => {
                values.push(value(value_type, token));
                lengths.last_mut().into_iter().for_each(|length| *length += 1);
            }
        }
    }
    let mut line = json!({"name": "x", "type": value_type});
    let mut count = values.len();
    if array {
        count = lengths.len();
        line["lengths"] = json!(lengths);
    }
    line["values"] = json!(values);
    (line, count)
}

#[test]
fn payloads_hold_the_rows_below_them() {
    let (payloads, rows) = (fenced("packed "), fenced("rows"));
    assert_eq!(payloads.len(), rows.len());
    assert!(payloads.len() >= 29);
    for ((column, payload), (_, rows)) in payloads.into_iter().zip(rows) {
        let (value_type, array) = match column.split_once(' ') {
            Some((value_type, "array")) => (value_type, true),
            _ => (column, false),
        };
        let (line, count) = expected(value_type, array, rows);
        let payload = unhex(payload);
        let size = if payload[0] == 0 { payload.len() - 1 } else { 1 << 14 };
        let file = file_of(&payload, value_type, array, count, size as u32);
        assert_eq!(read(&file), std::slice::from_ref(&line), "{column}: {rows}");
        if let Some((found, _)) = decoded_bytes(&file) {
            assert_eq!(found, [line], "decode.py, {column}: {rows}");
        }
    }
}
