//! Schema resolution: reads rows of the writer's schema as rows of the reader's schema.
//!
//! ```text
//! the writer's schema ┐
//! the reader's schema ┼── resolve ──► ResolutionStep      how to decode the next bytes, and their column
//! its shape           ┘
//!
//! int -> long, float, double   long -> float, double   float -> double   string <-> bytes
//! record   fields by name or alias; one that only the writer has is skipped, one that only the reader has is its
//!          default                      enum   by symbol, or the reader's default symbol
//! union    the first branch of the reader's that is the writer's, or else one that takes it
//! ```
//! What can only be known from the data (a branch, a symbol that the reader lacks) fails when it comes.
//! (Avro specification: "Schema Resolution".)

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::defaults::{Push, constant};
use super::union_branch::choose;
use crate::arrow::avro::parse::Notes;
use crate::arrow::avro::{Avro, Logical, Primitive};
use crate::arrow::layout::field_layout::FieldLayout;
use crate::error::{Error, Result};

/// What to do with the next bytes of a row.
#[derive(Debug)]
pub(crate) enum ResolutionStep {
    /// A value of a column.
    Leaf { column: usize, read: Read },
    /// Blocks of items.
    List { counts: usize, item: Box<ResolutionStep> },
    /// Blocks of keys and values.
    Map { counts: usize, key: usize, value: Box<ResolutionStep> },
    /// The fields of a record, in order.
    Record(Vec<ResolutionStep>),
    /// The number of a branch, and a value of it.
    Union(Vec<Branch>),
    /// A value of the one branch that there is.
    Branch(Box<Branch>),
    /// A value that is skipped.
    Skip(Avro),
    /// No bytes, but values.
    Constant(Vec<Push>),
}

/// A branch of the writer's: what it is to the reader.
#[derive(Debug)]
pub(crate) struct Branch {
    /// A count for each of these columns.
    pub(crate) counts: Vec<(usize, u32)>,
    /// The value, if there is one; or why there cannot be.
    pub(crate) step: Result<Option<ResolutionStep>, String>,
}

/// How a value is read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Read {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Bytes,
    Text,
    TextOfBytes,
    Fixed(usize),
    /// A decimal of at most these digits, in bytes or in this many.
    Decimal(u8, Option<usize>),
    Enum(Ordinals),
    LongOfInt,
    FloatOfInt,
    DoubleOfInt,
    FloatOfLong,
    DoubleOfLong,
    DoubleOfFloat,
}

/// The reader's ordinals of the symbols of a writer's enum.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ordinals {
    /// The writer's symbols.
    symbols: Arc<[String]>,
    /// The reader's ordinal of each, if it has the symbol; `None` if the lists are the same.
    of: Option<Vec<Option<i32>>>,
}

impl Ordinals {
    /// Returns the reader's ordinal of one of the writer's.
    pub(crate) fn get(&self, at: i64) -> Result<i32, Error> {
        let symbol = usize::try_from(at).ok().and_then(|i| Some((i, self.symbols.get(i)?)));
        let missing = || Error::malformed(format!("an enum has no symbol {at}"));
        let (i, symbol) = symbol.ok_or_else(missing)?;
        match &self.of {
            None => i32::try_from(i).map_err(|_| missing()),
            Some(of) => of.get(i).copied().flatten().ok_or_else(|| {
                Error::malformed(format!("the reader's schema has no symbol {symbol}"))
            }),
        }
    }
}

/// Resolves the schema of the writer against that of the reader, whose layouts are given.
pub(crate) fn resolve(
    writer: &Avro,
    reader: &Avro,
    notes: &Notes,
    shapes: &[FieldLayout],
) -> Result<ResolutionStep> {
    let resolver = Resolver { notes };
    let step = match (writer, reader, shapes) {
        (Avro::Record { .. }, Avro::Record { .. }, shapes) => {
            resolver.record(writer, reader, shapes)
        }
        (_, reader, [shape]) if !matches!(reader, Avro::Record { .. }) => {
            resolver.node(writer, reader, shape)
        }
        _ => Err(unlike(writer, reader)),
    };
    step.map_err(Error::invalid)
}

/// Why a step cannot be.
type Why = String;

/// A field of a record: its name and type.
type Field = (String, Avro);

struct Resolver<'a> {
    notes: &'a Notes,
}

fn unlike(writer: &Avro, reader: &Avro) -> Why {
    format!("{} cannot be read as {}", writer.full_name(), reader.full_name())
}

