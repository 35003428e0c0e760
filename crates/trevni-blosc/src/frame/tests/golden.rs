//! Files that C-Blosc2 3.3 wrote, with the values that are in them.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::{Array, AsArray};
use arrow::ipc::reader::FileReader;
use bytes::Bytes;

use super::super::{B2nd, FrameHeader, Metalayer, SparseFrame, Trailer};
use super::{Frame, bytes_of, golden};
use crate::DtypeKind;
use crate::array::Chunking;
use crate::chunk::Header;

fn items() -> Vec<PathBuf> {
    let paths = std::fs::read_dir(golden()).unwrap().map(|entry| entry.unwrap().path());
    let mut items: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "b2frame" || e == "b2nd"))
        .collect();
    items.sort();
    assert!(items.len() == 126 || items.len() == 24, "{}", items.len());
    items
}

fn beside(item: &Path, extension: &str) -> PathBuf {
    let mut name = item.as_os_str().to_owned();
    name.push(extension);
    name.into()
}

/// Returns the values of an Arrow array as NumPy would lay them out: little-endian, fixed-size lists flat.
fn raw(array: &dyn Array) -> Vec<u8> {
    if let Some(list) = array.as_fixed_size_list_opt() {
        return raw(list.values());
    }
    if let Some(bits) = array.as_boolean_opt() {
        return bits.iter().map(|bit| u8::from(bit.unwrap())).collect();
    }
    let data = array.to_data();
    assert_eq!((data.offset(), data.null_count(), data.buffers().len()), (0, 0, 1));
    let width = match array.data_type() {
        arrow::datatypes::DataType::FixedSizeBinary(width) => *width as usize,
        other => other.primitive_width().unwrap(),
    };
    data.buffers()[0].as_slice()[..width * array.len()].to_vec()
}

fn expected(item: &Path) -> Option<Vec<u8>> {
    let path = beside(item, ".arrow");
    let reader = FileReader::try_new(File::open(path).ok()?, None).unwrap();
    Some(reader.flat_map(|batch| raw(batch.unwrap().column(0))).collect())
}

/// Returns the elements of an array in row-major order from its chunks, one by one, as the specification describes
/// it.
fn arranged(bytes: &[u8], shape: &[u64], chunks: &[u64], blocks: &[u64], size: usize) -> Vec<u8> {
    let padded: Vec<u64> = chunks.iter().zip(blocks).map(|(c, b)| c.div_ceil(*b) * b).collect();
    let chunk_elements: u64 = padded.iter().product();
    let block_elements: u64 = blocks.iter().product();
    let mut out = Vec::new();
    for element in 0..shape.iter().product() {
        let (mut rest, mut scale) = (element, [1; 3]);
        let (mut chunk, mut block, mut within) = (0, 0, 0);
        for d in (0..shape.len()).rev() {
            let place = rest % shape[d];
            rest /= shape[d];
            let (c, in_chunk) = (place / chunks[d], place % chunks[d]);
            chunk += c * scale[0];
            block += in_chunk / blocks[d] * scale[1];
            within += in_chunk % blocks[d] * scale[2];
            scale[0] *= shape[d].div_ceil(chunks[d]);
            scale[1] *= padded[d] / blocks[d];
            scale[2] *= blocks[d];
        }
        let at = (chunk * chunk_elements + block * block_elements + within) as usize * size;
        out.extend_from_slice(&bytes[at..at + size]);
    }
    out
}

#[test]
fn values_are_those_of_the_writer() {
    let mut compared = 0;
    for item in items() {
        let frame = Frame::open(&item).unwrap_or_else(|e| panic!("{}: {e}", item.display()));
        let layout = frame.get().layout();
        let mut bytes = frame.bytes();
        if let Chunking::Grid { chunk_shape, block_shape } = &layout.chunking {
            let size = layout.dtype.size;
            bytes = arranged(&bytes, &layout.shape, chunk_shape, block_shape, size);
        }
        let elements: u64 = layout.shape.iter().product();
        assert_eq!(elements * layout.dtype.size as u64, bytes.len() as u64);
        match expected(&item) {
            Some(expected) => assert!(bytes == expected, "{}", item.display()),
            None => assert!(item.to_str().unwrap().contains("special_uninit")),
        }
        compared += 1;
    }
    println!("{compared} frames");
}

#[test]
fn what_is_said_of_chunks_is_what_the_writer_says() {
    for item in items() {
        let frame = Frame::open(&item).unwrap();
        let json = std::fs::read(beside(&item, ".json")).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let layout = frame.get().layout();
        assert_eq!(json["nchunks"], layout.chunks);
        assert_eq!(json["nbytes"], frame.header().nbytes);
        assert_eq!(json["cbytes"], frame.header().cbytes);
        assert_eq!(json["typesize"], frame.header().typesize);
        for (number, said) in json["chunks"].as_array().unwrap().iter().enumerate() {
            let head = Header::parse(&frame.get().chunk(number as u64).unwrap()).unwrap();
            assert_eq!(said["nbytes"], head.nbytes, "{} {number}", item.display());
            assert_eq!(said["cbytes"], head.cbytes, "{} {number}", item.display());
        }
        let vlmeta = json["vlmeta"].as_object().unwrap();
        assert!(layout.attributes.keys().eq(vlmeta.keys()), "{}", item.display());
        for (name, value) in vlmeta.iter().filter(|(_, value)| !value.is_string()) {
            assert_eq!(&layout.attributes[name], value, "{} {name}", item.display());
        }
    }
}

fn bytes_of_header(item: &Path) -> Bytes {
    let file = if item.is_dir() { item.join("chunks.b2frame") } else { item.to_owned() };
    std::fs::read(file).unwrap().into()
}

