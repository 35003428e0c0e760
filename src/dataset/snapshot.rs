//! The state of a data set after a commit: its schema and its files.
//!
//! ```text
//! _commits/  … 4 │ 5 replaces │ 6 │ 7        read from the last back to the first that replaces those before it
//!                  group        group group   of files in order; each group with the schema and the bounds of its commit
//! no commits       one group of all visible files, in the order of their paths
//! ```

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, UInt64Array, new_null_array};
use arrow::compute::concat;
use arrow::datatypes::{FieldRef, Schema, SchemaRef};

use super::commit::{Commit, DataFile};
use super::file_statistics::{self, ColumnBounds};
use super::merge::Merger;
use super::partition;
use super::schema_adapter::evolve;
use crate::arrow::{BlockBounds, Bound, FileSettings, Node, RowSelection, prune_rows};
use crate::error::{Error, Result};

/// A data set at one time.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) schema: SchemaRef,
    /// The columns whose values are in paths.
    pub(super) partitions: Vec<FieldRef>,
    pub(super) groups: Vec<FileGroup>,
    /// The number of the last commit.
    pub(super) commit: Option<u64>,
    /// How the last files are written.
    pub(super) settings: FileSettings,
}

/// Files of one commit.
#[derive(Debug)]
pub(super) struct FileGroup {
    pub(super) files: Vec<DataFile>,
    /// Of the table that they are, without partition columns that are only in paths.
    schema: SchemaRef,
    bounds: Vec<ColumnBounds>,
    /// For each partition column, the value of each file.
    pub(super) values: Vec<ArrayRef>,
    /// The partition columns that files have, too. Their values are compared with those of the path, which do not prune.
    in_files: Vec<String>,
}

/// Reads commits from the last to the first that counts.
#[derive(Debug)]
pub(super) struct History {
    /// The numbers of the existing commits, ascending.
    numbers: Vec<u64>,
    /// Those read, descending.
    commits: Vec<(u64, Commit)>,
}

impl History {
    /// Of commits of these numbers.
    pub(super) fn new(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        Self { numbers, commits: Vec::new() }
    }

    /// Returns the numbers of the next commits to read, the last first, some at most.
    pub(super) fn next(&self, most: usize) -> Vec<u64> {
        let done = self.commits.last().is_some_and(|(_, commit)| commit.replaces);
        let left = if done { 0 } else { self.numbers.len() - self.commits.len() };
        self.numbers.iter().take(left).rev().take(most).copied().collect()
    }

    /// Takes the next commit.
    pub(super) fn push(&mut self, number: u64, bytes: Vec<u8>) -> Result<()> {
        match self.commits.last() {
            Some((_, last)) if last.replaces => return Ok(()),
            Some((after, _)) if number.checked_add(1) != Some(*after) => {
                return Err(Error::malformed(format!("commit {} is missing", after - 1)));
            }
            _ => {}
        }
        let commit = Commit::decode_numbered(number, bytes)?;
        self.commits.push((number, commit));
        Ok(())
    }

    /// Returns the snapshot after these commits; `None` if nothing was ever written.
    pub(super) fn finish(self) -> Result<Option<Snapshot>> {
        if let Some((first, commit)) = self.commits.last()
            && *first != 0
            && !commit.replaces
        {
            return Err(Error::malformed(format!("commit {} is missing", first - 1)));
        }
        Snapshot::of_commits(self.commits.into_iter().rev().collect())
    }
}

/// A file without commits: its path and its header.
#[derive(Debug)]
pub(super) struct PlainFile {
    pub(super) file: DataFile,
    pub(super) schema: SchemaRef,
    pub(super) settings: FileSettings,
}

