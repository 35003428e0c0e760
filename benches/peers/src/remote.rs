//! Reading from a store that is far away: how many requests, how many round trips one after another, how many bytes, how long.
//!
//! ```text
//! lineitem, 16 columns ──► files of each format ──► store ──► one column, a filter, scattered rows, query 6 of TPC-H
//! wide, 1,000 columns                                         one column
//! ```
//! Each question begins with a file of which nothing is known but its name. Answers are compared by their numbers of rows.

mod readers;
mod store;
#[cfg(feature = "vortex")]
mod vortex;

use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use serde::Serialize;

use crate::Result;
use crate::formats::CONFIGS;
use crate::random::Random;
use crate::report;
use crate::tables::{BATCH, RECIPES, Table};
use store::{Counts, Distant};

const REPETITIONS: usize = 9;
const WIDE_COLUMNS: usize = 1000;
const WIDE_ROWS: usize = 20_000;

/// The formats that are read, and the readers that read them.
const READERS: &[(&str, &str)] = &[
    ("parquet-snappy", "parquet"),
    ("parquet-tuned-zstd3", "parquet"),
    ("parquet-tuned-zstd3", "parquet, 64 KiB"),
    #[cfg(feature = "vortex")]
    ("vortex", "vortex"),
    ("trevni-snappy", "trevni"),
    ("trevni-pack", "trevni"),
    ("trevni-pack+zstd", "trevni"),
];

/// A comparison of a column with a literal.
#[derive(Debug, Clone, Copy)]
struct Comparison {
    column: &'static str,
    operator: &'static str,
    literal: &'static str,
}

impl Comparison {
    /// Returns the literal as an array of one value, of the type of the column.
    fn value(&self, schema: &SchemaRef) -> Result<ArrayRef, ArrowError> {
        let text = StringArray::from(vec![self.literal]);
        cast(&text, schema.field_with_name(self.column)?.data_type())
    }
}

const fn compare(
    column: &'static str,
    operator: &'static str,
    literal: &'static str,
) -> Comparison {
    Comparison { column, operator, literal }
}

/// What is read of a file.
struct Question {
    name: &'static str,
    table: &'static str,
    /// Columns by name; all if there are none.
    columns: Vec<String>,
    rows: Vec<u64>,
    /// All of them are true of the rows.
    filter: Vec<Comparison>,
}

#[derive(Serialize)]
struct Answer {
    question: &'static str,
    config: &'static str,
    reader: &'static str,
    requests: u64,
    trips: u64,
    mb: f64,
    ms: f64,
}

/// Asks all, and prints a table or JSON.
pub fn run(quick: bool, as_json: bool) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(1).enable_time().build()?;
    let recipe = RECIPES.iter().find(|recipe| recipe.name == "lineitem").ok_or("no lineitem")?;
    let lineitem = recipe.make(if quick { recipe.rows / 10 } else { recipe.rows })?;
    let wide = wide(if quick { WIDE_ROWS / 10 } else { WIDE_ROWS })?;
    let questions = questions(lineitem.rows);
    let mut answers = Vec::new();
    for (config, reader) in READERS {
        for (name, table) in [("lineitem", &lineitem), ("wide", &wide)] {
            let bytes = write(config, table)?;
            let store = Arc::new(Distant::default());
            runtime.block_on(store.insert("file", bytes))?;
            for question in questions.iter().filter(|question| question.table == name) {
                let mut times = Vec::new();
                let mut counts = Counts { requests: 0, trips: 0, bytes: 0 };
                let expected = question.expected(table)?;
                for _ in 0..if quick { 1 } else { REPETITIONS } {
                    store.reset();
                    let start = Instant::now();
                    let rows = runtime.block_on(readers::ask(reader, &store, question, table))?;
                    times.push(start.elapsed().as_secs_f64() * 1e3);
                    counts = store.counts();
                    if rows != expected {
                        let what = format!("{config}: {rows} rows came of {expected}");
                        return Err(format!("{}: {what}", question.name).into());
                    }
                }
                times.sort_by(f64::total_cmp);
                let Counts { requests, trips, bytes } = counts;
                let (mb, ms) = (bytes as f64 / 1e6, times[times.len() / 2]);
                let question = question.name;
                answers.push(Answer { question, config, reader, requests, trips, mb, ms });
            }
        }
    }
    print(&answers, &questions, as_json)
}

