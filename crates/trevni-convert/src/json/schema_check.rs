//! Checks that JSON values fit a schema, without building them, and prepares their text for the library's decoder.
//!
//! ```text
//! {"a":0.5,"b":{"c":"x"}}      a: Int64         misfit: a, 0.5
//!                              b.c: Int64       misfit: b.c, a string; under a declared type, "7" is a number
//! {"a":[1, 2]}                 a: JSON text     {"a":"[1,2]"}
//! {"a":NaN}                    a: Float64       {"a":"NaN"}
//! ```
//! The decoder of arrow-json makes integers of fractions, and numbers of strings; digits that do not fit are lost, and
//! of two members with one name the last is taken: none may happen silently.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use arrow::datatypes::{DataType, Field, Fields, SchemaRef};

use super::declared_types::is_marked;
use super::json_text::{minified, quoted};
use super::scanner::Scanner;
use crate::data_type::{is_text, list_item};
use crate::float_digits;
use crate::json_field::is_json;

/// Checks values against a schema.
#[derive(Debug)]
pub(super) struct Fit {
    fields: Fields,
    /// Whether strings are no numbers, and members that the schema does not have are misfits.
    is_strict: bool,
    /// Whether numbers may lose digits.
    lossy: bool,
}

/// Why a text does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    NotJson,
    Value(Misfit),
}

/// A value that does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) path: Vec<String>,
    pub(super) what: String,
}

impl Fit {
    pub(super) fn new(schema: &SchemaRef, is_strict: bool, lossy: bool) -> Self {
        Self { fields: schema.fields().clone(), is_strict, lossy }
    }

    /// Returns some records as the library reads them, or the first value that does not fit.
    pub(super) fn check<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, Unfit> {
        let mut check = Check {
            json: Scanner::new(text),
            is_strict: self.is_strict,
            lossy: self.lossy,
            path: Vec::new(),
            changes: Vec::new(),
        };
        while check.json.peek().is_some() {
            check.object(&self.fields, !self.is_strict)?;
        }
        Ok(changed(text, &check.changes))
    }
}

/// Returns a text with other text in some ranges, which ascend.
fn changed<'a>(text: &'a str, changes: &[(Range<usize>, String)]) -> Cow<'a, str> {
    if changes.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut all, mut at) = (String::with_capacity(text.len() + text.len() / 4), 0);
    for (range, other) in changes {
        all.push_str(text.get(at..range.start).unwrap_or_default());
        all.push_str(other);
        at = range.end;
    }
    all.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(all)
}

/// A check that is under way.
struct Check<'a> {
    json: Scanner<'a>,
    is_strict: bool,
    lossy: bool,
    path: Vec<String>,
    changes: Vec<(Range<usize>, String)>,
}

/// The type of a value.
#[derive(Clone, Copy)]
struct Type<'a> {
    data_type: &'a DataType,
    is_nullable: bool,
    /// Whether the type is declared, not inferred.
    is_given: bool,
    is_json: bool,
}

impl<'a> Type<'a> {
    fn of(field: &'a Field, is_given: bool) -> Self {
        Self {
            data_type: field.data_type(),
            is_nullable: field.is_nullable(),
            is_given: is_given || is_marked(field),
            is_json: is_json(field),
        }
    }

    fn name(&self) -> String {
        match self.data_type {
            DataType::Struct(_) => "Struct".to_owned(),
            DataType::List(_) => "List".to_owned(),
            DataType::Map(..) => "Map".to_owned(),
            other => other.to_string(),
        }
    }

    /// Returns whether the values are the text of any scalars. Of inferred text they are strings only.
    fn is_text_of_any(&self) -> bool {
        self.is_given && is_text(self.data_type)
    }
}

impl<'a> Check<'a> {
    fn misfit<T>(&self, what: String) -> Result<T, Unfit> {
        Err(Unfit::Value(Misfit { path: self.path.clone(), what }))
    }

    fn wrong<T>(&self, kind: &str, of: Type<'_>) -> Result<T, Unfit> {
        self.misfit(format!("{kind}, and the type is {}", of.name()))
    }

