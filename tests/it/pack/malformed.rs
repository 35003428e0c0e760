//! Packed blocks that both readers refuse: what `spec/pack.md` forbids, and false claims.

use super::*;

/// Type, whether it is an array column, the error, and the payload of a block of 3 rows.
const BLOCKS: [(&str, bool, &str, &[u8]); 57] = [
    ("int", false, "nothing", &[]),
    ("int", false, "a form of its own", &[3, 6, 0, 2]),
    ("int", false, "zstd under pack", &[2, 2, 6, 0, 2]),
    ("int", false, "too few items", &[1, 4, 0, 2]),
    ("int", false, "too many items", &[1, 8, 0, 2]),
    ("int", false, "items below 0", &[1, 5, 0, 2]),
    ("int", false, "bytes left over", &[1, 6, 0, 2, 0]),
    ("int", false, "numbers of kind 11", &[1, 6, 11, 2]),
    ("long", false, "two bytes of three", &[1, 6, 8, 0, 1, 2]),
    ("long", false, "a cut at bit 0", &[1, 6, 9, 0, 0, 2, 0, 2]),
    ("long", false, "a cut at bit 64", &[1, 6, 9, 64, 0, 2, 0, 2]),
    ("long", false, "no high parts", &[1, 6, 9, 8, 0, 2]),
    ("long", false, "no steps", &[1, 6, 10, 0, 2]),
    ("long", false, "steps five deep", &[1, 6, 10, 0, 2, 10, 0, 2, 10, 0, 2, 10, 0, 2, 0, 2]),
    ("long", false, "a width of 65", &[1, 6, 1, 0, 65, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("long", false, "too few offsets", &[1, 6, 1, 0, 9, 0, 0, 0]),
    ("long", false, "an exception outside", &[1, 6, 2, 0, 0, 0, 2, 1, 3, 0, 0, 2]),
    ("long", false, "an exception twice", &[1, 6, 2, 0, 0, 0, 4, 2, 1, 0, 1, 0, 0, 2]),
    ("long", false, "exceptions out of order", &[1, 6, 2, 0, 0, 0, 4, 2, 2, 0, 1, 0, 0, 2]),
    ("long", false, "other exceptions in all", &[1, 6, 2, 0, 0, 0, 4, 1, 1, 0, 2, 0, 0, 2]),
    ("long", false, "deltas without exceptions", &[1, 6, 3, 0, 0, 0, 0, 0]),
    ("long", false, "an exception outside of deltas", &[1, 6, 3, 0, 0, 0, 0, 0, 2, 1, 3, 0, 0, 2]),
    ("long", false, "no bits above", &[1, 6, 3, 0, 0, 0, 0, 0, 2, 1, 1, 0]),
    ("long", false, "a lag of 0", &[1, 6, 11, 0, 0, 2]),
    ("long", false, "no differences", &[1, 6, 11, 2]),
    ("long", false, "runs of two", &[1, 6, 4, 2, 0, 2, 0, 2]),
    ("long", false, "runs of four", &[1, 6, 4, 2, 0, 2, 0, 6]),
    ("long", false, "a code outside", &[1, 6, 5, 2, 0, 2, 0, 2]),
    ("long", false, "five deep", &[1, 6, 7, 2, 0, 7, 2, 0, 7, 2, 0, 7, 2, 0, 0, 2]),
    ("boolean", false, "places that descend", &[1, 6, 3, 4, 3, 0, 4, 0, 1, 1, 0]),
    ("boolean", false, "a place outside", &[1, 6, 3, 2, 0, 6]),
    ("boolean", false, "runs of two bits", &[1, 6, 5, 2, 0, 4]),
    ("double", false, "an exponent of 19", &[1, 6, 2, 19, 1, 0, 0, 2, 0]),
    ("double", false, "a factor of 0", &[1, 6, 2, 2, 0, 0, 0, 2, 0]),
    ("float", false, "17 bits to the left", &[1, 6, 3, 15, 2, 0, 0, 0, 0, 0, 0, 0]),
    ("float", false, "a left part twice", &[1, 6, 3, 16, 4, 5, 0, 5, 0, 0, 0, 0, 0, 0]),
    ("float", false, "a left part of 9 bits", &[1, 6, 3, 24, 2, 5, 0, 0, 0, 0, 0, 2, 0, 2, 0, 1]),
    ("string", false, "an end before the last", &[1, 6, 0, 0, 2, 0, 4, 6, 97, 97, 97]),
    ("string", false, "no UTF-8", &[1, 6, 0, 0, 2, 0, 6, 6, 97, 255, 97]),
    ("string", false, "a symbol of nothing", &[1, 6, 2, 0, 2, 0, 6, 1, 0, 6, 0, 0, 0]),
    ("string", false, "codes of more", &[1, 6, 2, 0, 2, 0, 6, 1, 2, 97, 97, 6, 0, 0, 0]),
    ("string", false, "an escape of nothing", &[1, 6, 2, 0, 2, 0, 8, 1, 1, 97, 8, 0, 0, 0, 255]),
    ("string", false, "a pair of itself", &[1, 2, 5, 0, 6, 0, 4, 2, 0, 195, 0, 4, 0, 1]),
    (
        "string",
        false,
        "a token of 20 bytes",
        &[1, 2, 5, 0, 2, 0, 4, 10, 97, 194, 0, 4, 24, 48, 160, 192, 128, 3, 5, 2, 4, 97, 0],
    ),
    ("string", false, "a code without a token", &[1, 2, 5, 0, 4, 0, 4, 2, 97, 196, 0, 4, 1, 1]),
    ("string", false, "tokens of more", &[1, 2, 5, 0, 2, 0, 4, 2, 97, 196, 0, 4, 0, 1]),
    ("bytes", false, "integers of three parts", &[1, 6, 3, 3, 0, 2, 0, 2, 0, 2]),
    ("string", false, "strings of kind 6", &[1, 6, 6, 1, 1, 97, 1, 0, 0, 2]),
    ("string", false, "a template without numbers", &[1, 6, 4, 0, 1, 97]),
    ("string", false, "a template of nine numbers", &[1, 6, 4, 9, 1, 97, 1, 0, 0, 2]),
    ("string", false, "17 digits", &[1, 6, 4, 1, 1, 97, 17, 0, 0, 2]),
    ("string", false, "a number of two digits in one", &[1, 6, 4, 1, 1, 97, 1, 0, 0, 20]),
    ("string", false, "a number below 0", &[1, 6, 4, 1, 1, 97, 1, 0, 0, 1]),
    ("string", false, "half of a letter", &[1, 6, 4, 1, 1, 195, 1, 1, 164, 0, 2]),
    ("int", true, "counts of kind 3", &[1, 6, 3, 1, 0, 2]),
    ("int", true, "lengths of four", &[1, 6, 0, 6, 1, 2, 1, 1, 0, 2]),
    ("null", true, "lengths of more than is there", &[1, 6, 0, 2, 0, 2]),
];

fn read_one(file: Vec<u8>) -> trevni::Result<ColumnData> {
    FileReader::try_new(Bytes::from(file)).and_then(|file| file.read_column(0))
}

#[test]
fn what_the_page_forbids() {
    for (value_type, array, what, payload) in BLOCKS {
        let file = file_of(payload, value_type, array, 3, 1000);
        let found = read_one(file.clone());
        assert!(found.is_err(), "{what}: {found:?}");
        if let Some(complaint) = complaint(&file) {
            assert!(!complaint.contains("Traceback"), "{what}: {complaint}");
        }
    }
}

/// Returns the error of `decode.py` for a file.
fn complaint(file: &[u8]) -> Option<String> {
    let mut temporary = tempfile::NamedTempFile::new().unwrap();
    temporary.write_all(file).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pack/decode.py");
    let output = Command::new("python3").arg(script).arg(temporary.path()).output().ok()?;
    assert!(!output.status.success(), "{}", hex(file));
    Some(String::from_utf8(output.stderr).unwrap())
}

/// A few bytes that claim so many lengths that a record of each thousand would fill the memory.
#[test]
fn claims_take_no_room() {
    let mut items = vec![1];
    trevni::wire::put_long(&mut items, 1 << 46);
    items.extend([0, 0]);
    let kinds: [&[u8]; 5] =
        [&[1, 0, 0], &[1, 0, 64], &[2, 0, 0], &[3, 0, 0, 0, 0], &[6, 0, 0, 2, 0, 0]];
    for kind in kinds {
        let payload = [&items[..], kind].concat();
        let file = file_of(&payload, "null", true, 3, 1000);
        assert!(read_one(file).is_err(), "{kind:?}");
    }
}

/// The last byte of a block, which its checksum covers.
#[test]
fn another_checksum() {
    use trevni::codec::Codec;
    let columns = sample_columns::widths(100, [9].into_iter());
    let mut file = sample_columns::written(&columns, 100, 100, Codec::Pack);
    let at = file.len() - 5;
    file[at] ^= 1;
    let e = read_one(file.clone()).unwrap_err();
    assert!(matches!(e.kind(), trevni::ErrorKind::Checksum { .. }), "{e}");
    complaint(&file);
}
