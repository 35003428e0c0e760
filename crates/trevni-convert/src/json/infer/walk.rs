//! Walks through the values of a record.

use arrow::datatypes::FieldRef;

use super::super::record_location::RecordLocation;
use super::super::scanner::{MOST_LEVELS, Scanner};
use super::{FLOAT, Kind, MOST_NAMES, NEGATIVE, POSITIVE, Seen, UNSIGNED};

/// Where a value is.
pub(super) struct Walk<'a> {
    pub(super) place: RecordLocation,
    pub(super) depth: usize,
    /// The number of fields so far.
    pub(super) fields: &'a mut usize,
    /// Fields whose types are declared, which are not looked into.
    pub(super) given: &'a [FieldRef],
    /// The names that lead to the value, if there are such fields.
    pub(super) path: Vec<String>,
}

impl Walk<'_> {
    /// Adds the next value to those of a field.
    pub(super) fn value(&mut self, json: &mut Scanner<'_>, seen: &mut Seen) -> Option<()> {
        match json.peek()? {
            b'n' => json.word("null"),
            b't' | b'f' => {
                seen.add(Kind::Boolean, self.place);
                json.skip()
            }
            b'"' => {
                seen.add(Kind::Text, self.place);
                json.skip()
            }
            b'[' => self.nested(json, seen, Self::array),
            b'{' => self.nested(json, seen, Self::object),
            _ => {
                seen.add(Kind::Number, self.place);
                number(json, seen)
            }
        }
    }

    fn nested(
        &mut self,
        json: &mut Scanner<'_>,
        seen: &mut Seen,
        add: impl FnOnce(&mut Self, &mut Scanner<'_>, &mut Seen) -> Option<()>,
    ) -> Option<()> {
        self.depth += 1;
        (self.depth <= MOST_LEVELS).then_some(())?;
        add(self, json, seen)?;
        self.depth -= 1;
        Some(())
    }

    fn array(&mut self, json: &mut Scanner<'_>, seen: &mut Seen) -> Option<()> {
        seen.add(Kind::Array, self.place);
        let items = seen.items.get_or_insert_default();
        let mut is_open = json.take(b'[').then(|| !json.take(b']'))?;
        while is_open {
            self.value(json, items)?;
            is_open = json.has_next(b']')?;
        }
        Some(())
    }

    fn object(&mut self, json: &mut Scanner<'_>, seen: &mut Seen) -> Option<()> {
        seen.add(Kind::Object, self.place);
        let (members, mut likely) = (seen.members.get_or_insert_default(), 0);
        let mut is_open = json.take(b'{').then(|| !json.take(b'}'))?;
        while is_open {
            let name = json.name()?;
            let at = members.place(&name, likely, self.fields);
            likely = at + 1;
            if self.is_given(&name) {
                json.skip()?;
                is_open = json.has_next(b'}')?;
                continue;
            }
            match members.fields.get_mut(at).filter(|_| *self.fields <= MOST_NAMES) {
                Some((_, seen)) => self.value(json, seen)?,
                None => json.skip()?,
            }
            if !self.given.is_empty() {
                self.path.pop();
            }
            is_open = json.has_next(b'}')?;
        }
        Some(())
    }

    /// Adds a name to the path, unless the field that it leads to has a declared type.
    fn is_given(&mut self, name: &str) -> bool {
        if self.given.is_empty() {
            return false;
        }
        self.path.push(name.to_owned());
        let path = self.path.join(".");
        let is_given = self.given.iter().any(|field| *field.name() == path);
        if is_given {
            self.path.pop();
        }
        is_given
    }
}

/// Adds the next number.
fn number(json: &mut Scanner<'_>, seen: &mut Seen) -> Option<()> {
    if json.number_word().is_some() {
        seen.numbers |= FLOAT;
        seen.digits.add("inf", f64::INFINITY);
        return Some(());
    }
    let text = json.number()?;
    seen.numbers |= match text.as_bytes() {
        // That with a sign and no value is a floating-point number.
        b"-0" => FLOAT,
        [b'-', ..] if text.parse::<i64>().is_ok() => NEGATIVE,
        _ if text.parse::<i64>().is_ok() => POSITIVE,
        _ if text.parse::<u64>().is_ok() => UNSIGNED,
        _ => FLOAT,
    };
    seen.digits.add(text, text.parse().ok()?);
    Some(())
}
