//! Decodes records with arrow-json's decoder, and describes the error of a bad one.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::json::reader::{Decoder, ReaderBuilder};

use super::declared_types::unmarked;
use super::layout;
use super::scanner::{MOST_LEVELS, Scanner};
use super::schema_check::{Fit, Unfit};
use crate::ReadOptions;

/// Decodes objects of a schema.
pub(super) struct RecordDecoder {
    /// None after an error.
    decoder: Option<Decoder>,
    schema: SchemaRef,
    batch_size: usize,
    /// Whether members that the schema does not have are errors.
    is_strict: bool,
    fit: Fit,
}

/// The error of a record.
#[derive(Debug)]
pub(super) struct DecodeError {
    /// How many lines of the record are before it.
    pub(super) line: u64,
    /// The text after the location: a colon, or the field and a colon, precede it.
    pub(super) what: String,
    /// Whether another schema takes the record.
    pub(super) is_of_schema: bool,
    /// Whether it is a value, but no object.
    pub(super) is_other_value: bool,
}

impl RecordDecoder {
    /// Creates a decoder of a schema in which fields of declared types are marked.
    pub(super) fn new(marked: &SchemaRef, batch_size: usize, options: &ReadOptions) -> Self {
        let is_strict = options.schema.is_none();
        let schema = match is_strict {
            true => Arc::new(unmarked(marked)),
            false => marked.clone(),
        };
        let fit = Fit::new(marked, is_strict, options.lossy);
        Self { decoder: None, schema, batch_size, is_strict, fit }
    }

    /// Returns the schema of the rows.
    pub(super) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn build(&self, schema: &SchemaRef) -> Result<Decoder, ArrowError> {
        ReaderBuilder::new(schema.clone())
            .with_batch_size(self.batch_size.max(1))
            .with_strict_mode(self.is_strict)
            .with_coerce_primitive(true)
            .build_decoder()
    }

    /// Decodes complete records, if all their values fit the schema.
    pub(super) fn decode(&mut self, text: &[u8]) -> Result<Vec<RecordBatch>, ArrowError> {
        let fault = |what: &str| ArrowError::JsonError(what.to_owned());
        let text = simdutf8::basic::from_utf8(text).map_err(|_| fault("not UTF-8"))?;
        // The library recurses.
        if layout::is_deeper(text.as_bytes(), MOST_LEVELS) {
            return Err(ArrowError::JsonError(too_deep()));
        }
        let text = self.fit.check(text).map_err(|unfit| match unfit {
            Unfit::NotJson => fault("not JSON"),
            Unfit::Value(misfit) => fault(&misfit.what),
        })?;
        let mut decoder = match self.decoder.take() {
            Some(decoder) => decoder,
            None => self.build(&self.schema)?,
        };
        let (mut batches, mut rest) = (Vec::new(), text.as_bytes());
        loop {
            let used = decoder.decode(rest)?;
            if used >= rest.len() && decoder.has_partial_record() {
                return Err(fault("the record is truncated"));
            }
            let Some(batch) = decoder.flush()? else { break };
            batches.push(batch);
            rest = rest.get(used..).unwrap_or_default();
        }
        self.decoder = Some(decoder);
        Ok(batches)
    }

    /// Why a record could not be decoded.
    pub(super) fn explain(&self, record: &[u8], e: &ArrowError) -> DecodeError {
        if let Some(fault) = fault(record) {
            return fault;
        }
        if layout::is_deeper(record, MOST_LEVELS) {
            let what = format!(": {}", too_deep());
            return DecodeError { line: 0, what, is_of_schema: false, is_other_value: false };
        }
        let misfit = std::str::from_utf8(record).ok().map(|text| self.fit.check(text));
        let (path, what) = match misfit {
            Some(Err(Unfit::Value(misfit))) => (misfit.path, misfit.what),
            _ => said(e),
        };
        let field = match path.is_empty() {
            true => String::new(),
            false => format!(", field {:?}", path.join(".")),
        };
        let what = format!("{field}: {what}");
        DecodeError { line: 0, what, is_of_schema: true, is_other_value: false }
    }
}