fn print(answers: &[Answer], questions: &[Question], as_json: bool) -> Result<()> {
    if as_json {
        let lines = answers.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        let (processor, build) = (report::processor(), report::build());
        let head = serde_json::json!({ "processor": processor, "build": build }).to_string();
        let head = head.trim_end_matches('}');
        println!("{head}, \"answers\": [\n{}\n]}}", lines.join(",\n"));
        return Ok(());
    }
    for question in questions {
        println!(
            "\n{}\n\n| | requests | round trips | MB | ms |\n|---|--:|--:|--:|--:|",
            question.name
        );
        for answer in answers.iter().filter(|answer| answer.question == question.name) {
            let Answer { config, reader, requests, trips, mb, ms, .. } = answer;
            println!("| {config}, {reader} | {requests} | {trips} | {mb:.2} | {ms:.0} |");
        }
    }
    Ok(())
}

fn questions(rows: usize) -> Vec<Question> {
    let one = |name: &str| vec![name.to_owned()];
    let question = |name, table| Question {
        name,
        table,
        columns: Vec::new(),
        rows: Vec::new(),
        filter: Vec::new(),
    };
    let mut random = Random::new(100);
    let mut scattered: Vec<u64> = (0..100).map(|_| random.below(rows as u64)).collect();
    scattered.sort_unstable();
    scattered.dedup();
    vec![
        Question { columns: one("l_extendedprice"), ..question("one column of 16", "lineitem") },
        Question { columns: one("c500"), ..question("one column of 1,000", "wide") },
        Question {
            filter: vec![compare("l_partkey", "<", "400")],
            ..question("a filter that 1 % pass", "lineitem")
        },
        Question { rows: scattered, ..question("100 scattered rows", "lineitem") },
        Question {
            columns: vec!["l_extendedprice".to_owned(), "l_discount".to_owned()],
            filter: vec![
                compare("l_shipdate", ">=", "1994-01-01"),
                compare("l_shipdate", "<", "1995-01-01"),
                compare("l_discount", ">=", "0.05"),
                compare("l_discount", "<=", "0.07"),
                compare("l_quantity", "<", "24"),
            ],
            ..question("TPC-H 6", "lineitem")
        },
    ]
}

impl Question {
    /// Returns how many rows come.
    fn expected(&self, table: &Table) -> Result<usize> {
        if !self.rows.is_empty() {
            return Ok(self.rows.len());
        }
        let mut rows = 0;
        for batch in &table.batches {
            rows += match self.filter.is_empty() {
                true => batch.num_rows(),
                false => readers::passes(&self.filter, batch)?.true_count(),
            };
        }
        Ok(rows)
    }
}

/// A thousand columns of numbers, of which half are integers.
fn wide(total: usize) -> Result<Table> {
    let mut random = Random::new(1);
    let mut batches = Vec::new();
    for start in (0..total).step_by(BATCH) {
        let rows = BATCH.min(total - start);
        let column = |number: usize| {
            let most = 10 + (number as u64) * 7;
            let values = (0..rows).map(|_| random.below(most));
            let column: ArrayRef = match number % 2 {
                0 => Arc::new(values.map(|n| n as i32).collect::<Int32Array>()),
                _ => Arc::new(values.map(|n| n as f64 / 100.0).collect::<Float64Array>()),
            };
            (format!("c{number}"), column)
        };
        batches.push(RecordBatch::try_from_iter((0..WIDE_COLUMNS).map(column))?);
    }
    let schema = batches.first().ok_or("no rows")?.schema();
    Ok(Table { schema, batches, rows: total })
}

fn write(name: &str, table: &Table) -> Result<Vec<u8>> {
    let config = CONFIGS.iter().find(|config| config.name == name);
    let mut format = (config.ok_or_else(|| format!("no {name}"))?.start)()?;
    format.prepare(&table.schema, &table.batches)?;
    format.write(&table.schema, &table.batches)
}