impl Resolver<'_> {
    fn node(
        &self,
        writer: &Avro,
        reader: &Avro,
        shape: &FieldLayout,
    ) -> Result<ResolutionStep, Why> {
        match (writer, reader, shape) {
            (Avro::Union(branches), ..) => {
                let branch = |branch| self.branch(branch, reader, shape);
                let branches = branches.iter().map(branch).collect::<Vec<_>>();
                if let Some(Err(why)) = branches.iter().map(|branch| &branch.step).next()
                    && branches.iter().all(|branch| branch.step.is_err())
                {
                    return Err(why.clone());
                }
                Ok(ResolutionStep::Union(branches))
            }
            (writer, Avro::Union(_), _) => {
                let Branch { counts, step } = self.branch(writer, reader, shape);
                let branch = Branch { counts, step: Ok(step?) };
                Ok(ResolutionStep::Branch(Box::new(branch)))
            }
            (Avro::Record { .. }, Avro::Record { .. }, FieldLayout::Record(shapes)) => {
                self.record(writer, reader, shapes)
            }
            (Avro::Array(writer), Avro::Array(reader), FieldLayout::List { counts, inner }) => {
                let item = Box::new(self.node(writer, reader, inner)?);
                Ok(ResolutionStep::List { counts: *counts, item })
            }
            (Avro::Map(writer), Avro::Map(reader), FieldLayout::Map { counts, key, value }) => {
                let FieldLayout::Leaf { column: key } = **key else {
                    return Err("keys of a map are strings".to_owned());
                };
                let value = Box::new(self.node(writer, reader, value)?);
                Ok(ResolutionStep::Map { counts: *counts, key, value })
            }
            (writer, reader, FieldLayout::Leaf { column }) => {
                let read = self.leaf(writer, reader).ok_or_else(|| unlike(writer, reader))?;
                Ok(ResolutionStep::Leaf { column: *column, read })
            }
            _ => Err(unlike(writer, reader)),
        }
    }

    fn record(
        &self,
        writer: &Avro,
        reader: &Avro,
        shapes: &[FieldLayout],
    ) -> Result<ResolutionStep, Why> {
        let (Avro::Record { fields: theirs, .. }, Avro::Record { name, fields: ours }) =
            (writer, reader)
        else {
            return Err(unlike(writer, reader));
        };
        let pairs = self.pairs(name, theirs, ours);
        let mut steps = Vec::with_capacity(theirs.len());
        for ((their_name, theirs), at) in theirs.iter().zip(&pairs) {
            let ours = at.and_then(|at| Some((ours.get(at)?, shapes.get(at)?)));
            let step = match ours {
                Some(((_, our), shape)) => self.node(theirs, our, shape),
                None => Ok(ResolutionStep::Skip(theirs.clone())),
            };
            steps.push(step.map_err(|why| format!("field {their_name}: {why}"))?);
        }
        let found: HashSet<usize> = pairs.into_iter().flatten().collect();
        for (at, ((our_name, our), shape)) in ours.iter().zip(shapes).enumerate() {
            if !found.contains(&at) {
                steps.push(self.default(name, our_name, our, shape)?);
            }
        }
        Ok(ResolutionStep::Record(steps))
    }

    /// Returns which field of the reader's takes each of the writer's: the one of its name, or else one that has it
    /// for an alias and whose own name the writer does not have. A field takes no more than one.
    fn pairs(&self, record: &str, theirs: &[Field], ours: &[Field]) -> Vec<Option<usize>> {
        let their_names: HashSet<&str> = theirs.iter().map(|(name, _)| name.as_str()).collect();
        let names = ours.iter().enumerate().rev();
        let mut by_name: HashMap<&str, usize> =
            names.map(|(at, (name, _))| (name.as_str(), at)).collect();
        for (at, (name, _)) in ours.iter().enumerate() {
            let notes = self.notes.fields.get(&(record.to_owned(), name.clone()));
            let aliases = notes.filter(|_| !their_names.contains(name.as_str()));
            for alias in aliases.iter().flat_map(|notes| &notes.aliases) {
                by_name.entry(alias).or_insert(at);
            }
        }
        let mut free = vec![true; ours.len()];
        let mut take =
            |at: &usize| free.get_mut(*at).is_some_and(|free| std::mem::replace(free, false));
        theirs
            .iter()
            .map(|(name, _)| by_name.get(name.as_str()).copied().filter(&mut take))
            .collect()
    }

    fn default(
        &self,
        record: &str,
        name: &str,
        avro: &Avro,
        shape: &FieldLayout,
    ) -> Result<ResolutionStep, Why> {
        let notes = self.notes.fields.get(&(record.to_owned(), name.to_owned()));
        let Some(value) = notes.and_then(|notes| notes.default.as_ref()) else {
            return Err(format!("field {name} is not in the file, and has no default"));
        };
        let mut pushes = Vec::new();
        match constant(avro, shape, value, self.notes, &mut pushes) {
            Some(()) => Ok(ResolutionStep::Constant(pushes)),
            None => Err(format!("field {name}: its default {value} is no {}", avro.full_name())),
        }
    }

    /// Returns what a branch of the writer's, or its only type, is to the reader.
    fn branch(&self, writer: &Avro, reader: &Avro, shape: &FieldLayout) -> Branch {
        let Avro::Union(branches) = reader else {
            return Branch { counts: Vec::new(), step: self.node(writer, reader, shape).map(Some) };
        };
        let same = |branch: &&Avro| self.is_same(writer, branch);
        let takes = |branch: &&Avro| {
            let both = (writer, *branch);
            matches!(both, (Avro::Primitive(..), Avro::Primitive(..)))
                && self.leaf(writer, branch).is_some()
        };
        let position = |wanted: &dyn Fn(&&Avro) -> bool| branches.iter().position(|b| wanted(&b));
        let Some(at) = position(&same).or_else(|| position(&takes)) else {
            return Branch { counts: Vec::new(), step: Err(unlike(writer, reader)) };
        };
        let (counts, inner) = choose(shape, branches, at);
        let step = match (branches.get(at), inner) {
            (Some(branch), Some(inner)) => self.node(writer, branch, inner).map(Some),
            _ => Ok(None),
        };
        Branch { counts, step }
    }

    fn is_same(&self, writer: &Avro, reader: &Avro) -> bool {
        match (writer, reader) {
            (Avro::Primitive(writer, _), Avro::Primitive(reader, _)) => writer == reader,
            (Avro::Array(_), Avro::Array(_)) | (Avro::Map(_), Avro::Map(_)) => true,
            (Avro::Record { .. }, Avro::Record { .. })
            | (Avro::Enum { .. }, Avro::Enum { .. })
            | (Avro::Fixed { .. }, Avro::Fixed { .. }) => self.is_named_alike(writer, reader),
            _ => false,
        }
    }

    fn is_named_alike(&self, writer: &Avro, reader: &Avro) -> bool {
        let simple = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let (theirs, ours) = (writer.full_name(), reader.full_name());
        let aliases = self.notes.aliases.get(ours);
        simple(theirs) == simple(ours)
            || aliases.is_some_and(|aliases| aliases.iter().any(|alias| alias == theirs))
    }

    fn leaf(&self, writer: &Avro, reader: &Avro) -> Option<Read> {
        match (self.stored_leaf(writer, reader)?, reader.logical()) {
            (Read::Bytes, Some(Logical::Decimal { precision, .. })) => {
                Some(Read::Decimal(precision, None))
            }
            (Read::Fixed(size), Some(Logical::Decimal { precision, .. })) => {
                Some(Read::Decimal(precision, Some(size)))
            }
            (read, _) => Some(read),
        }
    }

    /// Returns how a leaf is read, whatever its logical type.
    fn stored_leaf(&self, writer: &Avro, reader: &Avro) -> Option<Read> {
        match (writer, reader) {
            (Avro::Primitive(writer, _), Avro::Primitive(reader, _)) => primitive(*writer, *reader),
            (Avro::Fixed { size: theirs, .. }, Avro::Fixed { size: ours, .. }) => {
                let fits = theirs == ours && self.is_named_alike(writer, reader);
                fits.then(|| usize::try_from(*ours).ok().map(Read::Fixed))?
            }
            (Avro::Enum { symbols: theirs, .. }, Avro::Enum { name, symbols: ours })
                if self.is_named_alike(writer, reader) =>
            {
                if theirs == ours {
                    return Some(Read::Enum(Ordinals { symbols: theirs.clone(), of: None }));
                }
                let mut places = HashMap::with_capacity(ours.len());
                for (at, symbol) in (0i32..).zip(ours.iter()) {
                    places.entry(symbol.as_str()).or_insert(at);
                }
                let fallback = self.notes.symbols.get(name);
                let fallback = fallback.and_then(|symbol| places.get(symbol.as_str()));
                let ordinal = |symbol: &String| places.get(symbol.as_str()).or(fallback).copied();
                let of = Some(theirs.iter().map(ordinal).collect());
                Some(Read::Enum(Ordinals { symbols: theirs.clone(), of }))
            }
            _ => None,
        }
    }
}

fn primitive(writer: Primitive, reader: Primitive) -> Option<Read> {
    use Primitive::*;
    Some(match (writer, reader) {
        (Null, Null) => Read::Null,
        (Boolean, Boolean) => Read::Boolean,
        (Int, Int) => Read::Int,
        (Int, Long) => Read::LongOfInt,
        (Int, Float) => Read::FloatOfInt,
        (Int, Double) => Read::DoubleOfInt,
        (Long, Long) => Read::Long,
        (Long, Float) => Read::FloatOfLong,
        (Long, Double) => Read::DoubleOfLong,
        (Float, Float) => Read::Float,
        (Float, Double) => Read::DoubleOfFloat,
        (Double, Double) => Read::Double,
        (String, String) => Read::Text,
        (Bytes, Bytes) | (String, Bytes) => Read::Bytes,
        (Bytes, String) => Read::TextOfBytes,
        _ => return None,
    })
}
