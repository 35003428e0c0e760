//! Changes of files: allowed and refused ones, and that no data is lost.

use serde_json::json;
use tempfile::TempDir;

use super::*;

/// Returns the bytes of `int32` from 0 on.
fn numbers(count: u32) -> Vec<u8> {
    (0..count).flat_map(u32::to_le_bytes).collect()
}

fn chunks_of(data: &[u8], chunk_bytes: usize) -> Vec<Vec<u8>> {
    data.chunks(chunk_bytes).map(encoded).collect()
}

fn attributes(value: Value) -> Attributes {
    value.as_object().unwrap().clone()
}

fn int32() -> Option<(Dtype, Order)> {
    Some((Dtype::parse("<i4").unwrap(), Order::C))
}

struct Fixture {
    folder: TempDir,
    file: Bloscpack,
}

/// Returns a file of `count` `int32` values in chunks of 100.
fn fixture(count: u32, properties: BloscpackProperties) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.blp");
    let mut builder =
        BloscpackBuilder::create(&path, false, int32(), &params_of(4), properties).unwrap();
    chunks_of(&numbers(count), 400).iter().for_each(|chunk| builder.push(chunk).unwrap());
    Box::new(builder).finish(&[count.into()], &attributes(json!({"unit": "m"}))).unwrap();
    let file = Bloscpack::open_path(&path).unwrap();
    Fixture { folder, file }
}

impl Fixture {
    /// Extends the file as an array does: fills the last chunk and appends new ones.
    fn grow(&mut self, count: u32) -> Result<()> {
        let Chunking::Flat { chunk_bytes } = self.file.layout().chunking else { panic!() };
        let old = self.file.layout().shape[0] * 4;
        let first = old / chunk_bytes;
        let chunks: Vec<_> = (0..)
            .zip(chunks_of(&numbers(count), chunk_bytes as usize))
            .skip(first as usize)
            .collect();
        let count_of = (u64::from(count) * 4).div_ceil(chunk_bytes).max(1);
        let shape = vec![count.into()];
        self.file.commit(Edit { chunks, count: count_of, shape, attributes: None })
    }

