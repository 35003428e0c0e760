//! Files that claim more than they hold, or that are of no legal text: each is one line of error.

use super::{code, run, said};

#[test]
fn files_are_refused_with_these_words() {
    let repeated = "too large: avro.schema: types that references repeat of";
    let symbols = "too large: avro.schema: bytes of symbols that references repeat of";
    for (name, expected) in [
        ("enum_repeated.trv", symbols),
        ("enum_repeated.avro", symbols),
        ("records_that_double.trv", repeated),
        ("records_that_double.avro", repeated),
        ("footer_length.arrow", "malformed: the file does not end with an Arrow footer"),
        (
            "utf8_across_fields.csv",
            "malformed: line 3: byte 0xc3 is not UTF-8; --encoding names the encoding",
        ),
        (
            "utf8_behind_inference.csv",
            "malformed: line 1002: byte 0xc3 is not UTF-8; --encoding names the encoding",
        ),
    ] {
        let path = format!("testdata/bad/{name}");
        let output = run(&["cat", &path]);
        assert_eq!(code(&output), 1, "{name}");
        let text = said(&output);
        assert!(text.starts_with(&format!("error: {path}: {expected}")), "{name}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