#[test]
fn headers_trailers_and_grids_come_back_byte_for_byte() {
    for item in items() {
        let file = bytes_of_header(&item);
        let header = FrameHeader::parse(&file).unwrap();
        let mut out = Vec::new();
        header.put(&mut out).unwrap();
        assert_eq!(out, file[..header.header_len as usize], "{}", item.display());
        assert_eq!(header.encoded_len(), out.len());

        let len = Trailer::len_at_end(&file).unwrap();
        let trailer = file.slice(file.len() - len..);
        let mut out = Vec::new();
        Trailer::parse(&trailer).unwrap().put(&mut out).unwrap();
        assert_eq!(out, trailer, "{}", item.display());

        for Metalayer { name, content } in &header.metalayers {
            if name == "b2nd" {
                let mut out = Vec::new();
                B2nd::parse(content).unwrap().put(&mut out).unwrap();
                assert_eq!(out, &content[..], "{}", item.display());
            }
        }
    }
}

#[test]
fn headers_of_the_same_settings_are_the_same() {
    for item in items() {
        let header = FrameHeader::parse(&bytes_of_header(&item)).unwrap();
        let mut ours = FrameHeader::new(&header.params().unwrap(), header.sparse, header.typesize);
        let ours = ours.as_mut().unwrap();
        ours.set_chunk_size(header.chunk_size);
        (ours.header_len, ours.frame_len) = (header.header_len, header.frame_len);
        (ours.nbytes, ours.cbytes) = (header.nbytes, header.cbytes);
        (ours.has_vlmetalayers, ours.metalayers) =
            (header.has_vlmetalayers, header.metalayers.clone());
        // How many threads the writer had.
        ours.threads = header.threads;
        assert_eq!(*ours, header, "{}", item.display());
    }
}

#[test]
fn an_index_is_written_as_it_was_read() {
    let mut same = 0;
    for item in items() {
        let frame = Frame::open(&item).unwrap();
        let chunk = frame.index().encode().unwrap();
        if !chunk.is_empty() {
            assert_eq!(super::Index::decode(&chunk).unwrap(), *frame.index());
        }
        let file = bytes_of_header(&item);
        let header = frame.header();
        let start = u64::from(header.header_len) + if header.sparse { 0 } else { header.cbytes };
        let end = file.len() - Trailer::len_at_end(&file).unwrap();
        same += usize::from(chunk == file[start as usize..end]);
    }
    println!("{same} chunks of an index are equal byte for byte");
    let least = if items().len() == 126 { 72 } else { 8 };
    assert!(same >= least, "{same}");
}

#[test]
fn a_sparse_frame_is_known_without_io() {
    for item in items().into_iter().filter(|item| item.is_dir()) {
        let index = SparseFrame::parse(&bytes_of_header(&item)).unwrap();
        let heads = index.heads().unwrap();
        assert_eq!(heads.is_empty(), !item.ends_with("edit_insert_s.b2frame"));
        let head = |key: &String| Bytes::from(std::fs::read(item.join(key)).unwrap()).slice(..32);
        let sparse = index.with_heads(&heads.iter().map(head).collect::<Vec<_>>()).unwrap();
        let frame = Frame::open(&item).unwrap();
        assert_eq!(format!("{:?}", sparse.layout()), format!("{:?}", frame.get().layout()));
        for number in 0..sparse.layout().chunks {
            let special = sparse.special(number).unwrap();
            let chunk = match sparse.chunk_key(number).unwrap() {
                Some(key) => std::fs::read(item.join(key)).unwrap(),
                None => special.unwrap().to_vec(),
            };
            sparse.check(number, &chunk).unwrap();
            assert_eq!(frame.get().chunk(number).unwrap(), chunk);
        }
        assert!(sparse.chunk_key(sparse.layout().chunks).is_err());
    }
}

#[test]
fn layouts_say_how_the_array_is_cut() {
    let folder = golden();
    let layout = |name| Frame::open(&folder.join(name)).unwrap().get().layout().clone();
    let plain = layout("exact_multiple.b2frame");
    assert_eq!((&plain.dtype.kind, plain.dtype.size), (&DtypeKind::Void, 8));
    assert_eq!(plain.chunking, Chunking::Flat { chunk_bytes: 2048 });
    let bytes = layout("typesize_i1.b2frame");
    assert_eq!((&bytes.dtype.kind, bytes.dtype.size), (&DtypeKind::UInt, 1));
    let varied = layout("edit_insert.b2frame");
    let ends = vec![2048, 4096, 6144, 8192, 10240, 12288, 14336, 15136];
    assert_eq!(varied.chunking, Chunking::Varied { ends });
    let grid = layout("nd_2d_i4_s.b2nd");
    assert_eq!((&grid.dtype.kind, &grid.shape), (&DtypeKind::Int, &vec![50, 30]));
    let Chunking::Grid { chunk_shape, block_shape } = grid.chunking else { panic!() };
    assert_eq!((chunk_shape, block_shape), (vec![20, 16], vec![8, 5]));
    let empty = layout("empty.b2frame");
    assert_eq!(empty.chunking, Chunking::Flat { chunk_bytes: 1 << 20 });
    assert_eq!((empty.shape, empty.chunks), (vec![0], 0));
}

#[test]
fn what_lies_behind_a_frame_does_not_count() {
    let folder = golden();
    let mut file = std::fs::read(folder.join("edit_mix.b2frame")).unwrap();
    let open = |file: &[u8]| {
        let frame = super::ContiguousFrame::from_source(Bytes::copy_from_slice(file)).unwrap();
        bytes_of(&frame).unwrap()
    };
    let alone = open(&file);
    file.extend_from_slice(&[0xff; 1000]);
    assert_eq!(open(&file), alone);
}
