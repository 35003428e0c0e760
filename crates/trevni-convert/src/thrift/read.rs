//! Decodes structs to columns.
//!
//! ```text
//! buffered bytes ─► a struct ─► Grow ─┬─ complete and valid: a row
//!                                    ├─ cut off: taken back, more bytes, again
//!                                    └─ does not fit: taken back; its bytes are passed by their own types
//! ```

use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow::array::{AsArray, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow::datatypes::{DataType, Field as ArrowField, SchemaRef};
use arrow::error::ArrowError;

use super::ThriftProtocol;
use super::input::Input;
use super::record::Record;
use super::value::Values;
use crate::rows::Grow;
use crate::thrift_protocol::binary::Binary;
use crate::thrift_protocol::compact::Compact;
use crate::thrift_protocol::{Decode, skip_struct};
use crate::{ReadOptions, Report};
use trevni::wire::Cursor;
use trevni::{Error, ErrorKind, Result};

/// A batch ends at this number of bytes, even if it has few rows.
const BATCH_BYTES: u64 = 16 << 20;

/// Reads adjacent structs.
#[derive(Debug)]
pub(super) struct Structs {
    input: Input,
    protocol: ThriftProtocol,
    record: Arc<Record>,
    schema: SchemaRef,
    grow: Grow,
    batch_size: usize,
    skip_bad: u64,
    report: Arc<Report>,
    /// The number of the struct at hand, from 0.
    number: u64,
    ended: bool,
}

impl Structs {
    pub(super) fn new(
        input: Input,
        protocol: ThriftProtocol,
        record: Arc<Record>,
        options: &ReadOptions,
    ) -> Result<Self> {
        let schema = Arc::new(record.schema()?);
        let row = ArrowField::new("row", DataType::Struct(schema.fields().clone()), false);
        let mut grow = Grow::new(&Arc::new(row))?;
        record.name_symbols(&mut grow)?;
        Ok(Self {
            input,
            protocol,
            record,
            schema,
            grow,
            batch_size: options.batch_size.max(1),
            skip_bad: options.skip_bad,
            report: options.report.clone(),
            number: 0,
            ended: false,
        })
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        let mut bytes = 0;
        while self.grow.len() < self.batch_size && bytes < BATCH_BYTES {
            if self.input.rest().is_empty() && !self.input.more(1)? {
                break;
            }
            bytes += match self.protocol {
                ThriftProtocol::Binary => self.row::<Binary>()?,
                ThriftProtocol::Compact => self.row::<Compact>()?,
            };
        }
        let rows = self.grow.len();
        if rows == 0 {
            return Ok(None);
        }
        let columns = self.grow.finish()?.as_struct().columns().to_vec();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(Some(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?))
    }

    /// Reads a row, or passes a bad one. Returns about how many bytes it takes in memory.
    fn row<P: Decode>(&mut self) -> Result<u64> {
        let rows = self.grow.len();
        loop {
            let mut cursor = Cursor::new(self.input.rest());
            let mut values = Values::default();
            let read = values.record::<P>(&mut cursor, &self.record, &mut self.grow, 1);
            let e = match read {
                Ok(()) => {
                    let bytes = cursor.position();
                    self.pass(bytes);
                    if values.unknown > 0 {
                        self.report.unknown_fields.fetch_add(values.unknown, Ordering::Relaxed);
                    }
                    return Ok(bytes.saturating_add(values.made));
                }
                Err(e) => e,
            };
            self.grow.truncate(rows);
            let mut all = Cursor::new(self.input.rest());
            match skip_struct::<P>(&mut all, 1) {
                Ok(()) => {
                    let bytes = all.position();
                    self.report.pass_over(self.skip_bad, self.bad(&values.path(), &e))?;
                    self.pass(bytes);
                    return Ok(0);
                }
                Err(cut) => self.more(cut)?,
            }
        }
    }

    fn pass(&mut self, bytes: u64) {
        self.input.take(bytes);
        self.number += 1;
    }

    /// Reads on where a struct is cut off. Any other error is final, and so is the end of the input.
    fn more(&mut self, e: Error) -> Result<()> {
        let position = self.input.position;
        if let ErrorKind::Truncated { missing, .. } = e.kind()
            && self.input.more(*missing).map_err(|e| e.at(position))?
        {
            return Ok(());
        }
        let place = position.saturating_add(e.location().offset.unwrap_or(0));
        Err(self.bad("", &e).at(place))
    }

    /// Returns the error of the struct at hand.
    fn bad(&self, path: &str, e: &Error) -> Error {
        let what = match e.kind() {
            ErrorKind::Malformed(what) => what.clone(),
            ErrorKind::Truncated { what, missing } => {
                format!("input ends {missing} bytes short of {what}")
            }
            other => other.to_string(),
        };
        let (number, position) = (self.number, self.input.position);
        Error::malformed(format!("struct {number} at byte {position}{path}: {what}"))
    }
}

impl Iterator for Structs {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.batch().transpose();
        self.ended = !matches!(batch, Some(Ok(_)));
        batch.map(|batch| batch.map_err(ArrowError::from))
    }
}

impl RecordBatchReader for Structs {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
