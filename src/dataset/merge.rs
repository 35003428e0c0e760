//! Merges the schemas of files.
//!
//! ```text
//! file 1   a: int32   b: utf8                     a: int64, b: utf8 nullable, c: date32 nullable
//! file 2   a: int64            c: date32          in the order in which they first appear
//! ```
//!
//! | types | become |
//! |---|---|
//! | integers with a sign, or without | the wider; of both kinds the signed one that holds both |
//! | float16, float32, float64 | the wider |
//! | decimals | one with the integer and fraction digits of both |
//! | text, large text, text views; binary likewise | large if one is, otherwise the plain one |
//! | a dictionary, and another or its values | the values |
//! | structs, lists, maps, lists of one fixed size | the same of their fields |
//! | null, and any type | that type |

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

use crate::error::{Error, Result};

/// Takes schemas one after another.
#[derive(Debug, Default)]
pub(super) struct Merger {
    fields: Vec<(FieldRef, String)>,
    schema: Option<Schema>,
}

impl Merger {
    /// Adds the schema of a file or a commit. Fails if it conflicts with those before it.
    pub(super) fn add(&mut self, schema: &Schema, from: &str) -> Result<()> {
        let first = self.schema.is_none();
        for (at, field) in schema.fields().iter().enumerate() {
            if schema.fields().iter().take(at).any(|other| other.name() == field.name()) {
                let what =
                    format!("{from} has two columns {:?}, which a data set cannot", field.name());
                return Err(Error::invalid(what));
            }
            match self.fields.iter_mut().find(|(known, _)| known.name() == field.name()) {
                Some((known, origin)) => {
                    let merged = merge_fields(known, field);
                    *known = merged.ok_or_else(|| conflict(known, origin, field, from))?;
                }
                None => self.fields.push((nullable(field, !first), from.to_owned())),
            }
        }
        for (known, _) in &mut self.fields {
            if schema.index_of(known.name()).is_err() {
                *known = nullable(known, true);
            }
        }
        let metadata = match &self.schema {
            None => schema.metadata().clone(),
            Some(before) => {
                let same =
                    |(key, value): &(&String, &String)| schema.metadata().get(*key) == Some(value);
                let kept = before.metadata().iter().filter(same);
                kept.map(|(key, value)| (key.clone(), value.clone())).collect()
            }
        };
        self.schema = Some(Schema::new_with_metadata(Fields::empty(), metadata));
        Ok(())
    }

    /// Returns what all have together; `None` if there were none.
    pub(super) fn finish(self) -> Option<SchemaRef> {
        let fields: Fields = self.fields.into_iter().map(|(field, _)| field).collect();
        let metadata = self.schema?.metadata;
        Some(Arc::new(Schema::new_with_metadata(fields, metadata)))
    }
}

fn conflict(known: &Field, origin: &str, field: &Field, from: &str) -> Error {
    let (one, other) = (known.data_type(), field.data_type());
    let what = format!("column {:?} is {one} in {origin} and {other} in {from}", field.name());
    Error::invalid(what)
}

fn nullable(field: &FieldRef, nullable: bool) -> FieldRef {
    match nullable && !field.is_nullable() {
        true => Arc::new(Field::clone(field).with_nullable(true)),
        false => field.clone(),
    }
}

fn merge_fields(one: &FieldRef, other: &FieldRef) -> Option<FieldRef> {
    let data_type = merge_types(one.data_type(), other.data_type())?;
    let can_be_null = one.is_nullable() || other.is_nullable();
    if *one.data_type() == data_type && one.is_nullable() == can_be_null {
        return Some(one.clone());
    }
    Some(Arc::new(Field::clone(one).with_data_type(data_type).with_nullable(can_be_null)))
}

