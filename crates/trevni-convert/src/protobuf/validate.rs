//! Validates values that a later one replaces.
//!
//! ```text
//! text = "\xff" │ text = "fine"      no string, so no message: as other readers have it
//! ```

use super::message_layout::{FieldKind, Member, Record, Rule};
use super::scalar::Scalar;
use super::wire::{Cursor, Wire};
use trevni::{Error, Result};

/// Reads a value of a field for nothing.
pub(super) fn check(member: &Member, wire: Wire, from: &mut Cursor<'_>) -> Result<()> {
    if let Rule::Map(entry) = &member.rule {
        let mut from = from.part(Wire::Bytes, member.number)?;
        return each(&mut from, |number, wire, from| match number {
            1 => entry.key.fitting(wire)?.take(from).map(|_| ()),
            2 => expect(&entry.value, wire).and_then(|()| check(&entry.value, wire, from)),
            _ => from.skip(number, wire),
        });
    }
    match &member.kind {
        kind if wire == Wire::Bytes && kind.wire() != Wire::Bytes => {
            let (mut items, wire) = (from.part(wire, member.number)?, kind.wire());
            while !items.is_at_end() {
                check(member, wire, &mut items)?;
            }
            Ok(())
        }
        FieldKind::Scalar(scalar) => scalar.take(from).map(|_| ()),
        FieldKind::Enum(_) => from.varint().map(|_| ()),
        FieldKind::Record { record, .. } => {
            check_record(record, &mut from.part(wire, member.number)?)
        }
        FieldKind::Timestamp | FieldKind::Duration => {
            let mut from = from.part(wire, member.number)?;
            each(&mut from, |number, wire, from| match number {
                1 => Scalar::Int64.fitting(wire)?.take(from).map(|_| ()),
                2 => Scalar::Int32.fitting(wire)?.take(from).map(|_| ()),
                _ => from.skip(number, wire),
            })
        }
        FieldKind::Wrapper(scalar) => {
            let mut from = from.part(wire, member.number)?;
            each(&mut from, |number, wire, from| match number {
                1 => scalar.fitting(wire)?.take(from).map(|_| ()),
                _ => from.skip(number, wire),
            })
        }
    }
}

fn check_record(record: &Record, from: &mut Cursor<'_>) -> Result<()> {
    each(from, |number, wire, from| {
        match record.place(number).and_then(|place| record.members.get(place)) {
            Some(member) => expect(member, wire).and_then(|()| check(member, wire, from)),
            None => from.skip(number, wire),
        }
    })
}

fn each<'a>(
    from: &mut Cursor<'a>,
    mut field: impl FnMut(u32, Wire, &mut Cursor<'a>) -> Result<()>,
) -> Result<()> {
    while !from.is_at_end() {
        let (number, wire) = from.key()?;
        field(number, wire, from)?;
    }
    Ok(())
}

/// Fails if a field has another wire type: the numbers of a list may be packed or not.
pub(super) fn expect(member: &Member, wire: Wire) -> Result<()> {
    let wanted = member.kind.wire();
    let map = matches!(member.rule, Rule::Map(_)) && wire == Wire::Bytes;
    let list = matches!(member.rule, Rule::Repeated { .. });
    let packed = list && wire == Wire::Bytes && wanted != Wire::Start;
    if wire == wanted || map || packed {
        return Ok(());
    }
    let kind = if matches!(member.rule, Rule::Map(_)) { "an entry" } else { member.kind.name() };
    let (wanted, given) = (wanted.name(), wire.name());
    Err(Error::malformed(format!("{kind} is {wanted}, and {given} is there")))
}
