//! The figures in the documents are those of the benchmark's results.

use std::fmt::Write;

use serde_json::Value as Json;

const README: &str = include_str!("../../README.md");
const PERFORMANCE: &str = include_str!("../../docs/performance.md");
const RESULTS: &str = include_str!("../../benches/peers/results.json");

const TABLES: [&str; 3] = ["lineitem", "taxi", "events"];

/// The configurations in the tables, and their names there.
const CONFIGURATIONS: [(&str, &str); 7] = [
    ("trevni-snappy", "trevni, snappy"),
    ("trevni-pack", "trevni, pack"),
    ("trevni-pack+zstd", "trevni, pack+zstd"),
    ("parquet-snappy", "parquet, snappy"),
    ("parquet-zstd1", "parquet, zstd"),
    ("vortex", "vortex"),
    ("vortex-compact", "vortex, compact"),
];

const MEASURES: [&str; 6] =
    ["write_ms", "read_ms", "read_views_ms", "read1_ms", "rand1000_ms", "size_mb"];

/// Three significant digits.
fn figure(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// Returns the table, as Markdown.
fn expected() -> String {
    let results: Vec<Json> = serde_json::from_str(RESULTS).unwrap();
    let mut text = String::from(
        "| table | file | write ms | read ms | read as views ms | one column ms | 1,000 rows ms | MB |\n\
         |---|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for table in TABLES {
        for (config, name) in CONFIGURATIONS {
            let is = |row: &&Json| row["table"] == table && row["config"] == config;
            let row = results.iter().find(is).unwrap_or_else(|| panic!("{table}, {config}"));
            let figures = MEASURES.map(|measure| figure(row[measure].as_f64().unwrap()));
            writeln!(text, "| {table} | {name} | {} |", figures.join(" | ")).unwrap();
        }
    }
    text
}

#[test]
fn the_tables_have_the_figures_of_the_results() {
    let expected = expected();
    assert!(PERFORMANCE.contains(&expected), "docs/performance.md must have:\n\n{expected}");
    let short: Vec<String> = expected.lines().skip(2).filter_map(short).collect();
    for row in short {
        assert!(README.contains(&row), "the README must have the row {row}");
    }
}

/// Returns the row of the README, which has fewer configurations and measures.
fn short(row: &str) -> Option<String> {
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let [table, file, write, read, _, column, rows, size] = cells[..] else { return None };
    let shown = ["trevni, snappy", "trevni, pack", "parquet, snappy", "vortex"].contains(&file);
    shown.then(|| format!("| {table} | {file} | {write} | {read} | {column} | {rows} | {size} |"))
}

#[test]
fn every_codec_is_in_the_specification() {
    let spec = include_str!("../../spec/trevni.md");
    let codecs = spec.split("## Codecs").nth(1).unwrap().split("\n## ").next().unwrap();
    for codec in trevni::codec::Codec::ALL {
        assert!(codecs.contains(&format!("`{}`", codec.name())), "{}", codec.name());
    }
}

/// A blank line ends a table in Markdown: the rows after it show as text.
#[test]
fn tables_of_the_documents_have_no_gaps() {
    for path in crate::testdata::files(env!("CARGO_MANIFEST_DIR").as_ref(), "md") {
        if path.iter().any(|part| part == "target" || part == "node_modules") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (at, three) in lines.windows(3).enumerate() {
            let [before, gap, after] = three else { continue };
            let is_row = |line: &str| line.starts_with('|');
            let heading = lines.get(at + 3).is_some_and(|line| line.starts_with("|--"));
            let cut = is_row(before) && gap.is_empty() && is_row(after) && !heading;
            assert!(!cut, "{}:{}: a table is cut here", path.display(), at + 2);
        }
    }
}
