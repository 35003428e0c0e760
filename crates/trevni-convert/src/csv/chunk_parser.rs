//! Parses chunks into columns.
//!
//! ```text
//! chunk ──► Table ──► arrays, bad rows
//! ```

use arrow::array::{BooleanArray, RecordBatch, RecordBatchOptions};
use arrow::compute::filter;
use arrow::datatypes::SchemaRef;

use super::chunk::Chunk;
use super::column::{BadRows, BadValue, Cells, Column};
use super::table::{Layout, Table};
use crate::ReadOptions;
use crate::chunk_reader::{BadRow, ChunkReader, DecodedChunk};
use trevni::Result;

/// How chunks are parsed.
#[derive(Debug)]
pub(super) struct ChunkParser {
    pub(super) layout: Layout,
    pub(super) columns: Vec<Column>,
    pub(super) schema: SchemaRef,
    /// From how many rows types were inferred; 0 if from all.
    pub(super) infer_rows: usize,
    /// How many bad rows matter.
    pub(super) most_bad: usize,
}

impl ChunkParser {
    fn parse(&self, chunk: Chunk) -> Result<DecodedChunk> {
        let mut table = Table::new(chunk, &self.layout, self.most_bad);
        let mut bad = BadRows::new(self.most_bad);
        let text = table.text();
        let cells = self.columns.iter().zip(&table.columns);
        let arrays = cells.map(|(column, spans)| Cells { column, text, spans }.parse(&mut bad));
        let mut arrays: Vec<_> = arrays.collect();
        let mut rows = table.rows;
        if !bad.is_empty() {
            let good: BooleanArray = (0..rows).map(|row| Some(!bad.has(row))).collect();
            for array in &mut arrays {
                *array = filter(array, &good)?;
            }
            rows = good.true_count();
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?;
        let lines = table.lines;
        let bad = self.in_order(&mut table, bad);
        Ok(DecodedChunk { batches: vec![batch], bad, lines })
    }

    /// Returns all bad rows, in the order of the file.
    fn in_order(&self, table: &mut Table, values: BadRows) -> Vec<BadRow> {
        let records = std::mem::take(&mut table.bad);
        if records.is_empty() && values.is_empty() {
            return Vec::new();
        }
        let records = records.into_iter().map(|bad| {
            let what = format!(": {}", bad.what);
            (bad.start, bad.row, 0, what, false)
        });
        let values = values.into_rows().map(|(row, value)| {
            let start = table.starts.get(row).map_or(0, |start| *start as usize);
            let is_of_inference = value.fitting.is_some();
            (start, row, 1, self.explain(&value), is_of_inference)
        });
        let mut all: Vec<_> = records.chain(values).collect();
        all.sort_unstable_by_key(|(start, ..)| *start);
        let mut dropped = 0;
        let bad = all.into_iter().map(|(start, row, is_row, what, is_of_inference)| {
            let before = row.saturating_sub(dropped);
            dropped += is_row;
            BadRow { before, lines: table.lines_before(start), what, is_of_inference }
        });
        bad.collect()
    }

    fn explain(&self, value: &BadValue) -> String {
        let BadValue { what, fitting, column } = value;
        let mut text = format!(", column {column:?}: {what}");
        if let Some(fitting) = fitting {
            let name = fitting.name();
            let plain = column.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
            let quote = if plain { "" } else { "'" };
            let setting = format!("--type {quote}{column}={name}{quote}");
            text.push_str(&match self.infer_rows {
                0 => format!(" ({setting} says what it is)"),
                rows => format!(
                    " (its type was inferred from the first {rows} rows: {setting} says what it is, \
                     --infer-rows 0 infers from all rows)"
                ),
            });
        }
        text
    }
}

/// Returns a reader of the rows of chunks.
pub(super) fn reader(
    parser: ChunkParser,
    chunks: impl Iterator<Item = Result<Chunk>> + Send + 'static,
    options: &ReadOptions,
) -> ChunkReader {
    let schema = parser.schema.clone();
    let parse = move |chunk: Result<Chunk>| parser.parse(chunk?);
    ChunkReader::new(chunks, parse, schema, 1 + options.csv.skip_lines, options)
}
