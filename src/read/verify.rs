//! Verifies every byte of a file that carries meaning, and reports each fault.
//!
//! ```text
//! descriptors ─► rows against the header, ends against the file
//! block       ─► checksum, decompression ─► values, against the rows and the counts of the parents
//! statistics  ─► whether they can be read ─► recomputed from the values
//! ```
//! Verification continues after a faulty block. Blocks of children whose parent has a faulty block cannot be
//! decoded; only the fault of the parent is reported.

mod block_check;

use self::block_check::{SeenValues, StatedOfBlocks};
use super::block_decoder::BlockDecoder;
use super::file_reader::FileReader;
use crate::checksum::Verdict;
use crate::error::{Error, ErrorKind, Result};
use crate::format::column_data::ColumnData;
use crate::format::column_metadata::ColumnMetadata;
use crate::format::value::ValueType;
use crate::io::ReadAt;
use crate::keys::{ARROW_SCHEMA, LAYOUT};

/// Rows decoded at a time.
const ROWS: usize = 8192;

/// The same of a column of nulls, which takes no bytes whatever its rows.
const NULL_ROWS: usize = u32::MAX as usize;

/// The result of verifying a file.
#[derive(Debug, Default)]
pub struct Verification {
    /// The number of verified blocks.
    pub blocks: u64,
    /// Blocks whose checksum is right.
    pub verified: u64,
    /// Blocks that have no checksum, or whose writer left it 0.
    pub unchecked: u64,
    /// The faults, with their locations.
    pub faults: Vec<Error>,
    /// What exceeds the [limits](crate::io::Limits) of the reader and was not verified, with its location.
    pub exceeded: Vec<Error>,
}

impl Verification {
    /// Returns whether all is verified, and without a fault.
    pub fn is_ok(&self) -> bool {
        self.faults.is_empty() && self.exceeded.is_empty()
    }

    /// Adds an error by its kind.
    pub fn push(&mut self, error: Error) {
        match error.kind() {
            ErrorKind::TooLarge { .. } => self.exceeded.push(error),
            _ => self.faults.push(error),
        }
    }

    /// Adds what was found in a file, or why nothing was. Errors have the name of the file.
    pub fn extend(&mut self, found: Result<Self>, file: &str) {
        match found {
            Ok(found) => {
                self.blocks += found.blocks;
                self.verified += found.verified;
                self.unchecked += found.unchecked;
                let errors = found.faults.into_iter().chain(found.exceeded);
                errors.for_each(|error| self.push(error.in_file(file)));
            }
            Err(error) => self.push(error.in_file(file)),
        }
    }

    /// Moves to `exceeded` what belongs there.
    fn sorted(mut self) -> Self {
        let faults = std::mem::take(&mut self.faults);
        faults.into_iter().for_each(|error| self.push(error));
        self
    }
}

/// Returns whether a column has nothing but nulls, one a row.
pub(crate) fn is_of_nulls(column: &ColumnMetadata) -> bool {
    let is_plain = !column.is_array() && column.parent().is_none();
    is_plain && column.value_type() == ValueType::Null
}

impl<R: ReadAt> FileReader<R> {
    /// Verifies every block of every column. `progress` is called for each column that is done.
    pub fn verify(&self, mut progress: impl FnMut(usize)) -> Verification {
        let mut seen = Verification::default();
        seen.faults.extend(self.check_schema_key().err());
        for column in 0..self.columns().len() {
            self.verify_into(column, &mut seen);
            progress(column);
        }
        seen.sorted()
    }

    /// Verifies every block of a column.
    pub fn verify_column(&self, column: usize) -> Verification {
        let mut seen = Verification::default();
        self.verify_into(column, &mut seen);
        seen.sorted()
    }

    /// Fails if the layout of a schema is stated, and the schema is not: the header has no checksum.
    fn check_schema_key(&self) -> Result<()> {
        let metadata = &self.header().metadata;
        match metadata.get(LAYOUT).is_some() && metadata.get(ARROW_SCHEMA).is_none() {
            true => Err(Error::malformed(format!("the file has {LAYOUT}, but no {ARROW_SCHEMA}"))),
            false => Ok(()),
        }
    }

