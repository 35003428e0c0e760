//! The files in `testdata/pack`, which an earlier writer of ours has written: they are read as ever, by both readers.

use trevni::codec::Codec;

use super::*;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/pack");

/// Rows of most of them.
const ROWS: usize = 120;

fn lines(path: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(path.with_extension("jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn files_that_were_written_are_still_read() {
    let files = crate::testdata::files(Path::new(FOLDER), "trv");
    assert!(files.len() >= 5, "{FOLDER}");
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let file = FileReader::try_new(Bytes::from(bytes.clone())).unwrap();
        let codec = file.header().codec(0).unwrap();
        let (name, expected) = (path.display().to_string(), lines(&path));
        if codec.is_available() {
            assert_same(&read(&bytes), &expected, &name);
        }
        if let Some((found, _)) = decoded(&path) {
            assert_same(&found, &expected, &format!("decode.py, {name}"));
        }
    }
}

/// Writes the files again, after a change of the format: only with `TREVNI_WRITE_GOLDENS` set.
#[test]
fn write_the_files() {
    if std::env::var_os("TREVNI_WRITE_GOLDENS").is_none() {
        println!("skipped: TREVNI_WRITE_GOLDENS is not set, and testdata/pack stays as it is");
        return;
    }
    let kinds = sample_columns::kinds(ROWS);
    let widths = sample_columns::widths(1030, [3, 16, 17, 33].into_iter());
    let some = |names: &[&str]| -> Vec<_> {
        let chosen = |(column, _): &&sample_columns::Column| names.contains(&column.name());
        kinds.iter().filter(chosen).cloned().collect()
    };
    let blocks = some(&["sorted", "indexed", "any double", "pages", "dense", "items", "item name"]);
    let texts = some(&["words", "pages", "numbered", "split 64"]);
    let long = sample_columns::kinds(1030);
    let spread = ["skewed", "wandering", "multiples of codes"];
    let spread = long.into_iter().filter(|(column, _)| spread.contains(&column.name())).collect();
    let all = [
        ("kinds", &kinds, ROWS, 16_384, Codec::Pack),
        ("blocks", &blocks, ROWS, 50, Codec::Pack),
        ("lanes", &widths, 1030, 16_384, Codec::Pack),
        ("zstd", &texts, ROWS, 16_384, Codec::PackZstd),
        ("spread", &spread, 1030, 16_384, Codec::PackZstd),
    ];
    for (name, columns, rows, block_rows, codec) in all {
        let path = Path::new(FOLDER).join(name).with_extension("trv");
        std::fs::write(&path, sample_columns::written(columns, rows, block_rows, codec)).unwrap();
        let lines: Vec<Json> = columns.iter().map(|(column, data)| line(column, data)).collect();
        // As the second decoder prints them, where it can.
        let lines = decoded(&path).map_or(lines, |(lines, _)| lines);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(path.with_extension("jsonl"), text).unwrap();
    }
}
