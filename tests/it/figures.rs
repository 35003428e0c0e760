//! The figures in the documents are those of the benchmark's results.

use std::fmt::Write;

use serde_json::Value as Json;

const README: &str = include_str!("../../README.md");
const PERFORMANCE: &str = include_str!("../../docs/performance.md");
const RESULTS: &str = include_str!("../../benches/peers/results.json");

/// Of real tables, with AVX2.
const REAL: &str = include_str!("../../benches/peers/real/results.json");

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
}

/// What is compared of real tables.
const COMPARED: [&str; 6] =
    ["size_mb", "write_ms", "read_ms", "read1_ms", "rand1000_ms", "filter_ms"];

/// Returns how a configuration compares with another in a table: its size beside the other's, and how many times as
/// fast it is.
fn comparison(results: &[Json], table: &str, ours: &str, theirs: &str) -> [Option<f64>; 6] {
    let find = |config: &str| {
        results.iter().find(|row| row["table"] == table && row["config"] == config).unwrap()
    };
    let (ours, theirs) = (find(ours), find(theirs));
    COMPARED.map(|measure| {
        let ratio = theirs[measure].as_f64()? / ours[measure].as_f64()?;
        Some(if measure == "size_mb" { 1.0 / ratio } else { ratio })
    })
}

fn cells(ratios: [Option<f64>; 6]) -> String {
    ratios.map(|ratio| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"))).join(" | ")
}

/// Returns the means over all tables, as Markdown.
fn means(results: &[Json], tables: &[&str]) -> String {
    let mut text = String::from(
        "| | size | write | read | one column | 1,000 rows | filter |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for (ours, theirs) in [
        ("trevni-pack", "parquet-snappy"),
        ("trevni-pack", "parquet-zstd1"),
        ("trevni-pack", "vortex"),
        ("trevni-pack+zstd", "parquet-zstd1"),
        ("trevni-pack+zstd", "vortex-compact"),
        ("trevni-snappy", "parquet-snappy"),
    ] {
        let of = |measure: usize| {
            let ratios = tables.iter().map(|table| comparison(results, table, ours, theirs));
            let ratios = ratios.filter_map(|ratios| ratios[measure]);
            let logarithms: Vec<f64> = ratios.map(f64::ln).collect();
            let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
            (!logarithms.is_empty()).then_some(mean)
        };
        let name = |config| CONFIGURATIONS.iter().find(|(name, _)| *name == config).unwrap().1;
        let (ours, theirs) = (name(ours), name(theirs));
        let cells = cells([0, 1, 2, 3, 4, 5].map(of));
        writeln!(text, "| {ours} beside {theirs} | {cells} |").unwrap();
    }
    text
}

#[test]
fn the_comparisons_are_those_of_the_results() {
    let results: Vec<Json> = serde_json::from_str(REAL).unwrap();
    let mut tables: Vec<&str> = results.iter().map(|row| row["table"].as_str().unwrap()).collect();
    tables.dedup();
    let means = means(&results, &tables);
    assert!(README.contains(&means), "the README must have:\n\n{means}");
    let mut each = String::from(
        "| table | rows | size | write | read | one column | 1,000 rows | filter |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for table in tables {
        let rows = results.iter().find(|row| row["table"] == table).unwrap()["rows"].clone();
        let cells = cells(comparison(&results, table, "trevni-pack", "parquet-snappy"));
        writeln!(each, "| {table} | {rows} | {cells} |").unwrap();
    }
    assert!(PERFORMANCE.contains(&each), "docs/performance.md must have:\n\n{each}");
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
