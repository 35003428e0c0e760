//! Every kind of packed values, written by our writer and found again by both readers.

use trevni::codec::Codec;

use super::*;

/// What a sort of packed values must have been met with.
const KINDS: [(&str, &str); 10] = [
    ("forms", "[0,1]"),
    ("counts", "[0,1,2]"),
    ("numbers", "[0,1,2,3,4,5,6,7,11]"),
    ("bits", "[0,1,2,3,4,5]"),
    ("floats of 4", "[0,1,2,3,4]"),
    ("floats of 8", "[0,1,2,3,4]"),
    ("strings", "[0,1,2,3,4,5]"),
    ("parts of integers", "[1,2]"),
    ("widths of digits", "[0,3,11]"),
    (
        "exceptions",
        r#"["decimals of 4","decimals of 8","deltas","numbers","split of 4","split of 8"]"#,
    ),
];

/// The encodings that only blocks for zstd have.
const KINDS_FOR_ZSTD: [(&str, &str); 2] =
    [("forms", "[0,1,2]"), ("numbers", "[0,1,2,3,4,5,6,7,8,9,10,11]")];

fn check(columns: &[sample_columns::Column], rows: usize, block_rows: usize) -> Option<Kinds> {
    check_of(columns, rows, block_rows, Codec::Pack)
}

fn check_of(
    columns: &[sample_columns::Column],
    rows: usize,
    block_rows: usize,
    codec: Codec,
) -> Option<Kinds> {
    let file = sample_columns::written(columns, rows, block_rows, codec);
    let expected: Vec<Json> = columns.iter().map(|(column, data)| line(column, data)).collect();
    assert_same(&read(&file), &expected, "our reader");
    let (found, kinds) = decoded_bytes(&file)?;
    assert_same(&found, &expected, "decode.py");
    Some(kinds)
}

#[test]
fn a_second_decoder_reads_every_kind() {
    // Two complete chunks and a rest.
    let Some(kinds) = check(&sample_columns::kinds(2300), 2300, 16_384) else { return };
    for (sort, expected) in KINDS {
        let met = kinds.get(sort).unwrap_or_else(|| panic!("no {sort}"));
        assert_eq!(serde_json::to_string(met).unwrap(), expected, "{sort}");
    }
    println!("{kinds:?}");
}

#[test]
fn a_second_decoder_reads_what_zstd_went_over() {
    if !Codec::PackZstd.is_available() {
        return println!("skipped: this build has no zstd");
    }
    let Some(kinds) = check_of(&sample_columns::kinds(2300), 2300, 16_384, Codec::PackZstd) else {
        return;
    };
    for (sort, expected) in KINDS_FOR_ZSTD {
        assert_eq!(serde_json::to_string(&kinds[sort]).unwrap(), expected, "{sort}");
    }
}

#[test]
fn a_second_decoder_reads_every_width() {
    let columns = sample_columns::widths(1100, 1..=64);
    let Some(kinds) = check(&columns, 1100, 16_384) else { return };
    for place in ["widths", "rest widths"] {
        let met = &kinds[place];
        let missing: Vec<u32> = (1..=64).filter(|w| !met.contains(&json!(w))).collect();
        assert!(missing.is_empty(), "{place} without {missing:?}");
    }
}

#[test]
fn a_second_decoder_reads_any_number_of_rows_and_blocks() {
    for (rows, block_rows) in
        [(0, 10), (1, 10), (63, 16_384), (65, 16_384), (200, 37), (1024, 16_384), (2048, 1024)]
    {
        check(&sample_columns::kinds(rows), rows, block_rows);
    }
}