impl Snapshot {
    fn of_commits(commits: Vec<(u64, Commit)>) -> Result<Option<Self>> {
        let number = commits.last().map(|(number, _)| *number);
        let mut merger = Merger::default();
        let mut names: Option<Vec<String>> = None;
        for (number, commit) in &commits {
            let Some(schema) = &commit.schema else { continue };
            merger.add(schema, &format!("commit {number}"))?;
            if *names.get_or_insert_with(|| commit.partitions.clone()) != commit.partitions {
                let what =
                    format!("commit {number} is partitioned by other columns than those before it");
                return Err(Error::malformed(what));
            }
        }
        let Some(schema) = merger.finish() else { return Ok(None) };
        let settings = commits.last().map(|(_, commit)| commit.settings).unwrap_or_default();
        let find = |name: String| schema.fields().find(&name).map(|(_, field)| field.clone());
        let partitions: Vec<_> = names.into_iter().flatten().filter_map(find).collect();
        let group = |(_, commit): (u64, Commit)| {
            let schema = commit.schema.unwrap_or_else(|| Arc::new(Schema::empty()));
            FileGroup::new(commit.files, schema, commit.bounds, &partitions)
        };
        let groups = commits.into_iter().map(group).collect::<Result<_>>()?;
        Ok(Some(Self { schema, partitions, groups, commit: number, settings }))
    }

    /// Of files that no commit names, in this order; `None` if there are none.
    pub(super) fn of_files(files: Vec<PlainFile>) -> Result<Option<Self>> {
        let partitions = partition::infer(files.iter().map(|plain| plain.file.path.as_str()))?;
        let mut merger = Merger::default();
        for plain in &files {
            merger.add(&without(&plain.schema, &partitions), &plain.file.path)?;
        }
        let Some(inner) = merger.finish() else { return Ok(None) };
        let fields = inner.fields().iter().chain(&partitions).cloned().collect::<Vec<_>>();
        let schema = Arc::new(Schema::new_with_metadata(fields, inner.metadata().clone()));
        let settings = files.last().map(|plain| plain.settings).unwrap_or_default();
        let names = partitions.iter().map(|field| field.name());
        let in_files = names
            .filter(|name| files.iter().any(|plain| plain.schema.fields().find(name).is_some()));
        let in_files = in_files.cloned().collect();
        let files = files.into_iter().map(|plain| plain.file).collect();
        // Of columns that some files lack nothing is known.
        let mut group = FileGroup::new(files, schema.clone(), Vec::new(), &partitions)?;
        group.in_files = in_files;
        Ok(Some(Self { schema, partitions, groups: vec![group], commit: None, settings }))
    }

    /// Returns the commit that has all of this.
    pub(super) fn into_commit(self) -> Commit {
        let partitions = self.partitions.iter().map(|field| field.name().clone()).collect();
        let files = self.groups.into_iter().flat_map(|group| group.files).collect();
        let (schema, settings) = (Some(self.schema), self.settings);
        Commit { schema, partitions, files, settings, ..Commit::default() }
    }

    /// Returns all files, in order.
    pub(super) fn files(&self) -> impl Iterator<Item = &DataFile> {
        self.groups.iter().flat_map(|group| &group.files)
    }

    /// Returns whether each file of a group may have rows that pass all these conditions.
    pub(super) fn may_pass(&self, group: &FileGroup, steps: &[Node]) -> Result<Vec<bool>> {
        let mut end = 0u64;
        let files = group.files.iter().map(|file| {
            let start = end;
            end = end.saturating_add(file.rows);
            start..end
        });
        let files: Vec<Range<u64>> = files.collect();
        let mut passing = RowSelection::from_consecutive_ranges(files.iter().cloned(), end);
        let mut known: HashMap<usize, Option<Rc<BlockBounds>>> = HashMap::new();
        for step in steps {
            let bound = Bound::new(step, self.schema.fields())?;
            let rows = prune_rows(&bound, end, |route| {
                let [place] = route.0.as_slice() else { return Ok(None) };
                let Some(field) = self.schema.fields().get(*place) else { return Ok(None) };
                let bounds = known.entry(*place);
                Ok(bounds.or_insert_with(|| self.bounds(group, &files, field).map(Rc::new)).clone())
            })?;
            passing = passing.intersection(&rows);
        }
        // The bounds of a file apply to all of its rows.
        let mut ranges = passing.ranges().iter().peekable();
        let passes = |file: &Range<u64>| {
            while ranges.next_if(|rows| rows.end <= file.start).is_some() {}
            !file.is_empty() && ranges.peek().is_some_and(|rows| rows.start < file.end)
        };
        Ok(files.iter().map(passes).collect())
    }

