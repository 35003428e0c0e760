//! Decodes records with arrow-json's decoder, and describes the error of a bad one.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::reader::{Decoder, ReaderBuilder};
use serde_json::Value;

use super::declared_types::{nested_as_text, unmarked};
use super::layout;
use super::schema_check::{Fit, Misfit};
use crate::{ReadOptions, loses, lossy_integers};

/// The maximum nesting depth of arrays and objects.
const DEEPEST: usize = 128;

/// Decodes objects of a schema.
pub(super) struct RecordDecoder {
    /// None after an error.
    decoder: Option<Decoder>,
    schema: SchemaRef,
    batch_size: usize,
    /// Whether members that the schema does not have are errors.
    is_strict: bool,
    /// The type of records, with marks at fields of declared types.
    record: DataType,
    fit: Fit,
    lossy: bool,
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
}

impl RecordDecoder {
    /// Creates a decoder of a schema in which fields of declared types are marked.
    pub(super) fn new(marked: &SchemaRef, batch_size: usize, options: &ReadOptions) -> Self {
        let is_strict = options.schema.is_none();
        let schema = match is_strict {
            true => Arc::new(unmarked(marked)),
            false => marked.clone(),
        };
        let (fit, record) =
            (Fit::new(marked, is_strict), DataType::Struct(marked.fields().clone()));
        Self { decoder: None, schema, batch_size, is_strict, record, fit, lossy: options.lossy }
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

    /// Decodes complete records, whose values inference may not have inspected: the library converts strings to
    /// numbers, and fractions to integers.
    pub(super) fn decode_checked(&mut self, text: &[u8]) -> Result<Vec<RecordBatch>, ArrowError> {
        match self.fitting(text) {
            Ok(text) => self.decode(&text),
            Err(misfit) => Err(ArrowError::JsonError(misfit.what)),
        }
    }

    /// Records that fit the schema: arrays and objects are their own text where that is the type.
    fn fitting<'a>(&self, text: &'a [u8]) -> Result<Cow<'a, [u8]>, Misfit> {
        let misfit = match self.fit.check(text) {
            Ok(()) => return Ok(Cow::Borrowed(text)),
            Err(misfit) if !misfit.is_nested_text => return Err(misfit),
            Err(misfit) => misfit,
        };
        let mut changed = Vec::with_capacity(text.len());
        for value in serde_json::Deserializer::from_slice(text).into_iter::<Value>() {
            let Ok(mut value) = value else { return Err(misfit) };
            nested_as_text(&mut value, &self.record, !self.is_strict);
            if serde_json::to_writer(&mut changed, &value).is_err() {
                return Err(misfit);
            }
            changed.push(b'\n');
        }
        self.fit.check(&changed).map(|()| Cow::Owned(changed))
    }

    /// Decodes complete records.
    pub(super) fn decode(&mut self, text: &[u8]) -> Result<Vec<RecordBatch>, ArrowError> {
        // The library recurses.
        if layout::is_deeper(text, DEEPEST) {
            let what = format!("arrays and objects are nested more than {DEEPEST} levels deep");
            return Err(ArrowError::JsonError(what));
        }
        let mut decoder = match self.decoder.take() {
            Some(decoder) => decoder,
            None => self.build(&self.schema)?,
        };
        let (mut batches, mut at) = (Vec::new(), 0);
        loop {
            let rest = text.get(at..).unwrap_or_default();
            let used = decoder.decode(rest)?;
            if used >= rest.len() && decoder.has_partial_record() {
                return Err(ArrowError::JsonError("the record is truncated".into()));
            }
            let Some(batch) = decoder.flush()? else { break };
            let rows = rest.get(..used).unwrap_or(rest);
            batches.push(self.checked(batch, rows)?);
            at += used;
        }
        self.decoder = Some(decoder);
        Ok(batches)
    }

    /// Returns a batch in which no integer lost digits.
    fn checked(&self, batch: RecordBatch, text: &[u8]) -> Result<RecordBatch, ArrowError> {
        if self.lossy || !lossy_integers::is_suspicious(&batch) {
            return Ok(batch);
        }
        let Some(schema) = lossy_integers::as_text(&self.schema) else { return Ok(batch) };
        let mut decoder = self.build(&schema)?;
        decoder.decode(text)?;
        match decoder.flush()?.and_then(|text| lossy_integers::lost(&batch, &text)) {
            Some(lost) => Err(loses(&lost)),
            None => Ok(batch),
        }
    }

    /// Why a record could not be decoded.
    pub(super) fn explain(&self, record: &[u8], e: &ArrowError) -> DecodeError {
        if let Some(fault) = fault(record) {
            return fault;
        }
        let (path, what) = match self.fitting(record) {
            Err(misfit) => (misfit.path, misfit.what),
            Ok(_) => said(e),
        };
        let field = match path.is_empty() {
            true => String::new(),
            false => format!(", field {:?}", path.join(".")),
        };
        DecodeError { line: 0, what: format!("{field}: {what}"), is_of_schema: true }
    }
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
        return Some(DecodeError { line: 0, what, is_of_schema: false });
    }
    let e = layout::check(record.trim_ascii_end()).err()?;
    // The position in the record.
    let (text, place) = (e.to_string(), format!(" at line {} column {}", e.line(), e.column()));
    let text = text.strip_suffix(&place).unwrap_or(&text);
    let what = format!(", column {}: not JSON: {text}", e.column());
    let line = e.line().saturating_sub(1) as u64;
    Some(DecodeError { line, what, is_of_schema: false })
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
