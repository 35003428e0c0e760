//! The errors of an Avro file have row, block and byte.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use trevni_convert::ReadOptions;

use super::container::{B, N, Part, S, block, bytes, field, file_of, header, record};
use super::{read, table};

/// How many rows a block claims, and its bytes.
type Block<'a> = (i64, &'a [u8]);

const INT: &str = r#""int""#;

fn fault(bytes: &[u8]) -> String {
    read("avro", bytes, &ReadOptions::default()).unwrap_err().to_string()
}

/// Returns the error of a file with only this row, without the column and the location of the block.
fn row_fault(schema: &str, row: &[Part]) -> String {
    let file = file_of(schema, &[(1, &bytes(row))]);
    let offset = file_of(schema, &[]).len();
    let said = fault(&file);
    let place = format!("block 0, offset {offset}: malformed: row 0: ");
    let found = said.find(&place).filter(|at| *at == 0 || said.starts_with("column "));
    found.and_then(|at| said.get(at + place.len()..)).unwrap_or_else(|| panic!("{said}")).to_owned()
}

#[test]
fn what_is_no_avro_file() {
    let start = "offset 0: malformed: no Avro file: it does not start with Obj and 1";
    assert_eq!(fault(b"PAR1 and so on"), start);
    assert_eq!(fault(b"Obj\x02"), start);
    let short = "offset 0: malformed: input ends 1 bytes short of magic";
    assert_eq!([fault(b""), fault(b"Obj")], [short, short]);
}

#[test]
fn what_is_wrong_with_a_header() {
    let schema = ("avro.schema", INT);
    assert_eq!(fault(&header(&[])), "malformed: no avro.schema in the header");
    let all = "there are null, deflate, snappy, bzip2, xz, zstandard";
    let codec = fault(&header(&[schema, ("avro.codec", "lzo")]));
    assert_eq!(codec, format!("unsupported: Avro codec \"lzo\": {all}"));

    let with = |parts: &[Part]| fault(&[b"Obj\x01".as_slice(), &bytes(parts)].concat());
    let cases: [(&[Part], &str); 8] = [
        (&[], "offset 4: malformed: input ends 1 bytes short of count of metadata"),
        (&[N(1), N(-1)], "offset 5: malformed: size of metadata -1 is negative"),
        (&[N(1), N(9), B(b"avro")], "offset 10: malformed: input ends 5 bytes short of metadata"),
        (&[N(1), N(1), B(b"\xff"), N(0)], "offset 8: malformed: a key is not UTF-8"),
        (
            &[N(1), N(1 << 40)],
            "offset 11: too large: metadata of 1099511627783 exceeds the limit of 67108864",
        ),
        (&[N(0), B(b"short")], "offset 5: malformed: input ends 1 bytes short of sync marker"),
        (&[B(&[0xff; 12])], "offset 4: malformed: count of metadata is longer than ten bytes"),
        (&[N(-1), N(-3)], "offset 5: malformed: size of metadata -3 is negative"),
    ];
    for (parts, expected) in cases {
        assert_eq!(with(parts), expected);
    }
    // Pairs of no bytes count, too.
    let endless = [b"Obj\x01".to_vec(), bytes(&[N(i64::MAX)]), vec![0; (64 << 20) + 1]].concat();
    let most = "offset 67108869: too large: metadata of 67108865 exceeds the limit of 67108864";
    assert_eq!(fault(&endless), most);
    let whole = file_of(INT, &[]);
    for end in 0..whole.len() {
        let said = fault(&whole[..end]);
        assert!(said.contains("malformed: input ends "), "{end}: {said}");
    }
}