/// Returns the type that holds the values of both.
pub(super) fn merge_types(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::*;
    Some(match (one, other) {
        (one, other) if one == other => one.clone(),
        (Null, other) => other.clone(),
        (one, Null) => one.clone(),
        (one, other) if one.is_integer() && other.is_integer() => merge_integers(one, other)?,
        (one, other) if one.is_floating() && other.is_floating() => {
            [Float64, Float32].into_iter().find(|wide| wide == one || wide == other)?
        }
        (one, other) if is_decimal(one) && is_decimal(other) => merge_decimals(one, other)?,
        (Utf8 | LargeUtf8 | Utf8View, Utf8 | LargeUtf8 | Utf8View) => {
            if *one == LargeUtf8 || *other == LargeUtf8 { LargeUtf8 } else { Utf8 }
        }
        (Binary | LargeBinary | BinaryView, Binary | LargeBinary | BinaryView) => {
            if *one == LargeBinary || *other == LargeBinary { LargeBinary } else { Binary }
        }
        (Dictionary(_, one), Dictionary(_, other)) => merge_types(one, other)?,
        (Dictionary(_, values), plain) | (plain, Dictionary(_, values)) => {
            merge_types(values, plain)?
        }
        (Struct(one), Struct(other)) => Struct(merge_children(one, other)?),
        (List(one), List(other)) => List(merge_fields(one, other)?),
        (List(one) | LargeList(one), List(other) | LargeList(other)) => {
            LargeList(merge_fields(one, other)?)
        }
        (FixedSizeList(one, size), FixedSizeList(other, same)) if size == same => {
            FixedSizeList(merge_fields(one, other)?, *size)
        }
        (Map(one, sorted), Map(other, also)) => Map(merge_entries(one, other)?, *sorted && *also),
        _ => return None,
    })
}

/// Merges the entries of maps: keys and values by their places, since their names differ between writers.
fn merge_entries(one: &FieldRef, other: &FieldRef) -> Option<FieldRef> {
    let (DataType::Struct(children), DataType::Struct(others)) =
        (one.data_type(), other.data_type())
    else {
        return None;
    };
    let merged = children.iter().zip(others).map(|(one, other)| merge_fields(one, other));
    let merged = DataType::Struct(merged.collect::<Option<_>>()?);
    Some(Arc::new(Field::clone(one).with_data_type(merged)))
}

fn merge_children(one: &Fields, other: &Fields) -> Option<Fields> {
    let mut merged = Vec::with_capacity(one.len());
    for field in one {
        merged.push(match other.find(field.name()) {
            Some((_, other)) => merge_fields(field, other)?,
            None => nullable(field, true),
        });
    }
    let more = other.iter().filter(|field| one.find(field.name()).is_none());
    merged.extend(more.map(|field| nullable(field, true)));
    Some(merged.into())
}

fn merge_integers(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::*;
    // Bits, and one more for a sign that the other has.
    let mixed = one.is_signed_integer() != other.is_signed_integer();
    let bits = |of: &DataType| {
        let bytes = of.primitive_width().unwrap_or(8);
        8 * bytes + usize::from(mixed && of.is_unsigned_integer())
    };
    let signed = mixed || one.is_signed_integer();
    Some(match (bits(one).max(bits(other)), signed) {
        (..=8, true) => Int8,
        (..=16, true) => Int16,
        (..=32, true) => Int32,
        (..=64, true) => Int64,
        (..=8, false) => UInt8,
        (..=16, false) => UInt16,
        (..=32, false) => UInt32,
        (..=64, false) => UInt64,
        _ => return None,
    })
}

fn is_decimal(data_type: &DataType) -> bool {
    decimal(data_type).is_some()
}

/// Width in bits, precision, scale.
fn decimal(data_type: &DataType) -> Option<(u16, u8, i8)> {
    use DataType::*;
    match data_type {
        Decimal32(p, s) => Some((32, *p, *s)),
        Decimal64(p, s) => Some((64, *p, *s)),
        Decimal128(p, s) => Some((128, *p, *s)),
        Decimal256(p, s) => Some((256, *p, *s)),
        _ => None,
    }
}

