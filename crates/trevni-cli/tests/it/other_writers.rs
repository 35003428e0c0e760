//! Files of other writers that the libraries do not read as they are.

use super::{code, out, run, said, str};

#[test]
fn keys_of_empty_dictionaries_within_nulls_are_null() {
    let file = |name: &str| format!("testdata/arrow/empty_dictionary_in_{name}");
    for (name, expected) in [
        ("null_struct.arrow", "{\"x\":{\"d\":null}}\n{\"x\":null}\n"),
        ("null_struct.arrows", "{\"x\":{\"d\":null}}\n{\"x\":null}\n"),
        ("null_structs.arrow", "{\"x\":null}\n{\"x\":null}\n"),
    ] {
        assert_eq!(out(&["cat", &file(name)]), expected, "{name}");
        let folder = tempfile::tempdir().unwrap();
        for to in ["x.trv", "x.arrow", "x.parquet"] {
            let to = folder.path().join(to);
            out(&["convert", &file(name), str(&to)]);
            assert_eq!(out(&["cat", str(&to)]), expected, "{name}");
        }
    }
}

/// The number of rows in a Parquet footer is of no use where it is not that of the row groups.
#[test]
fn rows_of_parquet_are_those_of_its_row_groups() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("x.csv"), "n\n1\n2\n3\n4\n5\n6\n").unwrap();
    out(&["convert", str(&at("x.csv")), str(&at("x.parquet"))]);
    let whole = std::fs::read(at("x.parquet")).unwrap();
    // Field 3, a 64-bit integer: 6. Field 4, a list: the row groups.
    let rows = whole.windows(3).rposition(|bytes| bytes == [0x16, 12, 0x19]).unwrap();
    for (said_rows, zigzag) in [(0, 0), (5, 10), (50, 100)] {
        let mut changed = whole.clone();
        changed[rows + 1] = zigzag;
        std::fs::write(at("y.parquet"), changed).unwrap();
        let warning =
            format!("warning: the footer says {said_rows} rows, but its row groups have 6\n");
        for (args, expected) in [
            (&["count"][..], "6\n".to_owned()),
            (&["cat", "-f", "csv"], out(&["cat", "-f", "csv", str(&at("x.csv"))])),
            (&["tail", "-n1"], "{\"n\":6}\n".to_owned()),
        ] {
            let output = run(&[args, &[str(&at("y.parquet"))]].concat());
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{args:?}");
            assert_eq!((code(&output), said(&output)), (0, warning.clone()), "{args:?}");
        }
        let output = run(&["convert", "--force", str(&at("y.parquet")), str(&at("y.trv"))]);
        assert!(said(&output).contains(&warning), "{}", said(&output));
        assert_eq!(out(&["count", str(&at("y.trv"))]), "6\n");
    }
    // A row group with more rows than its columns have.
    let group = whole.windows(4).rposition(|bytes| bytes[0] == 0x16 && bytes[1] == 12);
    let group = group.filter(|group| *group > rows).unwrap();
    let mut changed = whole.clone();
    changed[group + 1] = 100;
    std::fs::write(at("z.parquet"), changed).unwrap();
    let output = run(&["cat", str(&at("z.parquet"))]);
    assert_eq!(code(&output), 1);
    assert!(
        said(&output).contains("the row groups have 50 rows, but 6 were read"),
        "{}",
        said(&output)
    );
}
