//! Bad rows are reported, and skipped with an option; numbers lose digits only with an option.

use std::path::PathBuf;

use super::{code, out, run, run_with, said, str};

const ADVICE: &str = " (types were inferred from the first 1000 rows: --infer-rows 0 infers from all rows, a --schema \
                      gives them)";

/// Runs `cat` on text. Returns the exit code, stdout and stderr.
fn cat(format: &str, text: &str, options: &[&str]) -> (i32, String, String) {
    let output = run_with(&[&["cat", "-", "--from", format], options].concat(), text.as_bytes());
    (code(&output), String::from_utf8(output.stdout.clone()).unwrap(), said(&output))
}

#[test]
fn csv_goes_on_behind_bad_rows() {
    let good: String = (0..2000).map(|i| format!("{i},{}.5\n", i)).collect();
    let text = format!("id,x\n{good}oops,1\n5,6,7\n\"7\n8\",9\n42,1.25\n");
    let (exit, _, text_said) = cat("csv", &text, &[]);
    assert_eq!(exit, 1);
    let what = "malformed: line 2002, column \"id\": \"oops\" is not an Int64 (its type was inferred from the first 1000 \
                rows: --type id=utf8 says what it is, --infer-rows 0 infers from all rows)";
    assert_eq!(text_said, format!("error: standard input: {what}\n"));
    let (exit, printed, text_said) = cat("csv", &text, &["--skip-bad", "3"]);
    assert_eq!((exit, text_said.as_str()), (0, "3 bad rows left out\n"));
    assert_eq!(printed.lines().count(), 2001);
    assert_eq!(printed.lines().last(), Some("{\"id\":42,\"x\":1.25}"));
    let (exit, _, text_said) = cat("csv", &text, &["--skip-bad", "2"]);
    assert!(exit == 1 && text_said.contains("line 2004, column \"id\": "), "{text_said}");
}

#[test]
fn json_goes_on_behind_bad_rows() {
    let good: String = (0..2000).map(|i| format!("{{\"id\":{i},\"x\":{i}.5}}\n")).collect();
    let text = format!("{good}{{\"id\":true}}\n{{\"id\":\n{{\"id\":42,\"x\":1.25}}\n");
    let (exit, _, text_said) = cat("jsonl", &text, &[]);
    let what = "line 2001, field \"id\": a boolean, and the type is Int64";
    assert_eq!(
        (exit, text_said),
        (1, format!("error: standard input: malformed: {what}{ADVICE}\n"))
    );
    let (exit, printed, text_said) = cat("jsonl", &text, &["--skip-bad", "5"]);
    assert_eq!((exit, text_said.as_str()), (0, "2 bad rows left out\n"));
    assert_eq!(printed.lines().last(), Some("{\"id\":42,\"x\":1.25}"));
}

#[test]
fn digits_are_lost_only_when_asked() {
    let lost = "9007199254740993 would lose digits as a floating-point number";
    for (format, text) in [
        ("csv", "x\n0.5\n9007199254740993\n7\n"),
        ("jsonl", "{\"x\":0.5}\n{\"x\":9007199254740993}\n{\"x\":7}\n"),
    ] {
        // All digits are kept in a decimal.
        let (exit, printed, _) = cat(format, text, &[]);
        assert_eq!((exit, printed.lines().nth(1)), (0, Some("{\"x\":9007199254740993.0}")));
        let given = ["--type", "x=float64"];
        let (exit, _, text_said) = cat(format, text, &given);
        let line = if format == "csv" { 3 } else { 2 };
        assert_eq!(exit, 1);
        assert!(
            text_said.contains(&format!("line {line}")) && text_said.contains(lost),
            "{text_said}"
        );
        let (exit, printed, _) = cat(format, text, &["--lossy"]);
        assert_eq!((exit, printed.lines().nth(1)), (0, Some("{\"x\":9.007199254740992e15}")));
        let (exit, printed, text_said) =
            cat(format, text, &["--skip-bad", "1", "--type", "x=float64"]);
        assert_eq!((exit, text_said.as_str()), (0, "1 bad row left out\n"));
        assert_eq!(printed, "{\"x\":0.5}\n{\"x\":7.0}\n");
        // A number that is not an integer loses nothing.
        let text = text.replace("9007199254740993", "9007199254740993e3");
        assert_eq!(cat(format, &text, &given).0, 0);
    }
}

fn data(below: &str) -> PathBuf {
    trevni_testing::data::selected(below)
}

/// Rows that another implementation wrote come through a Trevni file and back.
#[test]
fn described_rows_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let (trv, back) = (folder.path().join("x.trv"), folder.path().join("back.bin"));
    let (idl, every) = (data("thrift/every.thrift"), data("protobuf/every.desc"));
    let thrift = |protocol: &'static str| {
        let name = ["--thrift", str(&idl), "--struct", "Every", "--thrift-protocol", protocol];
        (data(&format!("thrift/every.{protocol}")), "thrift", name.to_vec())
    };
    let protobuf = vec!["--proto-descriptor", str(&every), "--message", "every.Every"];
    let cases =
        [thrift("binary"), thrift("compact"), (data("protobuf/every.pb"), "protobuf", protobuf)];
    for (from, format, described) in cases {
        let args = ["convert", "--force", "--from", format, str(&from), str(&trv)];
        out(&[&args[..], &described].concat());
        let args = ["convert", "--force", "--to", format, str(&trv), str(&back)];
        out(&[&args[..], &described].concat());
        let args = ["diff", "--from", format, str(&from), str(&back)];
        assert!(out(&[&args[..], &described].concat()).starts_with("equal: 50 rows"));
    }
    for (format, needed) in
        [("thrift", "--thrift and --struct"), ("protobuf", "--proto-descriptor and --message")]
    {
        let output = run(&["cat", "--from", format, str(&trv)]);
        assert_eq!(code(&output), 2);
        let expected = format!("error: rows of {format} need {needed}\n");
        assert!(said(&output).starts_with(&expected), "{}", said(&output));
        assert_eq!(code(&run(&["convert", str(&trv), "-", "--to", format])), 2);
    }
    assert_eq!(code(&run(&["cat", "--struct", "Every", str(&trv)])), 2);
}

#[test]
fn rows_are_counted_that_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "a,b\n1,x\n2,y\nthree,z\n").unwrap();
    let typed = ["--type", "a=int32"];
    let count = |more: &[&str]| run(&[&["count", str(&path)], &typed[..], more].concat());
    assert_eq!(code(&count(&[])), 1);
    let skipped = count(&["--skip-bad", "9"]);
    assert_eq!(String::from_utf8_lossy(&skipped.stdout), "2\n", "{}", said(&skipped));
    assert_eq!(out(&["count", str(&path)]), "3\n");
}