fn merge_decimals(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::*;
    let (one, other) = (decimal(one)?, decimal(other)?);
    let before = |(_, p, s): (u16, u8, i8)| i16::from(p) - i16::from(s);
    let scale = one.2.max(other.2);
    let precision = u8::try_from(before(one).max(before(other)) + i16::from(scale)).ok()?;
    let least = match precision {
        ..=9 => 32,
        10..=18 => 64,
        19..=38 => 128,
        39..=76 => 256,
        _ => return None,
    };
    Some(match one.0.max(other.0).max(least) {
        32 => Decimal32(precision, scale),
        64 => Decimal64(precision, scale),
        128 => Decimal128(precision, scale),
        _ => Decimal256(precision, scale),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use DataType::*;

    fn schema(fields: &[(&str, DataType, bool)]) -> Schema {
        let field = |(name, data_type, null): &(&str, DataType, bool)| {
            Field::new(*name, data_type.clone(), *null)
        };
        Schema::new(fields.iter().map(field).collect::<Vec<_>>())
    }

    fn merged(schemas: &[Schema]) -> Result<SchemaRef> {
        let mut merger = Merger::default();
        for (i, schema) in schemas.iter().enumerate() {
            merger.add(schema, &format!("file {i}"))?;
        }
        Ok(merger.finish().unwrap())
    }

    #[test]
    fn fields_are_united_in_order_and_null_where_they_are_missing() {
        let one = schema(&[("a", Int32, false), ("b", Utf8, false)]);
        let two = schema(&[("c", Date32, false), ("a", Int64, false)]);
        let all = merged(&[one.clone(), two, one]).unwrap();
        let expected = schema(&[("a", Int64, false), ("b", Utf8, true), ("c", Date32, true)]);
        assert_eq!(*all, expected);
    }

    #[test]
    fn types_widen_both_ways() {
        let dictionary = || Dictionary(Box::new(Int8), Box::new(Utf8));
        for (one, other, expected) in [
            (Int8, Int64, Some(Int64)),
            (UInt8, Int8, Some(Int16)),
            (UInt32, Int8, Some(Int64)),
            (UInt8, UInt32, Some(UInt32)),
            (UInt64, Int8, None),
            (UInt8, Int64, Some(Int64)),
            (Float16, Float64, Some(Float64)),
            (Int32, Float64, None),
            (Utf8, LargeUtf8, Some(LargeUtf8)),
            (Utf8, Utf8View, Some(Utf8)),
            (dictionary(), Utf8View, Some(Utf8)),
            (Decimal32(5, 2), Decimal64(12, 4), Some(Decimal64(12, 4))),
            (Decimal128(38, 0), Decimal128(38, 38), Some(Decimal256(76, 38))),
            (Decimal256(76, 0), Decimal256(76, 1), None),
            (Null, Int8, Some(Int8)),
            (Utf8, Int8, None),
        ] {
            assert_eq!(merge_types(&one, &other), expected, "{one} {other}");
            assert_eq!(merge_types(&other, &one), expected, "{other} {one}");
        }
    }

    #[test]
    fn nested_fields_widen_too() {
        let of = |fields: &[(&str, DataType, bool)]| Struct(schema(fields).fields);
        let one = of(&[("x", Int8, false)]);
        let two = of(&[("y", Utf8, false), ("x", Int16, false)]);
        let expected = of(&[("x", Int16, false), ("y", Utf8, true)]);
        assert_eq!(merge_types(&one, &two), Some(expected.clone()));
        let list = |inner| List(Arc::new(Field::new("item", inner, true)));
        assert_eq!(
            merge_types(&list(one.clone()), &list(two.clone())),
            Some(list(expected.clone()))
        );
        let pair = |inner| FixedSizeList(Arc::new(Field::new("item", inner, true)), 2);
        let merged = merge_types(&pair(one.clone()), &pair(two.clone()));
        assert_eq!(merged, Some(pair(expected.clone())));
        assert_eq!(merge_types(&pair(Int8), &list(Int8)), None);
        let map = |key: &str, inner, sorted| {
            let entries = [Field::new(key, Utf8, false), Field::new("value", inner, true)];
            let entries = Struct(entries.into_iter().collect());
            Map(Arc::new(Field::new("entries", entries, false)), sorted)
        };
        let merged = merge_types(&map("key", one, true), &map("keys", two, false));
        assert_eq!(merged, Some(map("key", expected, false)));
    }

    #[test]
    fn a_conflict_names_both() {
        let e = merged(&[schema(&[("a", Utf8, true)]), schema(&[("a", Int8, true)])]).unwrap_err();
        let expected = "invalid: column \"a\" is Utf8 in file 0 and Int8 in file 1";
        assert_eq!(e.to_string(), expected);
        assert!(merged(&[schema(&[("a", Utf8, true), ("a", Utf8, true)])]).is_err());
    }
}