    fn refused(&mut self, edit: Edit) -> String {
        let before = self.bytes();
        let e = self.file.commit(edit).unwrap_err().to_string();
        assert_eq!(self.bytes(), before);
        e
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.folder.path().join("a.blp")).unwrap()
    }

    /// Checks the open file, and the file opened again.
    fn check(&self, count: u32) {
        let again = Bloscpack::open_path(self.folder.path().join("a.blp")).unwrap();
        for file in [&self.file, &again] {
            assert_eq!(file.layout().shape, [u64::from(count)]);
            assert_eq!(content(file), numbers(count));
            assert_eq!(file.layout().attributes, attributes(json!({"unit": "m"})));
            file.verify().unwrap();
        }
        assert_eq!(std::fs::read_dir(self.folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn rows_are_appended() {
    for offsets in [true, false] {
        for checksum in [Digest::None, Digest::Adler32, Digest::Sha512] {
            let mut f =
                fixture(250, BloscpackProperties { offsets, checksum, ..Default::default() });
            for count in [251, 300, 301, 400, 1000, 1001] {
                f.grow(count).unwrap();
                f.check(count);
            }
            let header = &f.file.beginning.header;
            assert_eq!((header.nchunks, header.last_chunk), (Some(11), Some(4)));
            let spare = if offsets { 30 - 8 } else { 0 };
            assert_eq!(header.version, Version::V3 { max_app_chunks: spare });
        }
    }
}

#[test]
fn the_file_is_as_if_it_had_been_written_so() {
    let room = |chunks| BloscpackProperties {
        max_app_chunks: Room::Exactly(chunks),
        metadata: MetadataProperties { room: Room::Exactly(700), ..Default::default() },
        ..Default::default()
    };
    let mut grown = fixture(250, room(30));
    grown.grow(700).unwrap();
    assert_eq!(grown.bytes(), fixture(700, room(26)).bytes());
}

#[test]
fn a_file_of_one_chunk_or_none_grows_to_chunks_of_a_fit_size() {
    for count in [0, 1, 50] {
        let mut f = fixture(count, Default::default());
        assert_eq!(f.file.layout().chunking, Chunking::Flat { chunk_bytes: ONE_CHUNK });
        assert_eq!(f.file.beginning.header.chunk_size, Some(count * 4));
        f.grow(1000).unwrap();
        f.check(1000);
        assert_eq!(f.file.beginning.header.chunk_size, Some(4000));
        f.grow(300_000).unwrap();
        f.check(300_000);
        assert_eq!(f.file.beginning.header.chunk_size, Some(ONE_CHUNK as u32));
    }
}

#[test]
fn bytes_are_appended_to_a_file_without_metadata() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.blp");
    let (data, none) = (numbers(250), Attributes::new());
    let bytes = built(None, 4, Default::default(), &chunks_of(&data, 400), &[1000], &none).unwrap();
    std::fs::write(&path, bytes).unwrap();
    let mut file = Bloscpack::open_path(&path).unwrap();
    let chunks = vec![(2, encoded(&[&data[800..], b"abc"].concat()))];
    file.commit(Edit { chunks, count: 3, shape: vec![1003], attributes: None }).unwrap();
    assert_eq!(content(&file), [&data, &b"abc"[..]].concat());
    let new = Some(attributes(json!({"a": 1})));
    let e = file.commit(Edit { chunks: vec![], count: 3, shape: vec![1003], attributes: new });
    assert!(e.unwrap_err().to_string().contains("written without metadata"));
}

#[test]
fn attributes_change_where_there_is_room() {
    let mut f = fixture(250, Default::default());
    let edit = |attributes| Edit { chunks: vec![], count: 3, shape: vec![250], attributes };
    let before = f.bytes();
    f.file.commit(edit(None)).unwrap();
    f.file.commit(edit(Some(attributes(json!({"unit": "m"}))))).unwrap();
    assert_eq!(f.bytes(), before);
    let new = attributes(json!({"unit": "km", "more": [1, 2, 3]}));
    f.file.commit(edit(Some(new.clone()))).unwrap();
    assert_eq!(f.file.layout().attributes, new);
    assert_eq!(content(&f.file), numbers(250));
    let mut random = 1u32;
    let long = (0..2000).map(|_| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(35 + (random >> 26) as u8)
    });
    let long: String = long.collect();
    let e = f.refused(edit(Some(attributes(json!({"long": long})))));
    assert!(e.contains("its section has room for"), "{e}");
    let e = f.refused(edit(Some(attributes(json!({"dtype": 1})))));
    assert!(e.contains("cannot be \"dtype\""), "{e}");
}

#[test]
fn rows_with_attributes_in_one_change() {
    let mut f = fixture(300, Default::default());
    let new = attributes(json!({}));
    let chunks = vec![(3, encoded(&numbers(400)[1200..]))];
    let edit = Edit { chunks, count: 4, shape: vec![400], attributes: Some(new.clone()) };
    f.file.commit(edit).unwrap();
    assert_eq!(f.file.layout().attributes, new);
    assert_eq!(content(&f.file), numbers(400));
}

#[test]
fn what_is_no_append_is_refused() {
    let mut f = fixture(250, Default::default());
    let edit = |chunks: &[(u64, &[u8])], count, rows| Edit {
        chunks: chunks.iter().map(|(n, data)| (*n, encoded(data))).collect(),
        count,
        shape: vec![rows],
        attributes: None,
    };
    let full = &numbers(100)[..];
    for (edit, why) in [
        (edit(&[], 2, 200), "cannot be shrunk"),
        (edit(&[(0, full)], 3, 250), "chunk 0 of 3 cannot be overwritten"),
        (edit(&[(1, full), (2, full)], 3, 300), "chunk 1 of 3 cannot be overwritten"),
        (edit(&[(4, full)], 5, 350), "not all of those up to 5"),
        (edit(&[(2, full), (4, full)], 5, 400), "not all of those up to 5"),
        (edit(&[(2, full)], 4, 300), "not all of those up to 4"),
        (edit(&[], 3, 251), "without new chunks"),
        (edit(&[(3, full)], 4, 350), "follows one that is not full"),
        (edit(&[(2, &full[..40])], 3, 210), "chunk 2 is of 40 bytes"),
        (edit(&[(2, &numbers(101))], 3, 301), "chunk 2 is of 404 bytes"),
        (edit(&[(2, &full[..300]), (3, full)], 4, 375), "follows one that is not full"),
        (edit(&[(2, full)], 3, 301), "shape [301] of 1200 bytes"),
    ] {
        let e = f.refused(edit);
        assert!(e.contains(why), "{e}");
    }
    let mut cut = edit(&[(2, full)], 3, 300);
    cut.chunks[0].1.pop();
    assert!(f.refused(cut).contains("chunk 2"));
    let mut deeper = edit(&[(2, full)], 3, 300);
    deeper.shape.push(1);
    assert!(f.refused(deeper).contains("cannot become"));
    f.check(250);
}

#[test]
fn spare_slots_are_what_there_is() {
    let properties = BloscpackProperties { max_app_chunks: Room::Exactly(2), ..Default::default() };
    let mut f = fixture(250, properties);
    let e = f.grow(550).unwrap_err().to_string();
    assert!(e.contains("2 spare slots, and 3 chunks are new"), "{e}");
    f.grow(500).unwrap();
    let e = f.grow(501).unwrap_err().to_string();
    assert!(e.contains("0 spare slots, and 1 chunks are new"), "{e}");
    f.check(500);
}

#[test]
fn room_for_the_shape_is_what_there_is() {
    let stored = fixture(99, Default::default()).file.beginning.section.unwrap().stored;
    let room = Room::Exactly(stored.into());
    let metadata = MetadataProperties { room, ..Default::default() };
    let mut f = fixture(99, BloscpackProperties { metadata, ..Default::default() });
    assert!(f.grow(100).unwrap_err().to_string().contains("has room for"));
    f.check(99);
}

#[test]
fn arrays_that_only_seem_to_end_are_not_appended_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.blp");
    let fortran = Some((Dtype::parse("<i4").unwrap(), Order::F));
    let none = Attributes::new();
    let bytes =
        built(fortran, 4, Default::default(), &chunks_of(&numbers(250), 400), &[125, 2], &none);
    std::fs::write(&path, bytes.unwrap()).unwrap();
    let mut file = Bloscpack::open_path(&path).unwrap();
    let chunks = vec![(2, encoded(&numbers(60)))];
    let edit = Edit { chunks, count: 3, shape: vec![130, 2], attributes: None };
    assert!(file.commit(edit).unwrap_err().to_string().contains("Fortran"));

    // As bloscpack leaves it: the chunks exceed the shape.
    let mut f = fixture(250, Default::default());
    let described = f.file.described.clone().unwrap();
    let shorter = Described { shape: vec![240], ..described }.metadata(&none).unwrap();
    let section = f.file.beginning.section.as_ref().unwrap().properties();
    let mut bytes = f.bytes();
    let section = metadata::seal(&shorter, &section).unwrap();
    bytes[32..32 + section.len()].copy_from_slice(&section);
    std::fs::write(f.folder.path().join("a.blp"), bytes).unwrap();
    f.file = Bloscpack::open_path(f.folder.path().join("a.blp")).unwrap();
    assert_eq!(f.file.layout().shape, [240]);
    assert_eq!(content(&f.file), numbers(250));
    assert!(f.grow(260).unwrap_err().to_string().contains("the chunks exceed the shape"));
}

