//! Skips the bytes of fields that are not read.

use crate::arrow::avro::{Avro, Primitive};
use crate::error::{Error, Result};
use crate::wire::Cursor;

/// Passes over a value.
pub(crate) fn skip(avro: &Avro, from: &mut Cursor<'_>) -> Result<()> {
    match avro {
        Avro::Primitive(primitive, _) => match primitive {
            Primitive::Null => Ok(()),
            Primitive::Boolean => from.take(1, "boolean").map(drop),
            Primitive::Int | Primitive::Long => from.long("number").map(drop),
            Primitive::Float => from.take(4, "float").map(drop),
            Primitive::Double => from.take(8, "double").map(drop),
            Primitive::Bytes | Primitive::String => from.bytes("bytes").map(drop),
        },
        Avro::Enum { .. } => from.long("ordinal").map(drop),
        Avro::Fixed { size, .. } => {
            from.take(usize::try_from(*size).unwrap_or(usize::MAX), "fixed").map(drop)
        }
        Avro::Record { fields, .. } => fields.iter().try_for_each(|(_, avro)| skip(avro, from)),
        Avro::Array(items) => items_of(from, |from| skip(items, from)),
        Avro::Map(values) => items_of(from, |from| {
            from.bytes("key")?;
            skip(values, from)
        }),
        Avro::Union(branches) => {
            let at = from.long("branch")?;
            let branch = usize::try_from(at).ok().and_then(|at| branches.get(at));
            skip(branch.ok_or_else(|| no_branch(at))?, from)
        }
    }
}

pub(crate) fn no_branch(at: i64) -> Error {
    Error::malformed(format!("a union has no branch {at}"))
}

fn items_of(
    from: &mut Cursor<'_>,
    mut one: impl FnMut(&mut Cursor<'_>) -> Result<()>,
) -> Result<()> {
    loop {
        match from.long("count of items")? {
            0 => return Ok(()),
            // A block with a size in bytes is skipped at once.
            ..0 => {
                let size = from.count("size of a block of items")?;
                from.take(usize::try_from(size).unwrap_or(usize::MAX), "block of items")?;
            }
            n => {
                let before = from.remaining();
                for i in 0..n {
                    one(from)?;
                    if i == 0 && from.remaining() == before {
                        // Items of no bytes are all alike.
                        break;
                    }
                }
            }
        }
    }
}
