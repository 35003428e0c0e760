//! Opens JSON: the schema is given, or inferred from the first records.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use super::chunk_decoder::ChunkDecoder;
use super::declared_types::{GivenTypes, with_marks};
use super::decode::fault;
use super::infer::{self, Inference};
use super::records::{Chunk, Records};
use crate::chunk_reader::ChunkReader;
use crate::{ReadOptions, Rows, Source, encoding, infer_rows, select};
use trevni::{Error, Result};

type Input = Box<dyn Read + Send>;

/// Bytes from which types are inferred, at most, unless from all.
const MOST_TO_INFER: usize = 32 << 20;

pub(super) fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    if options.schema.is_some() && !options.types.is_empty() {
        return Err(Error::invalid("types of single fields are for rows without a schema"));
    }
    let (mut source, options) = infer_rows::resolve(source, options)?;
    let options = &options;
    let max_row_size = options.json.max_row_size.min(options.limits.block_bytes);
    let records = |source: Source| {
        let input = decoded(source.into_read(), options)?;
        Records::new(input, max_row_size, &options.json.rows_at)
    };
    let known = match (&options.schema, &options.inferred) {
        (Some(schema), _) => Some(Inferred::known(schema.clone())),
        (None, Some(schema)) => Some(Inferred::known(Arc::new(with_marks(schema, &options.types)))),
        (None, None) if options.infer_rows == Some(0) => {
            let of_all = infer_all(&source, records, options)?;
            source = source.again(source.taken())?.unwrap_or(source);
            of_all
        }
        (None, None) => None,
    };
    let mut records = records(source)?;
    let inferred = match known {
        Some(inferred) if inferred.is_mixed => {
            records = records.in_one_column();
            inferred
        }
        Some(inferred) => inferred,
        None => infer(&mut records, options.infer_rows, options)?,
    };
    let decoder = ChunkDecoder::new(inferred.schema, options)?;
    let (schema, most_rows) = (decoder.schema(), decoder.most_rows());
    let chunks = chunks(inferred.read, records, most_rows, options);
    let decode = move |chunk: Result<(Chunk, bool)>| {
        let (chunk, was_seen) = chunk?;
        decoder.decode(&chunk, was_seen)
    };
    // Records know their lines in the file.
    let reader = ChunkReader::new(chunks, decode, schema, 0, options);
    select::select(Box::new(reader), options)
}

/// Returns UTF-8 of text in any encoding, without the separators of RFC 7464 (JSON text sequences).
fn decoded(input: Input, options: &ReadOptions) -> Result<Input> {
    let mut input = encoding::decode(input, options.encoding)?;
    let mut first = [0];
    let read = loop {
        match input.read(&mut first) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    let is_sequence = first.starts_with(&[SEPARATOR]);
    let head = first.get(..read).unwrap_or_default().to_vec();
    let input = io::Cursor::new(head).chain(input);
    Ok(if is_sequence { Box::new(WithoutSeparators(input)) } else { Box::new(input) })
}

/// The byte before each record of a sequence. It is in no JSON text.
const SEPARATOR: u8 = 0x1e;

/// Text with blanks in place of separators.
struct WithoutSeparators<R>(R);

impl<R: Read> Read for WithoutSeparators<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(into)?;
        let separators = into.iter_mut().take(n).filter(|byte| **byte == SEPARATOR);
        separators.for_each(|byte| *byte = b' ');
        Ok(n)
    }
}

/// A schema, and what is known of the records that it was inferred from.
struct Inferred {
    schema: SchemaRef,
    /// The chunks that were read, unless all were.
    read: VecDeque<Chunk>,
    /// Whether objects and other values are elements of one array.
    is_mixed: bool,
}

impl Inferred {
    fn known(schema: SchemaRef) -> Self {
        Self { schema, read: VecDeque::new(), is_mixed: false }
    }
}

/// Infers the schema of all rows; `None` if they can be read only once. Where objects and other values are elements of
/// one array, all are values of one column.
fn infer_all(
    source: &Source,
    records: impl Fn(Source) -> Result<Records<Input>>,
    options: &ReadOptions,
) -> Result<Option<Inferred>> {
    let Some(all) = source.again(Arc::default())? else { return Ok(None) };
    let inferred = infer(&mut records(all)?, None, options)?;
    if !inferred.is_mixed {
        return Ok(Some(inferred));
    }
    let Some(all) = source.again(Arc::default())? else { return Ok(None) };
    let of_column = infer(&mut records(all)?.in_one_column(), None, options)?;
    Ok(Some(Inferred { is_mixed: true, ..of_column }))
}

/// Infers the schema of the first rows, or of all.
fn infer(
    records: &mut Records<Input>,
    rows: Option<usize>,
    options: &ReadOptions,
) -> Result<Inferred> {
    let (mut inference, mut read) = (Inference::new(&options.types), VecDeque::new());
    let (mut seen, mut bytes, mut bad, mut others) = (0, 0, None, 0);
    while rows.is_none_or(|rows| seen < rows && bytes < MOST_TO_INFER) {
        let most = rows.map_or(options.batch_size, |rows| rows - seen).min(options.batch_size);
        let chunk = match records.chunk(most.max(1)) {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            // It is returned again after the rows, if there are any.
            Err(e) => {
                records.fail_with(e);
                break;
            }
        };
        for (place, record) in chunk.records() {
            seen += 1;
            // Bad records are left to the reader, unless all are.
            match fault(record) {
                Some(fault) => {
                    others += usize::from(fault.is_other_value);
                    bad.get_or_insert_with(|| {
                        Error::malformed(format!("{}{}", place.at_line(fault.line), fault.what))
                    });
                }
                None => drop(inference.add(&String::from_utf8_lossy(record), place)),
            }
        }
        inference.check_size()?;
        bytes += chunk.text().len();
        if rows.is_some() {
            read.push_back(chunk);
        }
    }
    if let (true, Some(bad), 0) = (inference.is_empty(), bad, options.skip_bad) {
        return Err(bad);
    }
    let is_mixed = others > 0 && records.are_elements() && options.skip_bad == 0;
    let mut types = GivenTypes::new(&options.types);
    let infer::Inferred { schema, warnings } = inference.schema(&mut types, options);
    warnings.into_iter().for_each(|text| options.report.warn(text));
    types.check(&schema)?;
    if schema.fields().is_empty() {
        // What cannot be cut into records is no JSON.
        records.take_error().map_or(Ok(()), Err)?;
    }
    Ok(Inferred { schema: Arc::new(schema), read, is_mixed })
}

/// Chunks of records, and whether types were inferred from them.
fn chunks(
    read: VecDeque<Chunk>,
    mut records: Records<Input>,
    most_rows: usize,
    options: &ReadOptions,
) -> impl Iterator<Item = Result<(Chunk, bool)>> + Send + 'static {
    let is_of_all = options.schema.is_none() && options.infer_rows == Some(0);
    let most = options.batch_size.min(most_rows).max(1);
    let others = std::iter::from_fn(move || records.chunk(most).transpose());
    let read = read.into_iter().map(|chunk| Ok((chunk, true)));
    read.chain(others.map(move |chunk| Ok((chunk?, is_of_all))))
}
