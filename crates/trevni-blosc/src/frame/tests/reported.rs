//! Frames of others that were once changed wrongly.

use crate::chunk::Header;
use crate::frame::ContiguousFrame;
use crate::{ChunkedArray, Container};

/// An empty array that was made without the shape of a chunk: readers find its blocks by their shape.
#[test]
fn blocks_of_an_array_that_was_empty_are_of_their_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.b2nd");
    let from = trevni_testing::data::selected("reported/blosc/empty_by_blosc2.b2nd");
    std::fs::copy(from, &path).unwrap();
    let mut array = ChunkedArray::new(ContiguousFrame::open(&path).unwrap());
    let bytes: Vec<u8> = (0..300_i32).flat_map(i32::to_le_bytes).collect();
    array.append(&bytes).unwrap();
    let frame = ContiguousFrame::open(&path).unwrap();
    let chunk = Header::parse(&frame.chunk(0).unwrap()).unwrap();
    assert_eq!(chunk.block_size, frame.header().block_size);
    let layer = frame.metalayers().iter().find(|layer| layer.name == "b2nd").unwrap();
    let grid = crate::frame::B2nd::parse(&layer.content).unwrap();
    assert_eq!(u64::from(chunk.block_size), 4 * grid.block_elements().unwrap());
}