    /// Returns the bounds of a column in the files of a group, each of these rows.
    fn bounds(
        &self,
        group: &FileGroup,
        files: &[Range<u64>],
        field: &FieldRef,
    ) -> Option<BlockBounds> {
        let data_type = file_statistics::bounded(field.data_type())?;
        if group.in_files.contains(field.name()) {
            return None;
        }
        let rows = || files.iter().map(|rows| rows.end - rows.start);
        let partition = self.partitions.iter().position(|one| one.name() == field.name());
        let (min, max, nulls) = if let Some(value) = partition.and_then(|at| group.values.get(at)) {
            let value = evolve(value, data_type).ok()?;
            let nulls = rows().enumerate();
            let nulls = nulls.map(|(file, rows)| if value.is_null(file) { rows } else { 0 });
            (value.clone(), value.clone(), UInt64Array::from_iter_values(nulls))
        } else if group.schema.fields().find(field.name()).is_none() {
            let none = new_null_array(data_type, files.len());
            (none.clone(), none, UInt64Array::from_iter_values(rows()))
        } else {
            let bounds = group.bounds.iter().find(|bounds| bounds.name == *field.name())?;
            let evolved = |bound| evolve(bound, data_type).ok();
            (evolved(&bounds.min)?, evolved(&bounds.max)?, bounds.nulls.clone())
        };
        Some(BlockBounds::new(files.to_vec(), [min, max], nulls))
    }
}

/// What is known of the values of one column, a value for each file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FileStatistics {
    /// The minimum; null if it is unknown, or if all values are.
    pub min: ArrayRef,
    /// The maximum, under the same rule.
    pub max: ArrayRef,
    /// The number of nulls; null if it is unknown.
    pub null_counts: UInt64Array,
}

impl Snapshot {
    /// Returns the values of the partition columns, each an array with a value for each file.
    pub(super) fn partition_values(&self) -> Result<Vec<ArrayRef>> {
        let column = |at: usize| {
            let values: Vec<_> =
                self.groups.iter().filter_map(|group| group.values.get(at)).collect();
            let values: Vec<&dyn Array> = values.into_iter().map(AsRef::as_ref).collect();
            Ok(concat(&values)?)
        };
        (0..self.partitions.len()).map(column).collect()
    }

    /// Returns what is known of the values of a column in each file; `None` if nothing is.
    pub(super) fn file_statistics(&self, column: &str) -> Result<Option<FileStatistics>> {
        let Some((_, field)) = self.schema.fields().find(column) else {
            return Err(Error::invalid(format!("no column {column:?}")));
        };
        let Some(data_type) = file_statistics::bounded(field.data_type()) else { return Ok(None) };
        let (mut min, mut max, mut null_counts) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_known = false;
        for group in &self.groups {
            let rows: Vec<Range<u64>> = group.files.iter().map(|file| 0..file.rows).collect();
            let bounds = self.bounds(group, &rows, field);
            is_known |= bounds.is_some();
            let unknown = || new_null_array(data_type, rows.len());
            let (low, high, nulls) = bounds.map_or_else(
                || (unknown(), unknown(), UInt64Array::new_null(rows.len())),
                BlockBounds::into_parts,
            );
            min.push(low);
            max.push(high);
            null_counts.extend(nulls.iter());
        }
        let concat = |arrays: &[ArrayRef]| {
            concat(&arrays.iter().map(AsRef::as_ref).collect::<Vec<&dyn Array>>())
        };
        let null_counts = null_counts.into();
        let statistics = FileStatistics { min: concat(&min)?, max: concat(&max)?, null_counts };
        Ok(is_known.then_some(statistics))
    }
}

impl FileGroup {
    fn new(
        files: Vec<DataFile>,
        schema: SchemaRef,
        bounds: Vec<ColumnBounds>,
        partitions: &[FieldRef],
    ) -> Result<Self> {
        let value = |field: &FieldRef| {
            partition::column(field, files.iter().map(|file| file.path.as_str()))
        };
        let values = partitions.iter().map(value).collect::<Result<_>>()?;
        Ok(Self { files, schema, bounds, values, in_files: Vec::new() })
    }
}

/// Returns a schema without columns whose values are in paths.
pub(super) fn without(schema: &Schema, partitions: &[FieldRef]) -> Schema {
    let is_inside = |field: &&FieldRef| !partitions.iter().any(|one| one.name() == field.name());
    let fields = schema.fields().iter().filter(is_inside).cloned().collect::<Vec<_>>();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}