#[test]
fn what_is_wrong_with_a_schema() {
    let twice = record(&[&field("r", r#"{"type":"fixed","name":"R","size":1}"#)]);
    let recursive = record(&[&field("r", r#"["null","R"]"#)]);
    let cases = [
        ("no JSON", "malformed: avro.schema: expected ident at line 1 column 2"),
        ("", "malformed: avro.schema: EOF while parsing a value at line 1 column 0"),
        ("1", "malformed: avro.schema: 1 is no schema"),
        ("{}", "malformed: avro.schema: an object without type"),
        (r#""Nothing""#, "malformed: avro.schema: no type Nothing"),
        (r#"["int","int"]"#, "malformed: avro.schema: a union with two branches int"),
        (r#"["int",["null"]]"#, "malformed: avro.schema: a union directly in a union"),
        (r#"{"type":"array"}"#, "malformed: avro.schema: array without items"),
        (r#"{"type":"map"}"#, "malformed: avro.schema: map without values"),
        (r#"{"type":"enum","name":"E"}"#, "malformed: avro.schema: an enum without symbols"),
        (r#"{"type":"fixed","name":"X"}"#, "malformed: avro.schema: X without a size"),
        (r#"{"type":"record","name":"R"}"#, "malformed: avro.schema: R without fields"),
        (r#"{"type":"record","fields":[]}"#, "malformed: avro.schema: record without a name"),
        (&twice, "malformed: avro.schema: R is defined twice"),
        (&recursive, "unsupported: avro.schema: R is recursive, which columns cannot hold"),
    ];
    for (schema, expected) in cases {
        assert_eq!(fault(&file_of(schema, &[])), expected);
    }
    let deep = format!("{}\"int\"{}", r#"{"type":"array","items":"#.repeat(101), "}".repeat(101));
    assert_eq!(fault(&file_of(&deep, &[])), "malformed: avro.schema: too deep, or too large");
}

#[test]
fn what_is_wrong_with_a_block() {
    let head = file_of(INT, &[]);
    let at = head.len();
    let behind = |parts: &[Part]| fault(&[head.clone(), bytes(parts)].concat());
    let place = format!("block 0, offset {at}");
    let short =
        |n: u64, what: &str| format!("{place}: malformed: input ends {n} bytes short of {what}");
    let marker = "malformed: the marker after a block differs from that in the header";
    let cases: [(&[Part], String); 10] = [
        (&[B(&[0x80])], short(1, "rows of a block")),
        (&[N(1)], short(1, "bytes of a block")),
        (&[N(1), B(&[0x80])], short(1, "bytes of a block")),
        (&[N(1), N(5), B(b"four")], short(1, "block")),
        (&[N(1), N(1), N(7), B(b"half a marker")], short(1, "sync marker")),
        (&[N(1), N(1), N(7), B(&[7; 16])], format!("{place}: {marker}")),
        (&[N(-1), N(0)], format!("{place}: malformed: rows of a block -1 is negative")),
        (&[N(1), N(-2)], format!("{place}: malformed: bytes of a block -2 is negative")),
        (
            &[N(1), N(1 << 31)],
            format!("{place}: too large: block of 2147483648 exceeds the limit of 268435456"),
        ),
        (
            &[B(&[0xff; 12])],
            format!("{place}: malformed: rows of a block is longer than ten bytes"),
        ),
    ];
    for (parts, expected) in cases {
        assert_eq!(behind(parts), expected);
    }
    // The second block is the faulty one.
    let good = block(2, &[2, 4]);
    let said = fault(&[head.clone(), good.clone(), vec![0x80]].concat());
    let offset = at + good.len();
    assert_eq!(
        said,
        format!("block 1, offset {offset}: malformed: input ends 1 bytes short of rows of a block")
    );
}

#[test]
fn what_is_wrong_with_a_row() {
    let texts = r#"{"type":"array","items":"string"}"#;
    let nulls = r#"{"type":"array","items":"null"}"#;
    let symbols = r#"{"type":"enum","name":"E","symbols":["A","B"]}"#;
    let fixed = r#"{"type":"fixed","name":"X","size":4}"#;
    let cases: [(&str, &[Part], &str); 19] = [
        (INT, &[], "the block ends within int"),
        (INT, &[N(1 << 31)], "int 2147483648 does not fit 32 bits"),
        (INT, &[B(&[0x80; 12])], "int is longer than ten bytes"),
        (r#""long""#, &[B(&[0x80])], "the block ends within long"),
        (r#""float""#, &[B(&[1, 2, 3])], "the block ends within float"),
        (r#""double""#, &[B(&[1, 2, 3])], "the block ends within double"),
        (r#""boolean""#, &[B(&[2])], "a boolean is 2"),
        (r#""string""#, &[N(1), B(&[0xff])], "string is not UTF-8"),
        (r#""string""#, &[N(9), B(b"eight...")], "the block ends within string"),
        (r#""bytes""#, &[N(-1)], "bytes -1 is negative"),
        (fixed, &[B(b"abc")], "the block ends within fixed"),
        (symbols, &[N(2)], "an enum has no symbol 2"),
        (symbols, &[N(-1)], "an enum has no symbol -1"),
        (r#"["null","int"]"#, &[N(2)], "a union has no branch 2"),
        (r#"["null","int"]"#, &[N(-1)], "a union has no branch -1"),
        (texts, &[N(1 << 62)], "the block ends within string"),
        (texts, &[N(1), S("a")], "the block ends within count of items"),
        (texts, &[N(-1), N(-4)], "size of a block of items -4 is negative"),
        (
            nulls,
            &[N(1 << 62), N(0)],
            "too large: items without bytes of 4611686018427387904 exceeds the limit of 16777216",
        ),
    ];
    for (schema, row, expected) in cases {
        assert_eq!(row_fault(schema, row), expected, "{schema}");
    }
}

#[test]
fn what_is_wrong_with_the_count_of_rows() {
    let at = file_of(INT, &[]).len();
    let said = fault(&file_of(INT, &[(3, &[2, 4])]));
    assert_eq!(
        said,
        format!(
            "column \"int\", block 0, offset {at}: malformed: row 2: the block ends within int"
        )
    );
    let said = fault(&file_of(INT, &[(i64::MAX, &[2, 4])]));
    assert_eq!(
        said,
        format!(
            "column \"int\", block 0, offset {at}: malformed: row 2: the block ends within int"
        )
    );
    let said = fault(&file_of(INT, &[(1, &[2, 4, 6])]));
    assert_eq!(said, format!("block 0, offset {at}: malformed: row 1: 2 bytes after the last row"));
    let said = fault(&file_of(INT, &[(0, &[2])]));
    assert_eq!(said, format!("block 0, offset {at}: malformed: row 0: 1 bytes after the last row"));
    // Rows are counted over all blocks.
    let said = fault(&file_of(INT, &[(2, &[2, 4]), (2, &[6, 0x80])]));
    let at = file_of(INT, &[(2, &[2, 4])]).len();
    assert_eq!(
        said,
        format!(
            "column \"int\", block 1, offset {at}: malformed: row 3: the block ends within int"
        )
    );
}

/// Returns a file of a codec whose only block is changed.
fn with_block(codec: &str, change: impl Fn(&mut Vec<u8>)) -> String {
    let table = table("avro", &file_of(r#""string""#, &[(1, &bytes(&[S(&"rows ".repeat(50))]))]));
    let mut file = super::write("avro", &table, &super::with_codec(codec)).unwrap();
    let sync = file[file.len() - 16..].to_vec();
    let head = file.windows(16).position(|window| window == sync).unwrap() + 16;
    file.truncate(file.len() - 16);
    let mut stored = file.split_off(head);
    // One row, and the size in one or two bytes.
    let size = if stored[1] < 0x80 { 1 } else { 2 };
    stored.drain(..1 + size);
    change(&mut stored);
    let stored = bytes(&[N(1), N(stored.len() as i64), B(&stored), B(&sync)]);
    let said = fault(&[file, stored].concat());
    said.strip_prefix(&format!("block 0, offset {head}: ")).unwrap_or(&said).to_owned()
}

#[test]
fn what_is_wrong_with_a_codecs_block() {
    let cases = [
        ("deflate", "corrupt deflate stream", "incomplete deflate stream"),
        ("zstandard", "Unknown frame descriptor", "incomplete frame"),
        ("bzip2", "bzip2: bz2 header missing", "decompression not finished but EOF reached"),
        ("xz", "stream/file format not recognized", "premature eof"),
        (
            "snappy",
            "snappy: 22 bytes cannot be 10793",
            "snappy: corrupt input (expected copy read of length 2; remaining src: 1)",
        ),
    ];
    for (codec, broken, cut) in cases {
        let said = with_block(codec, |stored| stored.iter_mut().for_each(|byte| *byte ^= 0x55));
        assert_eq!(said, format!("malformed: a block's codec: {broken}"));
        let said = with_block(codec, |stored| stored.truncate(stored.len() - 1));
        assert_eq!(said, format!("malformed: a block's codec: {cut}"));
        let said = with_block(codec, Vec::clear);
        assert!(said.starts_with("malformed: "), "{codec}: {said}");
    }
    let said = with_block("snappy", |stored| *stored.last_mut().unwrap() ^= 1);
    assert_eq!(said, "checksum mismatch: stored 43faadd7, computed 43faadd6");
    let said = with_block("snappy", |stored| stored.truncate(3));
    assert_eq!(said, "malformed: a block's codec: no CRC-32 after snappy");
    let said = with_block("snappy", |stored| stored[..4].copy_from_slice(&[0xff; 4]));
    let why = "snappy: 22 bytes cannot be 1073741823";
    assert_eq!(said, format!("malformed: a block's codec: {why}"));
}

#[test]
fn a_bad_row_takes_the_rest_of_its_block_with_it() {
    let good: [Block; 3] = [(2, &[2, 4]), (3, &[6, 0x80]), (2, &[8, 10])];
    let behind: [Block; 2] = [(1, &[2, 4]), (1, &[6])];
    let cases: [(&[Block], u64, &[&str]); 2] =
        [(&good, 2, &["1", "2", "3", "4", "5"]), (&behind, 1, &["1", "3"])];
    for (blocks, bad, lines) in cases {
        let file = file_of(INT, blocks);
        let options = ReadOptions { skip_bad: bad, ..ReadOptions::default() };
        for batch_size in [1, 2, 8192] {
            let report = Arc::default();
            let options = ReadOptions { batch_size, report, ..options.clone() };
            assert_eq!(read("avro", &file, &options).unwrap().lines(), lines);
            assert_eq!(options.report.bad_rows.load(Ordering::Relaxed), bad);
        }
        let strict = ReadOptions { skip_bad: bad - 1, ..options };
        assert_eq!(read("avro", &file, &strict).unwrap_err().to_string(), fault(&file));
    }
    // Impossible counts do not bypass the limit.
    let file = file_of(INT, &[(i64::MAX, &[]), (i64::MAX, &[]), (i64::MAX, &[])]);
    let options = ReadOptions { skip_bad: u64::MAX - 1, ..ReadOptions::default() };
    assert!(read("avro", &file, &options).is_err());
    // Nor are items without bytes in one row a burden to the next.
    let nulls = record(&[&field("a", r#"{"type":"array","items":"null"}"#)]);
    let (bad, good) = (bytes(&[N(i64::MIN), N(0)]), bytes(&[N(3), N(0)]));
    let file = file_of(&nulls, &[(1, &bad), (1, &bad), (1, &good)]);
    let options = ReadOptions { skip_bad: 2, ..ReadOptions::default() };
    assert_eq!(read("avro", &file, &options).unwrap().lines().len(), 1);
}
