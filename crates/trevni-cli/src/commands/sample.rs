//! `trevni sample`: prints a uniform sample of rows, in file order.
//!
//! All rows are read once; a reservoir keeps as many as are wanted.

use std::path::PathBuf;

use arrow::array::{RecordBatch, RecordBatchIterator, UInt64Array};
use arrow::compute::{concat_batches, take_record_batch};

use crate::args::rename::RenameArgs;
use crate::exit::CliError;
use crate::input::progress::RowProgress;
use crate::input::rows::{Opened, ReadArgs, batch_fault};
use crate::output::print::PrintArgs;

/// Print random rows, ten unless `-n` says otherwise.
///
/// Each row has the same probability; the rows are in the order of the file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of rows, folders, patterns such as 'data/*.csv', or URLs; `-` is standard input. Several are one table.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    rename: RenameArgs,
    /// How many rows.
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Chooses the same rows for the same number.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: Args) -> Result<(), CliError> {
    let random = args.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
    let sampled = |opened| sampled(opened, args.limit, random.clone());
    let opened = args.read.read_all(&args.files, sampled)?;
    args.print.print(opened.renamed(&args.rename)?, &args.read.csv)
}

/// Reads all rows, and keeps some.
fn sampled(opened: Opened, limit: usize, random: fastrand::Rng) -> Result<Opened, CliError> {
    let schema = opened.rows.schema();
    let mut progress = RowProgress::new(&opened.input_size());
    let mut reservoir = Reservoir { limit, random, seen: 0, kept: Vec::new() };
    for batch in opened.rows {
        let batch = batch.map_err(|e| batch_fault(&opened.name, e))?;
        reservoir.add(&batch).map_err(|e| batch_fault(&opened.name, e))?;
        progress.add(batch.num_rows());
    }
    let mut kept = reservoir.kept;
    kept.sort_unstable_by_key(|(row, _)| *row);
    // Strings may be too long for one batch.
    let batches = match concat_batches(&schema, kept.iter().map(|(_, row)| row)) {
        Ok(batch) => vec![batch],
        Err(_) => kept.into_iter().map(|(_, row)| row).collect(),
    };
    let rows = Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema));
    Ok(Opened { rows, ..opened })
}

/// A random sample of the rows so far, each with the same probability.
struct Reservoir {
    limit: usize,
    random: fastrand::Rng,
    /// The number of rows so far.
    seen: u64,
    /// The numbers of rows, and the rows.
    kept: Vec<(u64, RecordBatch)>,
}

impl Reservoir {
    fn add(&mut self, batch: &RecordBatch) -> Result<(), arrow::error::ArrowError> {
        for row in 0..batch.num_rows() as u64 {
            let number = self.seen;
            self.seen += 1;
            let slot = match self.kept.len() < self.limit {
                true => self.kept.len(),
                // The first `limit` of all numbers up to this row's own are slots.
                false => match usize::try_from(self.random.u64(..=number)) {
                    Ok(slot) if slot < self.limit => slot,
                    _ => continue,
                },
            };
            // A copy, so that the batch does not stay in memory.
            let one = take_record_batch(batch, &UInt64Array::from(vec![row]))?;
            match self.kept.get_mut(slot) {
                Some(kept) => *kept = (number, one),
                None => self.kept.push((number, one)),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, AsArray, Int32Array};
    use arrow::datatypes::Int32Type;

    use super::*;

    #[test]
    fn every_row_is_chosen_as_often_as_any_other() {
        let mut times = [0; 20];
        for seed in 0..2000 {
            let random = fastrand::Rng::with_seed(seed);
            let mut reservoir = Reservoir { limit: 5, random, seen: 0, kept: Vec::new() };
            for (from, to) in [(0, 7), (7, 9), (9, 20)] {
                let rows: ArrayRef = Arc::new(Int32Array::from_iter_values(from..to));
                reservoir.add(&RecordBatch::try_from_iter([("n", rows)]).unwrap()).unwrap();
            }
            assert_eq!(reservoir.kept.len(), 5);
            for (number, row) in reservoir.kept {
                assert_eq!(row.column(0).as_primitive::<Int32Type>().value(0) as u64, number);
                times[usize::try_from(number).unwrap()] += 1;
            }
        }
        // 500 are expected; 100 are five standard deviations.
        assert!(times.iter().all(|times| (400..600).contains(times)), "{times:?}");
    }
}
