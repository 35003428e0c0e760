//! Metalayers: named bytes in the header (of fixed size) and the trailer (of any size).
//!
//! ```text
//! 93                                 array of 3
//!   cd mapsize                       bytes of the map; in headers the 93 is counted too
//!   de n   n x { name  d2 offset }   a string of up to 31 bytes, and the offset of the value's c6
//!   dc n   n x { c6 length  bytes }
//! ```
//! Offsets count from the first byte of the header, or of the trailer.

use bytes::Bytes;

use crate::msgpack::{expect, marked, put_marked};
use trevni::wire::Cursor;
use trevni::{Error, Result};

/// The most metalayers that C-Blosc2 writes, in a header or in a trailer.
pub(super) const MOST: usize = 16;

/// Named bytes of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metalayer {
    /// Its name: at most 31 bytes.
    pub name: String,
    /// Its value. In a trailer a chunk, which holds the value compressed.
    pub content: Bytes,
}

/// The section of a frame that holds metalayers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MetalayerSection {
    /// The header.
    Header,
    /// The trailer.
    Trailer,
}

impl MetalayerSection {
    /// Returns where the array begins.
    fn start(self) -> usize {
        match self {
            MetalayerSection::Header => 87,
            MetalayerSection::Trailer => 2,
        }
    }

    /// Returns what the size of the map counts before the map's own marker.
    fn counted_before(self) -> usize {
        match self {
            MetalayerSection::Header => 4,
            MetalayerSection::Trailer => 3,
        }
    }
}

/// Parses the metalayers of a complete header or trailer. Values are found by their offsets, not by their order.
pub(super) fn parse(whole: &Bytes, part: MetalayerSection) -> Result<Vec<Metalayer>> {
    let mut cursor = Cursor::new(whole);
    cursor.take(part.start(), "metalayers")?;
    expect(&mut cursor, 0x93, "array of metalayers")?;
    marked::<2>(&mut cursor, 0xcd, "size of the map of metalayers")?;
    let count = u16::from_be_bytes(marked(&mut cursor, 0xde, "map of metalayers")?);
    (0..count).map(|_| parse_one(&mut cursor, whole)).collect()
}

fn parse_one(cursor: &mut Cursor<'_>, whole: &Bytes) -> Result<Metalayer> {
    let start = cursor.position();
    let [marker] = cursor.array("name of a metalayer")?;
    if marker & 0xe0 != 0xa0 {
        let text = format!("byte {marker:02x} where the name of a metalayer begins");
        return Err(Error::malformed(text).at(start));
    }
    let name = cursor.take(usize::from(marker & 0x1f), "name of a metalayer")?;
    let name = std::str::from_utf8(name)
        .map_err(|_| Error::malformed("name of a metalayer is not UTF-8").at(start))?;
    let offset = i32::from_be_bytes(marked(cursor, 0xd2, "offset of a metalayer")?);
    let content = value_at(whole, offset)
        .ok_or_else(|| Error::malformed(format!("metalayer {name:?} has no value at {offset}")))?;
    Ok(Metalayer { name: name.to_owned(), content })
}

fn value_at(whole: &Bytes, offset: i32) -> Option<Bytes> {
    let mut cursor = Cursor::new(whole.get(usize::try_from(offset).ok()?..)?);
    let len = u32::from_be_bytes(marked(&mut cursor, 0xc6, "metalayer").ok()?);
    let value = cursor.take(usize::try_from(len).ok()?, "metalayer").ok()?;
    Some(whole.slice_ref(value))
}

/// Appends the metalayers to a header or trailer that has come so far.
pub(super) fn put(out: &mut Vec<u8>, layers: &[Metalayer], part: MetalayerSection) -> Result<()> {
    let names = |name: &str| u8::try_from(name.len()).ok().filter(|len| *len < 32);
    let count = count_of(layers)?;
    let map: usize = 3 + layers.iter().map(|layer| 1 + layer.name.len() + 5).sum::<usize>();
    let size = u16::try_from(part.counted_before() + map)
        .map_err(|_| Error::invalid("names of metalayers of more than 64 KiB"))?;
    out.push(0x93);
    put_marked(out, 0xcd, &size.to_be_bytes());
    put_marked(out, 0xde, &count.to_be_bytes());
    let mut offset = part.start() + 4 + map + 3;
    for layer in layers {
        let len = names(&layer.name).ok_or_else(|| {
            Error::invalid(format!("name {:?} is longer than 31 bytes", layer.name))
        })?;
        put_marked(out, 0xa0 | len, layer.name.as_bytes());
        put_marked(out, 0xd2, &int(offset)?.to_be_bytes());
        offset += 5 + layer.content.len();
    }
    put_marked(out, 0xdc, &count.to_be_bytes());
    for layer in layers {
        put_marked(out, 0xc6, &int(layer.content.len())?.to_be_bytes());
        out.extend_from_slice(&layer.content);
    }
    int(offset).map(|_| ())
}

fn count_of(layers: &[Metalayer]) -> Result<u16> {
    u16::try_from(layers.len()).ok().filter(|_| layers.len() <= MOST).ok_or_else(|| {
        Error::invalid(format!("{} metalayers, but a frame has at most {MOST}", layers.len()))
    })
}

fn int(value: usize) -> Result<i32> {
    i32::try_from(value).map_err(|_| Error::invalid("metalayers of more than 2 GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(name: &str, content: &'static [u8]) -> Metalayer {
        Metalayer { name: name.into(), content: Bytes::from_static(content) }
    }

    #[test]
    fn comes_back_from_header_and_trailer() {
        let layers = [layer("a", b"one"), layer(&"n".repeat(31), b""), layer("é", &[0xff; 9])];
        for part in [MetalayerSection::Header, MetalayerSection::Trailer] {
            for layers in [&layers[..], &[]] {
                let mut out = vec![0; part.start()];
                put(&mut out, layers, part).unwrap();
                assert_eq!(parse(&out.into(), part).unwrap(), layers);
            }
        }
    }

    #[test]
    fn refuses_what_no_frame_can_hold() {
        let mut out = Vec::new();
        let e =
            put(&mut out, &[layer(&"n".repeat(32), b"")], MetalayerSection::Trailer).unwrap_err();
        assert!(e.to_string().contains("longer than 31 bytes"), "{e}");
        let e = put(&mut out, &vec![layer("a", b""); 17], MetalayerSection::Trailer).unwrap_err();
        assert!(e.to_string().contains("at most 16"), "{e}");
    }

    #[test]
    fn refuses_values_outside() {
        let mut out = vec![0; 2];
        put(&mut out, &[layer("a", b"value")], MetalayerSection::Trailer).unwrap();
        for (at, byte) in [(12, 0x7f), (12, 0), (13, 0x80), (20, 0xff), (24, 0xff), (9, 0x00)] {
            let mut bad = out.clone();
            bad[at] = byte;
            let _ = parse(&bad.clone().into(), MetalayerSection::Trailer);
            bad.truncate(at);
            assert!(parse(&bad.into(), MetalayerSection::Trailer).is_err());
        }
        let mut bad = out.clone();
        bad[15] = 0xff;
        let e = parse(&bad.into(), MetalayerSection::Trailer).unwrap_err();
        assert!(e.to_string().contains("metalayer \"a\" has no value"), "{e}");
    }
}
