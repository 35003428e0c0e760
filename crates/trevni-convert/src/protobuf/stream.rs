//! Reads batches from a stream of messages.
//!
//! ```text
//! length ─ message ─► a row      length ─ message that is bad ─► passed over, or an error      length ─ too little
//!                                                                                              ─► always an error
//! ```
//! After a bad message the stream continues, since its length is known. After a wrong length the rest is lost.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow::array::{Array, AsArray, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow::datatypes::{DataType, Field, SchemaRef};
use arrow::error::ArrowError;

use super::message_layout::{FieldKind, Member, Record, Rule};
use super::read::{Reader, Seen};
use super::{LONGEST, ProtobufType};
use crate::rows::Grow;
use crate::{ReadOptions, Report};
use trevni::{Error, ErrorKind, Result};

/// Bytes of messages, or values that they make, that end a batch before it has all its rows.
const BATCH_BYTES: usize = 16 << 20;
const BATCH_VALUES: u64 = 1 << 24;

const BUFFER: usize = 1 << 16;

/// Rows that are read from messages.
pub(super) struct Messages<R> {
    input: BufReader<R>,
    of: ProtobufType,
    rows: Grow,
    batch_size: usize,
    skip_bad: u64,
    report: Arc<Report>,
    /// The maximum number of bytes of a message.
    longest: u64,
    /// The current message: its bytes, its index, and the position of its length.
    message: Vec<u8>,
    number: u64,
    start: u64,
    /// How far the stream is read.
    at: u64,
    seen: Vec<Seen>,
    is_over: bool,
}

impl<R: Read> Messages<R> {
    pub(super) fn new(input: R, of: ProtobufType, options: &ReadOptions) -> Result<Self> {
        let whole = DataType::Struct(of.schema.fields().clone());
        let mut rows = Grow::new(&Arc::new(Field::new("row", whole, false)))?;
        name_all(&of.record, &mut rows)?;
        rows.truncate(0);
        Ok(Self {
            input: BufReader::with_capacity(BUFFER, input),
            of,
            rows,
            batch_size: options.batch_size.max(1),
            skip_bad: options.skip_bad,
            report: options.report.clone(),
            longest: LONGEST.min(options.limits.block_bytes as u64),
            message: Vec::new(),
            number: 0,
            start: 0,
            at: 0,
            seen: Vec::new(),
            is_over: false,
        })
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        let (mut bytes, mut values) = (0, 0);
        while self.rows.len() < self.batch_size {
            if self.rows.len() > 0 && (bytes >= BATCH_BYTES || values >= BATCH_VALUES) {
                break;
            }
            if !self.next_message()? {
                break;
            }
            bytes += self.message.len();
            values += self.row()?;
            self.number += 1;
        }
        if self.rows.len() == 0 {
            return Ok(None);
        }
        let rows = self.rows.finish()?;
        let rows =
            rows.as_struct_opt().ok_or_else(|| Error::malformed("rows that are no struct"))?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let (schema, columns) = (self.of.schema.clone(), rows.columns().to_vec());
        Ok(Some(RecordBatch::try_new_with_options(schema, columns, &options)?))
    }

    /// Makes a row of the message at hand, or passes it over. Returns how many values it made.
    fn row(&mut self) -> Result<u64> {
        let before = self.rows.len();
        let mut reader = Reader::new(&self.message, &mut self.seen);
        match reader.row(&self.of.record, &mut self.rows) {
            Ok(()) => {
                self.report.unknown_fields.fetch_add(reader.unknown, Ordering::Relaxed);
                Ok(reader.values)
            }
            Err(fault) => {
                self.rows.truncate(before);
                let row = format!("message {} at byte {}", self.number, self.start);
                self.report.pass_over(self.skip_bad, fault.of(&row))?;
                Ok(0)
            }
        }
    }

    /// Reads the next message. Returns whether there is one. Memory grows only with the bytes that exist.
    fn next_message(&mut self) -> Result<bool> {
        self.start = self.at;
        self.message.clear();
        let Some(size) = self.size()? else { return Ok(false) };
        if size > self.longest {
            return Err(Error::too_large("a message", size, self.longest).at(self.start));
        }
        let mut missing = usize::try_from(size).map_err(|_| self.endless())?;
        while missing > 0 {
            let there = more(&mut self.input)?;
            let part = there.get(..missing).unwrap_or(there);
            if part.is_empty() {
                return Err(self.ends("a message", missing as u64));
            }
            let n = part.len();
            self.message.extend_from_slice(part);
            self.input.consume(n);
            self.at += n as u64;
            missing -= n;
        }
        Ok(true)
    }

    /// Returns the length of the next message; none at the end of the stream.
    fn size(&mut self) -> Result<Option<u64>> {
        let (mut size, mut shift) = (0, 0);
        loop {
            let Some(byte) = more(&mut self.input)?.first().copied() else {
                return if shift == 0 {
                    Ok(None)
                } else {
                    Err(self.ends("the length of a message", 1))
                };
            };
            self.input.consume(1);
            self.at += 1;
            if shift == 63 && byte > 1 {
                return Err(self.endless());
            }
            size |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(Some(size));
            }
            shift += 7;
        }
    }

    fn ends(&self, what: &'static str, missing: u64) -> Error {
        Error::new(ErrorKind::Truncated { what, missing }).at(self.start)
    }

    fn endless(&self) -> Error {
        let what = format!("the length of message {} has no end", self.number);
        Error::malformed(what).at(self.start)
    }
}

/// Returns the buffered bytes; empty at the end.
fn more(input: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match input.fill_buf() {
            Ok(_) => break,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    input.fill_buf()
}

/// Adds all names of enumerations to the columns, so that batches have the same dictionaries unless a number
/// without a name occurs.
fn name_all(record: &Record, rows: &mut Grow) -> Result<()> {
    for (i, column) in record.columns.iter().enumerate() {
        let members = record.members.get(column.members.clone()).unwrap_or_default();
        for (branch, member) in (1..).zip(members) {
            let to = rows.child(i)?;
            match &member.rule {
                _ if column.is_oneof => name_kind(member, to.branch(branch)?)?,
                Rule::Repeated { .. } => name_kind(member, to.item()?)?,
                Rule::Map(entry) => name_kind(&entry.value, to.entry()?.1)?,
                _ => name_kind(member, to)?,
            }
        }
    }
    Ok(())
}

fn name_kind(member: &Member, to: &mut Grow) -> Result<()> {
    match &member.kind {
        FieldKind::Enum(names) => {
            let mut all = names.order.iter().filter_map(|number| names.names.get(number));
            all.try_for_each(|name| to.know(name))
        }
        FieldKind::Record { record, .. } => name_all(record, to),
        _ => Ok(()),
    }
}

impl<R: Read> Iterator for Messages<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let batch = self.batch().map_err(ArrowError::from).transpose();
        self.is_over = !matches!(batch, Some(Ok(_)));
        batch
    }
}

impl<R: Read> RecordBatchReader for Messages<R> {
    fn schema(&self) -> SchemaRef {
        self.of.schema.clone()
    }
}