    fn verify_into(&self, column: usize, seen: &mut Verification) {
        let verified = self.verify_blocks(column, seen);
        seen.faults.extend(verified.err());
    }

    fn verify_blocks(&self, column: usize, seen: &mut Verification) -> Result<()> {
        let name = self.column(column)?.name();
        let blocks = self.blocks(column)?;
        let in_column = |e: Error| e.in_column(name);
        let opener = BlockDecoder::new(self.header(), column, *self.limits());
        let mut opener = opener.map_err(in_column)?;
        let checksum = opener.checksum();
        for (i, block) in blocks.iter().enumerate() {
            seen.blocks += 1;
            match self.read_block(block, checksum).and_then(|stored| opener.open(block, stored)) {
                Ok(Verdict::Verified) => seen.verified += 1,
                Ok(Verdict::Absent | Verdict::NotChecked) => seen.unchecked += 1,
                Err(e) => seen.faults.push(in_column(e.in_block_at(i, block.offset))),
            }
        }
        self.verify_values(column, seen)
    }

    fn verify_values(&self, column: usize, seen: &mut Verification) -> Result<()> {
        let (meta, blocks) = (self.column(column)?, self.blocks(column)?);
        let mut stated = match StatedOfBlocks::read(self, column) {
            Ok(stated) => stated,
            Err(fault) => {
                seen.faults.push(fault);
                None
            }
        };
        // A parent that cannot be read at all has been named on its own.
        let Ok(mut reader) = self.projected_reader(&[column]) else { return Ok(()) };
        let rows = if is_of_nulls(meta) { NULL_ROWS } else { ROWS };
        let (mut number, mut values) = (0, SeenValues::default());
        loop {
            // Of one block at a time, if something is stated of its values.
            while blocks.get(number).is_some_and(|block| block.end_row() <= reader.row()) {
                (number, values) = (number + 1, SeenValues::default());
            }
            let Some(block) = blocks.get(number) else { break };
            let left = match &stated {
                Some(_) => usize::try_from(block.end_row() - reader.row()).unwrap_or(usize::MAX),
                None => usize::MAX,
            };
            let mut data = [ColumnData::of(meta)];
            match reader.read(rows.min(left), &mut data) {
                Ok(0) => break,
                Ok(_) => {
                    let Some(stated) = &mut stated else { continue };
                    let [data] = &data;
                    stated.add(number, &data.values, &mut values);
                    if reader.row() == block.end_row() {
                        let checked = stated.check(number, block, &values);
                        let placed = |e: Error| e.in_column(meta.name());
                        let placed = |e| placed(e).in_block_at(number, block.offset);
                        seen.faults.extend(checked.map_err(placed).err());
                    }
                }
                Err(fault) => {
                    let behind = self.row_behind(&fault, reader.row());
                    if !self.is_known(&fault, meta.name(), &seen.faults) {
                        seen.faults.push(fault);
                    }
                    reader.seek(behind);
                    // What follows within the block is not all of it.
                    stated = None;
                }
            }
        }
        let ascending = stated.map_or(Ok(()), |stated| stated.check_ascending());
        seen.faults.extend(ascending.map_err(|e| e.in_column(meta.name())).err());
        Ok(())
    }

    /// Returns whether a fault is another column's, or was found when its block was opened.
    fn is_known(&self, fault: &Error, name: &str, faults: &[Error]) -> bool {
        fault.location().column.as_deref() != Some(name)
            || faults.iter().any(|known| known.location() == fault.location())
    }

    /// Returns the first row after the block of a fault, but at least `row` + 1.
    fn row_behind(&self, fault: &Error, row: u64) -> u64 {
        let place = fault.location();
        let end = (0..self.columns().len())
            .filter(|i| self.column(*i).is_ok_and(|c| Some(c.name()) == place.column.as_deref()))
            .filter_map(|i| self.blocks(i).ok())
            .filter_map(|blocks| {
                let block = blocks.get(place.block?)?;
                (Some(block.offset) == place.offset).then(|| block.end_row())
            })
            .next();
        end.unwrap_or(u64::MAX).max(row.saturating_add(1))
    }
}
