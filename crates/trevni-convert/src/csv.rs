//! CSV, with types that are inferred or declared.
//!
//! ```text
//! bytes ──► UTF-8 ──► chunks of complete records ──► threads: spans of values ──► arrays ──► batches, in order
//!                     delimiter, names, types, from the first chunks
//! ```
//! **Types.** Boolean, Int64, UInt64 (if i64 is too narrow), Float64, Date32, Time64, Timestamp in microseconds (in
//! nanoseconds if digits would be lost), in UTC if every value has an offset; otherwise text. Numbers of which a float64
//! would lose digits are Decimal128. A column with leading zeros is text, and so is one without values. A schema has the types of the columns it
//! names, [`types`](ReadOptions::types) those of single ones; the others are inferred.
//!
//! **Nulls.** An empty field is null, in both directions. An empty text is `""`, in columns of text. In columns that are not
//! text, `NA`, `null`, `NaN` and others that pyarrow knows are null too, and `\N`. In a float column of a declared
//! type, `NaN` is the number. Values given as options replace these, in every column.
//!
//! **Inference.** Types are those of all rows of a file, which is read twice. With `infer_rows`, and of a pipe, they
//! are those of the first rows: if a later value does not fit, reading fails, and
//! [`Report::inference_failed`](super::Report::inference_failed) is set. A caller that has not returned any rows can
//! begin with the first rows, which is faster, and read again with the types of all.

mod after_lines;
mod chunk;
mod chunk_parser;
mod column;
mod datetime;
mod delimiter;
mod header;
mod infer;
mod inferred_type;
mod nulls;
mod number;
mod options;
mod plan;

mod record;
mod table;
mod write;

use std::io::Read;
use std::sync::Arc;

pub use self::options::CsvReadOptions;

use self::after_lines::AfterLines;
use self::chunk::{Chunk, Chunks, whole_lines};
use self::chunk_parser::{ChunkParser, reader};
use self::infer::Inference;
use self::nulls::Nulls;
use self::plan::ColumnPlan;
use self::table::Layout;
use super::{Format, ReadOptions, Rows, Source, encoding, infer_rows, select};
use crate::chunk_reader::ChunkReader;
use crate::csv::inferred_type::InferredType;
use trevni::Result;

pub(super) const FORMAT: Format = Format {
    name: "csv",
    extensions: &["csv", "tsv", "txt"],
    sniff: is_text,
    open,
    create: write::create,
    holds: None,
    create_at: None,
};

/// Text that could be anything: no control characters but blanks and ends of lines. Or UTF-16.
fn is_text(head: &[u8]) -> bool {
    let control = |b: &u8| *b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r');
    !head.is_empty() && (encoding::is_utf16(head) || !head.iter().any(control))
}

type Input = Box<dyn Read + Send>;

fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    let (mut source, options) = infer_rows::resolve(source, options)?;
    let options = &options;
    // All rows are read for their types before they are read for their values.
    let first = options.infer_rows.filter(|rows| *rows > 0);
    let mut of_all = None;
    if first.is_none()
        && options.inferred.is_none()
        && let Some(all) = source.again(Arc::default())?
    {
        of_all = Some(Start::new(all.into_read(), options)?.infer_all(options)?);
        source = source.again(source.taken())?.unwrap_or(source);
    }
    let mut start = Start::new(source.into_read(), options)?;
    let known = of_all.or_else(|| start.plan.known(options.inferred.as_ref()?));
    let (kinds, read) = match known {
        Some(kinds) => (kinds, start.first.take().into_iter().collect()),
        None => start.infer_first(first.unwrap_or(infer_rows::FIRST_ROWS), options)?,
    };
    let rows = start.rows(&kinds, read, options)?;
    select::select(Box::new(rows), options)
}

/// A file whose names are known.
struct Start {
    chunks: Chunks<Input>,
    /// None if the file is empty.
    first: Option<Chunk>,
    plan: ColumnPlan,
}

impl Start {
    fn new(input: Input, options: &ReadOptions) -> Result<Self> {
        let csv = &options.csv;
        let mut input = encoding::decode(input, options.encoding)?;
        if csv.skip_lines > 0 {
            input = Box::new(AfterLines::new(input, csv.skip_lines));
        }
        let detect = |text: &[u8]| {
            let found = delimiter::detect(whole_lines(text), csv);
            if let Some(other) = found.other {
                options.report.warn(ambiguous(found.dialect.delimiter, other));
            }
            found.dialect
        };
        let mut chunks = Chunks::new(input, csv.chunk_size, options.limits.block_bytes, detect)?;
        let mut first = chunks.next().transpose()?;
        // Empty lines have no names.
        while let Some(blank) = first.as_mut().filter(|first| first.is_blank(chunks.dialect())) {
            match chunks.next().transpose()? {
                Some(next) => blank.text.extend_from_slice(&next.text),
                None => break,
            }
        }
        let names = match &mut first {
            Some(first) => header::names(first, chunks.dialect(), options)?,
            // Nothing at all has any names.
            None => match &options.schema {
                Some(schema) => schema.fields().iter().map(|field| field.name().clone()).collect(),
                None => Vec::new(),
            },
        };
        let plan = ColumnPlan::new(&names, options)?;
        Ok(Self { chunks, first, plan })
    }

    fn inference(&self, options: &ReadOptions) -> Option<Inference> {
        let to_infer = self.plan.to_infer();
        let layout =
            Layout::new(self.chunks.dialect(), self.plan.columns, &to_infer, options.csv.pad);
        let nulls = Nulls::new(options.csv.null_values.as_deref());
        (!to_infer.is_empty()).then(|| Inference::new(layout, nulls, options.csv.decimal_comma))
    }

    /// Returns the types of columns in the first rows, and the chunks that were read for them.
    fn infer_first(
        &mut self,
        rows: usize,
        options: &ReadOptions,
    ) -> Result<(Vec<InferredType>, Vec<Chunk>)> {
        let Some(first) = self.first.take() else { return Ok((Vec::new(), Vec::new())) };
        let Some(mut inference) = self.inference(options) else {
            return Ok((Vec::new(), vec![first]));
        };
        let read = inference.first(first, &mut self.chunks, rows)?;
        Ok((inference.kinds(), read))
    }

    /// Returns the types of columns in all rows.
    fn infer_all(self, options: &ReadOptions) -> Result<Vec<InferredType>> {
        let Some(mut inference) = self.inference(options) else { return Ok(Vec::new()) };
        if let Some(first) = self.first {
            inference.all(first, self.chunks, options.threads)?;
        }
        Ok(inference.kinds())
    }

    fn rows(
        self,
        kinds: &[InferredType],
        read: Vec<Chunk>,
        options: &ReadOptions,
    ) -> Result<ChunkReader> {
        let layout = Layout::new(
            self.chunks.dialect(),
            self.plan.columns,
            &self.plan.places(),
            options.csv.pad,
        );
        let (schema, columns) = self.plan.columns(kinds, options);
        let most_bad = usize::try_from(options.skip_bad).unwrap_or(usize::MAX).saturating_add(1);
        let parser = ChunkParser {
            layout,
            columns,
            schema,
            infer_rows: options.infer_rows.unwrap_or(0),
            most_bad,
        };
        let chunks = read.into_iter().map(Ok).chain(self.chunks);
        Ok(reader(parser, chunks, options))
    }
}

fn ambiguous(taken: u8, other: u8) -> String {
    let [taken, other] = [taken, other].map(|byte| char::from(byte).escape_default().to_string());
    format!(
        "fields are divided at '{taken}', and '{other}' fits as well: --delimiter names the one"
    )
}