fn too_deep() -> String {
    format!("arrays and objects are nested more than {MOST_LEVELS} levels deep")
}

/// Returns the error of a record that is not an object, or not JSON.
pub(super) fn fault(record: &[u8]) -> Option<DecodeError> {
    let text = record.trim_ascii_start();
    let kind = match text.first() {
        Some(b'[') => Some("an array"),
        Some(b'"') => Some("a string"),
        Some(b'-' | b'0'..=b'9') => Some("a number"),
        _ if text.starts_with(b"true") || text.starts_with(b"false") => Some("a boolean"),
        _ if text.starts_with(b"null") => Some("null"),
        _ => None,
    };
    if let Some(kind) = kind {
        let what = format!(": a row is an object of names and values, and this is {kind}");
        return Some(DecodeError { line: 0, what, is_of_schema: false, is_other_value: true });
    }
    let e = match std::str::from_utf8(record) {
        Ok(record) if are_values(record) => return None,
        // Numbers that Python writes are not what is wrong.
        Ok(record) => layout::check(without_number_words(record).trim_ascii_end()).err()?,
        Err(e) => return Some(not_utf8(record, &e)),
    };
    // The position in the record.
    let (text, place) = (e.to_string(), format!(" at line {} column {}", e.line(), e.column()));
    let text = text.strip_suffix(&place).unwrap_or(&text);
    let what = format!(", column {}: not JSON: {text}", e.column());
    let line = e.line().saturating_sub(1) as u64;
    Some(DecodeError { line, what, is_of_schema: false, is_other_value: false })
}

/// Returns whether a text is any number of values.
fn are_values(text: &str) -> bool {
    let mut json = Scanner::new(text);
    while json.peek().is_some() {
        if json.skip().is_none() {
            return false;
        }
    }
    true
}

/// Returns a text in which zeros of as many bytes are in place of `NaN` and `Infinity`.
fn without_number_words(text: &str) -> Vec<u8> {
    text.replace("NaN", "0.0").replace("Infinity", "0.000000").into_bytes()
}

fn not_utf8(record: &[u8], e: &std::str::Utf8Error) -> DecodeError {
    let (before, byte) = (record.get(..e.valid_up_to()).unwrap_or_default(), e.valid_up_to());
    let byte = record.get(byte).copied().unwrap_or_default();
    let line = memchr::memchr_iter(b'\n', before).count() as u64;
    let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
    let what =
        format!(", column {column}: byte 0x{byte:02x} is not UTF-8; --encoding names the encoding");
    DecodeError { line, what, is_of_schema: false, is_other_value: false }
}

/// Returns the field and the message of an error of the library.
fn said(e: &ArrowError) -> (Vec<String>, String) {
    let text = match e {
        ArrowError::JsonError(text)
        | ArrowError::ParseError(text)
        | ArrowError::InvalidArgumentError(text) => text.clone(),
        other => other.to_string(),
    };
    let of_null = "Encountered unmasked nulls in non-nullable StructArray child: ";
    let of_null = text.strip_prefix(of_null).and_then(|rest| rest.split('"').nth(1));
    if let Some(name) = of_null {
        return (
            vec![name.to_owned()],
            "missing or null, but the field is not nullable".to_owned(),
        );
    }
    let (mut path, mut rest) = (Vec::new(), text.as_str());
    let inner = |text: &'_ str| -> Option<(usize, usize)> {
        let start =
            text.strip_prefix("whilst decoding field '").map(|rest| text.len() - rest.len())?;
        Some((start, start + text.get(start..)?.find("': ")?))
    };
    while let Some((start, end)) = inner(rest) {
        path.push(rest.get(start..end).unwrap_or_default().to_owned());
        rest = rest.get(end + 3..).unwrap_or_default();
    }
    (path, rest.to_owned())
}