    /// Takes the next value, and has it replaced by another text.
    fn replace(&mut self, by: impl FnOnce(&str) -> String) -> Result<(), Unfit> {
        self.json.peek();
        let start = self.json.taken();
        let value = self.json.value().ok_or(Unfit::NotJson)?;
        self.changes.push((start..self.json.taken(), by(value)));
        Ok(())
    }

    fn skip(&mut self) -> Result<(), Unfit> {
        self.json.skip().ok_or(Unfit::NotJson)
    }

    fn value(&mut self, of: Type<'_>) -> Result<(), Unfit> {
        let next = self.json.peek().ok_or(Unfit::NotJson)?;
        match next {
            b'n' if of.is_nullable => self.json.word("null").ok_or(Unfit::NotJson),
            b'n' => self.misfit("null, but the field is not nullable".to_owned()),
            _ if of.is_json => self.replace(|value| quoted(&minified(value))),
            b't' | b'f' if *of.data_type == DataType::Boolean || of.is_text_of_any() => self.skip(),
            b't' | b'f' => self.wrong("a boolean", of),
            b'"' => self.string(of),
            b'[' => self.array(of),
            b'{' => self.members(of),
            _ => self.number(of),
        }
    }

    fn string(&mut self, of: Type<'_>) -> Result<(), Unfit> {
        let is_other = of.data_type.is_nested()
            || matches!(of.data_type, DataType::Boolean | DataType::Null)
            || (!of.is_given && of.data_type.is_primitive());
        if is_other {
            return self.wrong("a string", of);
        }
        let text = self.json.quoted().ok_or(Unfit::NotJson)?;
        match half_character(text) {
            Some(escape) => {
                self.misfit(format!("a string has an escape that is half a character: {escape}"))
            }
            None => Ok(()),
        }
    }

    fn number(&mut self, of: Type<'_>) -> Result<(), Unfit> {
        let is_text = of.is_text_of_any();
        let before = self.json.clone();
        if self.json.number_word().is_some() {
            if !is_text && !of.data_type.is_floating() {
                return self.wrong("a number", of);
            }
            self.json = before;
            return self.replace(quoted);
        }
        let text = self.json.number().ok_or(Unfit::NotJson)?;
        if is_text {
            return Ok(());
        }
        if !is_number(of.data_type) {
            return self.wrong("a number", of);
        }
        if !of.is_given && is_of_other_type(text, of.data_type) {
            return self.wrong(text, of);
        }
        match lost(text, of.data_type).filter(|_| !self.lossy) {
            Some(Lost::Fraction) => self.wrong(text, of),
            Some(Lost::Digits) => {
                self.misfit(format!("{text} would lose digits as a floating-point number"))
            }
            Some(Lost::Scale) => self.misfit(format!("{text} has more digits than {}", of.name())),
            None => Ok(()),
        }
    }

    fn array(&mut self, of: Type<'_>) -> Result<(), Unfit> {
        let Some(item) = list_item(of.data_type) else { return self.nested("an array", of) };
        let item = Type::of(item, of.is_given);
        let mut is_open = self.json.take(b'[') && !self.json.take(b']');
        while is_open {
            self.value(item)?;
            is_open = self.json.has_next(b']').ok_or(Unfit::NotJson)?;
        }
        Ok(())
    }

