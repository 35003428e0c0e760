//! Verifies what commits say of the values of files.
//!
//! ```text
//! commit   min, max, null count of each column and file     each value is compared with them, without the code that
//! file     rows                                             computed them
//! ```

use arrow::array::{Array, ArrayRef, BooleanArray, Datum, Scalar};
use arrow::compute::kernels::cmp;
use arrow::datatypes::DataType;

use super::schema_adapter::evolve;
use super::{DataFile, Dataset, FileStatistics};
use crate::arrow::{ArrowReaderBuilder, ProjectionMask};
use crate::error::{Error, Result};

impl Dataset {
    /// Compares the statistics in commits with the rows of the files. Returns the first difference of each file, with
    /// its path; a file that cannot be read is one.
    pub fn verify_statistics(&self) -> Result<Vec<Error>> {
        let schema = self.schema();
        let known = schema
            .fields()
            .iter()
            .map(|field| Ok((field.name().as_str(), self.file_statistics(field.name())?)));
        let known = known.collect::<Result<Vec<_>>>()?;
        let faults = self.files().enumerate().filter_map(|(at, file)| {
            self.verify_file(at, file, &known).err().map(|e| e.in_file(&file.path))
        });
        Ok(faults.collect())
    }

    fn verify_file(
        &self,
        at: usize,
        file: &DataFile,
        known: &[(&str, Option<FileStatistics>)],
    ) -> Result<()> {
        let builder = ArrowReaderBuilder::try_new(self.place.open(&file.path)?)?;
        let schema = builder.schema().clone();
        let columns = known.iter().filter_map(|(name, known)| {
            let place = schema.index_of(name).ok()?;
            Some((place, *name, SeenColumn::new(known.as_ref()?, at)))
        });
        let mut columns: Vec<_> = columns.collect();
        let mask = ProjectionMask::roots(&schema, columns.iter().map(|(place, ..)| *place))?;
        for batch in builder.with_projection(mask).build()? {
            let batch = batch?;
            for (_, name, column) in &mut columns {
                let Some(array) = batch.column_by_name(name) else { continue };
                column.compare(array).map_err(|e| e.in_column(name))?;
            }
        }
        columns
            .iter()
            .try_for_each(|(_, name, column)| column.finish().map_err(|e| e.in_column(name)))
    }
}

/// What a commit says of a column in a file, and what its rows have shown.
struct SeenColumn {
    /// The minimum and maximum, an array of one each, unless they are unknown.
    bounds: [Option<ArrayRef>; 2],
    null_count: Option<u64>,
    nulls: u64,
    /// Whether a row has each of the bounds. Those of dictionaries may be of values that no row has.
    has_bounds: [bool; 2],
}

impl SeenColumn {
    fn new(known: &FileStatistics, at: usize) -> Self {
        let bound = |bounds: &ArrayRef| bounds.is_valid(at).then(|| bounds.slice(at, 1));
        let null_count = known.null_counts.is_valid(at).then(|| known.null_counts.value(at));
        let bounds = [bound(&known.min), bound(&known.max)];
        Self { bounds, null_count, nulls: 0, has_bounds: [false; 2] }
    }

    /// Compares the values of a batch.
    fn compare(&mut self, array: &ArrayRef) -> Result<()> {
        self.nulls += array.logical_null_count() as u64;
        let is_dictionary = matches!(array.data_type(), DataType::Dictionary(..));
        let wrong = [(cmp::lt as Compare, "minimum"), (cmp::gt as Compare, "maximum")];
        let ends = self.bounds.iter().zip(&mut self.has_bounds).zip(wrong);
        for ((bound, has_bound), (is_wrong, name)) in ends {
            let Some(bound) = bound else { continue };
            let values = evolve(array, bound.data_type())?;
            let bound = Scalar::new(bound.clone());
            if is_wrong(&values, &bound)?.true_count() > 0 {
                return Err(Error::malformed(format!("a value exceeds the {name} of the commit")));
            }
            *has_bound |= is_dictionary || cmp::eq(&values, &bound)?.true_count() > 0;
        }
        Ok(())
    }

    /// Compares what only all rows show.
    fn finish(&self) -> Result<()> {
        if let Some(said) = self.null_count.filter(|said| *said != self.nulls) {
            let what = format!("{} nulls, but {said} by the commit", self.nulls);
            return Err(Error::malformed(what));
        }
        let names = ["minimum", "maximum"].into_iter().zip(&self.bounds).zip(self.has_bounds);
        match names.into_iter().find(|((_, bound), has_bound)| bound.is_some() && !has_bound) {
            Some(((name, _), _)) => {
                Err(Error::malformed(format!("no row has the {name} of the commit")))
            }
            None => Ok(()),
        }
    }
}

type Compare = fn(&dyn Datum, &dyn Datum) -> Result<BooleanArray, arrow::error::ArrowError>;