#[test]
fn a_file_without_a_path_is_only_read() {
    let mut file = Bloscpack::open(Bytes::from(fixture(250, Default::default()).bytes())).unwrap();
    let edit = Edit { chunks: vec![], count: 3, shape: vec![250], attributes: None };
    assert!(file.commit(edit).unwrap_err().to_string().contains("by its path"));
}

#[test]
fn a_builder_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.blp");
    let params = params_of(4);
    let mut builder =
        BloscpackBuilder::create(&path, false, int32(), &params, Default::default()).unwrap();
    builder.push(&encoded(&numbers(10))).unwrap();
    drop(builder);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn builders_refuse_what_no_file_can_be() {
    let refused = |chunks: &[Vec<u8>], shape: &[u64], value: Value| {
        let e = built(int32(), 4, Default::default(), chunks, shape, &attributes(value));
        e.unwrap_err().to_string()
    };
    let [short, full] = [50, 100].map(|count| encoded(&numbers(count)));
    let uneven = [full.clone(), short.clone(), full.clone()];
    assert!(refused(&uneven, &[250], json!({})).contains("a chunk of 200 bytes"));
    assert!(refused(&[short.clone(), full.clone()], &[150], json!({})).contains("of 400 bytes"));
    assert!(
        refused(std::slice::from_ref(&full), &[99], json!({})).contains("shape [99] of 400 bytes")
    );
    assert!(
        refused(std::slice::from_ref(&full), &[100], json!({"order": 1}))
            .contains("cannot be \"order\"")
    );
    assert!(refused(&[full[..50].to_vec()], &[100], json!({})).contains("claims"));
    let blosc2 = Params::new(Generation::Blosc2, 4);
    let mut second = Vec::new();
    Encoder::new(&blosc2).unwrap().encode(&numbers(100), &mut second).unwrap();
    assert!(refused(&[second], &[100], json!({})).contains("first generation"));
    assert!(BloscpackBuilder::new(Vec::new(), None, &blosc2, Default::default()).is_err());
    let huge = BloscpackProperties { max_app_chunks: Room::Times(u64::MAX), ..Default::default() };
    assert!(built(int32(), 4, huge, &[full], &[100], &Attributes::new()).is_err());
}
