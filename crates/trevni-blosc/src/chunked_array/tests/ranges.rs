//! Rows of every container, few and many, read by one thread and by several.

use std::path::Path;

use crate::bloscpack::{BloscpackBuilder, BloscpackProperties, Digest};
use crate::chunk::{Generation, Params};
use crate::frame::{Cut, NewFrame};
use crate::rootdir::{CarrayBuilder, DirectoryFormat, Storage};
use crate::{
    ArrayWriter, Attributes, Build, ChunkedArray, Chunking, Compressor, Dtype, Filter, Layout,
    Order,
};

const ROWS: u64 = 60_000;
const CHUNK_ROWS: u64 = 25_000;

fn frame(path: &Path, sparse: bool, params: &Params) -> Box<dyn Build> {
    let cut = Cut::Flat { typesize: 4, chunk_bytes: CHUNK_ROWS * 4 };
    let new = NewFrame { params: params.clone(), cut, metalayers: Vec::new() };
    if sparse { new.sparse(path, false).unwrap() } else { new.contiguous(path, false).unwrap() }
}

fn bloscpack(path: &Path, checksum: Digest, params: &Params) -> Box<dyn Build> {
    let array = Some((Dtype::parse("<i4").unwrap(), Order::C));
    let properties = BloscpackProperties { checksum, ..Default::default() };
    Box::new(BloscpackBuilder::create(path, false, array, params, properties).unwrap())
}

fn bcolz(path: &Path, params: &Params) -> Box<dyn Build> {
    let storage = Storage::new(Dtype::parse("<i4").unwrap(), &[], ROWS).unwrap();
    let storage = Storage { chunk_shape: vec![CHUNK_ROWS], params: params.clone(), ..storage };
    Box::new(CarrayBuilder::create(path, storage, DirectoryFormat::Bcolz, false).unwrap())
}

/// Returns a name, and a container of it with the parameters it was begun with.
fn homes(
    folder: &Path,
    change: impl Fn(&mut Params),
) -> Vec<(&'static str, Box<dyn Build>, Params)> {
    let params = |generation| {
        let mut params = Params { block_size: 9_000, ..Params::new(generation, 4) };
        change(&mut params);
        params
    };
    let (old, new) = (params(Generation::Blosc1), params(Generation::Blosc2));
    vec![
        ("plain", bloscpack(&folder.join("plain"), Digest::None, &old), old.clone()),
        ("proved", bloscpack(&folder.join("proved"), Digest::Adler32, &old), old.clone()),
        ("bcolz", bcolz(&folder.join("bcolz"), &old), old.clone()),
        ("contiguous", frame(&folder.join("contiguous"), false, &new), new.clone()),
        ("sparse", frame(&folder.join("sparse"), true, &new), new),
    ]
}

fn write(build: Box<dyn Build>, params: &Params, threads: usize, data: &[u8]) {
    let chunking = Chunking::Flat { chunk_bytes: CHUNK_ROWS * 4 };
    let layout = Layout::of_rows(Dtype::parse("<i4").unwrap(), &[], chunking);
    let writer = ArrayWriter::try_new(build, params, &layout).unwrap();
    let mut writer = writer.with_parallelism(threads);
    data.chunks(77_000).for_each(|rows| writer.write(rows).unwrap());
    assert_eq!(writer.finish(&Attributes::new()).unwrap(), ROWS);
}

fn open(path: &Path, threads: usize) -> ChunkedArray {
    let (_, array) = crate::open(path).unwrap().arrays.remove(0);
    array.with_parallelism(threads)
}

#[test]
fn few_rows_and_many_are_the_same_from_every_container() {
    let noise = |i: u32| i.wrapping_mul(2_654_435_761) >> 20;
    // Zeros, then what has low bytes like noise.
    let value = |i: u32| if i < 30_000 { 0 } else { i * 300 + noise(i) };
    let data: Vec<u8> = (0..60_000).flat_map(|i| value(i).to_le_bytes()).collect();
    let changes: [fn(&mut Params); 4] = [
        |_| {},
        |params| params.compressor = Compressor::Zstd,
        |params| params.filters[5] = Filter::BitShuffle,
        |params| params.level = 0,
    ];
    for change in changes {
        let folder = tempfile::tempdir().unwrap();
        for (turn, (name, build, params)) in homes(folder.path(), change).into_iter().enumerate() {
            write(build, &params, 1 + turn % 3, &data);
            for threads in [1, 2, 5] {
                let array = open(&folder.path().join(name), threads);
                for (first, rows) in [
                    (0, 1),
                    (24_999, 2),
                    (30_000, 3),
                    (49_990, 10_000),
                    (59_999, 1),
                    (2_251, 20_000),
                    (1_000, 50_000),
                    (0, 60_000),
                ] {
                    let expected = &data[first * 4..(first + rows) * 4];
                    let found = array.read(first as u64..(first + rows) as u64).unwrap();
                    assert!(found == expected, "{name} {params:?} {threads}: {rows} from {first}");
                }
            }
        }
    }
}

#[test]
fn a_chunk_of_another_size_is_found_by_few_rows_too() {
    let folder = tempfile::tempdir().unwrap();
    let data: Vec<u8> = (0..60_000_u32).flat_map(u32::to_le_bytes).collect();
    let path = folder.path().join("sparse");
    let params = Params::new(Generation::Blosc2, 4);
    write(frame(&path, true, &params), &params, 1, &data);
    let array = open(&path, 1);
    // The last chunk is shorter than the others.
    std::fs::copy(path.join("00000002.chunk"), path.join("00000000.chunk")).unwrap();
    let e = array.read(7..8).unwrap_err().to_string();
    assert!(e.contains("decompresses to 40000 bytes, not 100000"), "{e}");
    // A file that ends within its block.
    let whole = std::fs::read(path.join("00000001.chunk")).unwrap();
    std::fs::write(path.join("00000001.chunk"), &whole[..whole.len() / 8]).unwrap();
    assert!(array.read(49_000..49_001).is_err());
}