    fn members(&mut self, of: Type<'_>) -> Result<(), Unfit> {
        match of.data_type {
            DataType::Struct(fields) => self.object(fields, of.is_given),
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(fields) => match fields.get(1) {
                    Some(value) => self.map(Type::of(value, of.is_given)),
                    None => self.skip(),
                },
                _ => self.skip(),
            },
            _ => self.nested("an object", of),
        }
    }

    /// Takes an array or an object that is not of the type: it is its own text where text is declared.
    fn nested(&mut self, kind: &str, of: Type<'_>) -> Result<(), Unfit> {
        match of.is_given && is_text(of.data_type) {
            true => self.replace(|value| quoted(&minified(value))),
            false => self.wrong(kind, of),
        }
    }

    fn map(&mut self, value: Type<'_>) -> Result<(), Unfit> {
        let mut names = HashSet::new();
        let mut is_open = self.json.take(b'{') && !self.json.take(b'}');
        while is_open {
            let name = self.json.name().ok_or(Unfit::NotJson)?;
            if !names.insert(name.clone().into_owned()) {
                return self.misfit(format!("the name {name:?} comes twice in an object"));
            }
            self.value(value)?;
            is_open = self.json.has_next(b'}').ok_or(Unfit::NotJson)?;
        }
        Ok(())
    }

    fn object(&mut self, fields: &Fields, is_given: bool) -> Result<(), Unfit> {
        let (mut likely, mut seen) = (0, vec![false; fields.len()]);
        let mut is_open = self.json.take(b'{');
        if !is_open {
            return Err(Unfit::NotJson);
        }
        is_open = !self.json.take(b'}');
        while is_open {
            let name = self.json.name().ok_or(Unfit::NotJson)?;
            let expected = fields.get(likely).is_some_and(|field| *field.name() == name);
            let at = if expected { Some(likely) } else { fields.find(&name).map(|(at, _)| at) };
            match at.and_then(|at| Some((at, fields.get(at)?, seen.get_mut(at)?))) {
                Some((at, field, seen)) => {
                    self.path.push(field.name().clone());
                    if std::mem::replace(seen, true) {
                        return self.misfit("the name comes twice in an object".to_owned());
                    }
                    self.value(Type::of(field, is_given))?;
                    self.path.pop();
                    likely = at + 1;
                }
                None if self.is_strict => {
                    self.path.push(name.into_owned());
                    return self.misfit("not among the fields".to_owned());
                }
                None => self.skip()?,
            }
            is_open = self.json.has_next(b'}').ok_or(Unfit::NotJson)?;
        }
        Ok(())
    }
}

/// Returns the first escape of a string that is one of two surrogates, without the other.
fn half_character(quoted: &str) -> Option<&str> {
    if !quoted.contains('\\') || serde_json::from_str::<serde_json::Value>(quoted).is_ok() {
        return None;
    }
    let is_surrogate = |escape: &&str| {
        let digits = escape.get(2..).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        digits.is_some_and(|code| (0xd800..0xe000).contains(&code))
    };
    let escapes = quoted.match_indices("\\u").filter_map(|(at, _)| quoted.get(at..at + 6));
    escapes.into_iter().find(is_surrogate).or(Some(quoted))
}

/// Returns whether another type would have been inferred of a number.
fn is_of_other_type(text: &str, data_type: &DataType) -> bool {
    let has_exponent = text.contains(['e', 'E']);
    match data_type {
        DataType::Decimal128(..) => has_exponent,
        other => other.is_integer() && (has_exponent || text.contains('.') || text == "-0"),
    }
}

/// What a number would lose.
enum Lost {
    Fraction,
    Digits,
    Scale,
}

/// Returns what a number would lose as a value of a type.
fn lost(text: &str, data_type: &DataType) -> Option<Lost> {
    let value: f64 = text.parse().ok()?;
    match data_type {
        DataType::Dictionary(_, values) => lost(text, values),
        DataType::RunEndEncoded(_, values) => lost(text, values.data_type()),
        DataType::Float64 => (!float_digits::is_held(value, text)).then_some(Lost::Digits),
        DataType::Float32 => {
            let value: f32 = text.parse().ok()?;
            let is_held = float_digits::is_integer_held(f64::from(value), text);
            (!is_held).then_some(Lost::Digits)
        }
        _ if data_type.is_integer() => (value.fract() != 0.0).then_some(Lost::Fraction),
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => {
            (float_digits::fraction(text) > i64::from(*scale)).then_some(Lost::Scale)
        }
        _ => None,
    }
}

/// Returns whether a type is read from numbers. For types that are read from strings only, the decoder reports
/// errors.
fn is_number(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_number(values),
        DataType::RunEndEncoded(_, values) => is_number(values.data_type()),
        other => other.is_primitive(),
    }
}
