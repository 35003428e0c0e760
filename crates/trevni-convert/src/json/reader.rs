//! Opens JSON: the schema is given, or inferred from the first records.

use std::collections::VecDeque;
use std::io::{Read, Seek};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;

use super::chunk_decoder::ChunkDecoder;
use super::declared_types::GivenTypes;
use super::decode::fault;
use super::infer::Inference;
use super::records::{Chunk, Records};
use crate::chunk_reader::ChunkReader;
use crate::{ReadOptions, Rows, Source, select};
use trevni::{Error, Result};

type Input = Box<dyn Read + Send>;

/// Bytes from which types are inferred, at most, unless from all.
const MOST_TO_INFER: usize = 32 << 20;

pub(super) fn open(source: Source, options: &ReadOptions) -> Result<Rows> {
    if options.schema.is_some() && !options.types.is_empty() {
        return Err(Error::invalid("types of single fields are for rows without a schema"));
    }
    let max_row_size = options.json.max_row_size.min(options.limits.block_bytes);
    let records = |input: Input| Records::new(input, max_row_size);
    let (records, inferred) = match (&options.schema, options.infer_rows) {
        (Some(schema), _) => (records(source.into_read())?, Inferred::given(schema.clone())),
        (None, 0) => {
            let mut file = source.into_file()?;
            let mut all = records(Box::new(file.try_clone()?))?;
            let inferred = infer(&mut all, None, options)?;
            file.rewind()?;
            (records(Box::new(file))?, inferred)
        }
        (None, rows) => {
            let mut records = records(source.into_read())?;
            let inferred = infer(&mut records, Some(rows), options)?;
            (records, inferred)
        }
    };
    let decoder = ChunkDecoder::new(inferred.schema, inferred.has_bad_records, options)?;
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

/// A schema, and what is known of the records that it was inferred from.
struct Inferred {
    schema: SchemaRef,
    /// The chunks that were read, unless all were.
    read: VecDeque<Chunk>,
    /// Whether some of the records are not JSON objects.
    has_bad_records: bool,
}

impl Inferred {
    fn given(schema: SchemaRef) -> Self {
        Self { schema, read: VecDeque::new(), has_bad_records: false }
    }
}

/// Infers the schema of the first rows, or of all.
fn infer(
    records: &mut Records<Input>,
    rows: Option<usize>,
    options: &ReadOptions,
) -> Result<Inferred> {
    let (mut inference, mut read) = (Inference::default(), VecDeque::new());
    let (mut seen, mut bytes, mut bad) = (0, 0, None);
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
                    bad.get_or_insert_with(|| {
                        Error::malformed(format!("{}{}", place.at_line(fault.line), fault.what))
                    });
                }
                None => drop(inference.add(record, place)),
            }
        }
        bytes += chunk.text().len();
        if rows.is_some() {
            read.push_back(chunk);
        }
    }
    let has_bad_records = bad.is_some();
    if let (true, Some(bad), 0) = (inference.is_empty(), bad, options.skip_bad) {
        return Err(bad);
    }
    let mut types = GivenTypes::new(&options.types);
    let schema = inference.schema(&mut types, options.skip_bad > 0).map_err(|conflict| {
        let (place, field, what) = (conflict.place, conflict.field, conflict.what);
        let remedy = format!(
            "--type '{field}=utf8' reads the field as text, --skip-bad leaves such rows out"
        );
        Error::malformed(format!("{place}, field {field:?}: {what} ({remedy})"))
    })?;
    types.check(&schema)?;
    if schema.fields().is_empty() {
        // What cannot be cut into records is no JSON.
        records.take_error().map_or(Ok(()), Err)?;
    }
    Ok(Inferred { schema: Arc::new(schema), read, has_bad_records })
}

/// Chunks of records, and whether types were inferred from them.
fn chunks(
    read: VecDeque<Chunk>,
    mut records: Records<Input>,
    most_rows: usize,
    options: &ReadOptions,
) -> impl Iterator<Item = Result<(Chunk, bool)>> + Send + 'static {
    let is_of_all = options.schema.is_none() && options.infer_rows == 0;
    let most = options.batch_size.min(most_rows).max(1);
    let others = std::iter::from_fn(move || records.chunk(most).transpose());
    let read = read.into_iter().map(|chunk| Ok((chunk, true)));
    read.chain(others.map(move |chunk| Ok((chunk?, is_of_all))))
}
