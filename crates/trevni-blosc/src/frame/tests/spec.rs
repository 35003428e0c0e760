//! The examples of the specification.

use bytes::Bytes;
use serde_json::json;

use super::super::{B2nd, FrameHeader, Keys, SparseFrame};
use super::{ContiguousFrame, bytes_of};
use crate::array::Container;
use trevni::{Error, Result};

const SPEC: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/blosc2-frame.md"));

/// Returns the bytes of an example.
fn example(name: &str) -> Bytes {
    let fence = format!("```hex {name}\n");
    let (_, behind) = SPEC.split_once(&fence).unwrap();
    let (hex, _) = behind.split_once("```").unwrap();
    hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

#[test]
fn metalayers_of_an_empty_frame() {
    let bytes = example("empty_with_metalayers");
    let header = FrameHeader::parse(&bytes).unwrap();
    assert_eq!(header.frame_len, bytes.len() as u64);
    let mut out = Vec::new();
    header.put(&mut out).unwrap();
    assert_eq!(out, bytes[..0x71]);
    let frame = ContiguousFrame::from_source(bytes).unwrap();
    assert_eq!(frame.metalayers()[0].name, "only");
    assert_eq!(frame.metalayers()[0].content, &b"\x01"[..]);
    assert_eq!(json!(frame.layout().attributes), json!({"v": "x"}));
}

#[test]
fn special_values() {
    let frame = ContiguousFrame::from_source(example("special_values")).unwrap();
    assert_eq!(frame.layout().chunks, 3);
    let nan = f64::NAN.to_le_bytes().repeat(10400 / 8);
    assert_eq!(bytes_of(&frame).unwrap(), nan);
}

#[test]
fn a_grid() {
    let bytes = example("b2nd");
    let grid = B2nd::parse(&bytes).unwrap();
    assert_eq!(grid.shape, [50, 30]);
    assert_eq!(grid.chunk_elements().unwrap(), 3 * 4 * 40);
    let mut out = Vec::new();
    grid.put(&mut out).unwrap();
    assert_eq!(out, bytes);
}

#[derive(Debug)]
struct Examples;

impl Keys for Examples {
    fn get(&self, key: &str) -> Result<Bytes> {
        match key {
            "chunks.b2frame" => Ok(example("sparse_index")),
            "00000000.chunk" => Ok(example("sparse_chunk")),
            key => Err(Error::invalid(key)),
        }
    }
}

#[test]
fn a_sparse_frame() {
    let frame = SparseFrame::from_keys(Examples).unwrap();
    assert_eq!(bytes_of(&frame).unwrap(), [7]);
}
