//! Hive partitioning: values in the names of folders.
//!
//! ```text
//! year=2026/city=Ulm%20b/part-….trv       year 2026, city "Ulm b" in all rows of the file
//! city=__HIVE_DEFAULT_PARTITION__         null
//! city=                                   the empty string
//! ```
//! Letters, digits and `- _ . ,` are literal; other bytes are `%` and two hexadecimal digits. If nothing else tells
//! their type, values are int64 if all are such integers, date32 if all are dates, and strings otherwise.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray};
use arrow::compute::{CastOptions, can_cast_types, cast, cast_with_options};
use arrow::datatypes::{DataType, Field, FieldRef};

use super::file_names;
use crate::error::{Error, Result};

/// The value that represents null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Returns the name of the folder of a value.
pub(super) fn folder(column: &str, value: Option<&str>) -> String {
    match value {
        None => format!("{}={NULL}", escape(column)),
        // Text that reads like null is not null.
        Some(NULL) => format!("{}=%5F{}", escape(column), NULL.get(1..).unwrap_or_default()),
        Some(value) => format!("{}={}", escape(column), escape(value)),
    }
}

/// Returns the values in a path, each with the name of its column.
pub(super) fn values(path: &str) -> Result<Vec<(String, Option<String>)>> {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let pairs = folders.split('/').filter_map(|folder| folder.split_once('='));
    let pair = |(column, value): (&str, &str)| {
        let wrong = || Error::malformed(format!("{path:?} has bytes that are not UTF-8"));
        let value = match value {
            NULL => None,
            value => Some(unescape(value).ok_or_else(wrong)?),
        };
        Ok((unescape(column).ok_or_else(wrong)?, value))
    };
    pairs.map(pair).collect()
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'-' | b'_' | b'.' | b',' => escaped.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => escaped.push(byte.into()),
            byte => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// `None` if the bytes are not UTF-8. A `%` without two digits is literal.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.split_at_checked(2).filter(|_| *first == b'%');
        let byte = digits.and_then(|(digits, behind)| {
            let digit =
                |byte: &u8| char::from(*byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
            let (high, low) = (digit(digits.first()?)?, digit(digits.last()?)?);
            Some((high << 4 | low, behind))
        });
        let (byte, behind) = byte.unwrap_or((*first, behind));
        bytes.push(byte);
        rest = behind;
    }
    String::from_utf8(bytes).ok()
}

/// Returns the columns in the paths of files, and their types. All files must have the same.
pub(super) fn infer<'a>(paths: impl Iterator<Item = &'a str> + Clone) -> Result<Vec<FieldRef>> {
    let Some(first) = paths.clone().next() else { return Ok(Vec::new()) };
    let names: Vec<String> = values(first)?.into_iter().map(|(name, _)| name).collect();
    let mut texts: Vec<Vec<Option<String>>> = vec![Vec::new(); names.len()];
    for path in paths {
        let values = values(path)?;
        if !values.iter().map(|(name, _)| name).eq(&names) {
            let what = format!("{first} and {path} are partitioned by different columns");
            return Err(Error::malformed(what));
        }
        texts.iter_mut().zip(values).for_each(|(texts, (_, value))| texts.push(value));
    }
    let field = |(name, texts): (String, Vec<Option<String>>)| {
        let texts = StringArray::from(texts);
        let fits = [DataType::Int64, DataType::Date32].into_iter().find(|to| is_all(&texts, to));
        Arc::new(Field::new(name, fits.unwrap_or(DataType::Utf8), true))
    };
    Ok(names.into_iter().zip(texts).map(field).collect())
}

/// Returns whether texts are values of a type, and each the one text of its value.
fn is_all(texts: &StringArray, data_type: &DataType) -> bool {
    let existing = texts.null_count() < texts.len();
    let back = cast(texts, data_type).and_then(|values| cast(&values, &DataType::Utf8));
    existing && back.is_ok_and(|back| back.as_ref() == texts as &dyn Array)
}

/// Returns the type of the values in paths: of a dictionary, of its values.
fn value_type(field: &Field) -> &DataType {
    match field.data_type() {
        DataType::Dictionary(_, values) => values,
        plain => plain,
    }
}

/// Returns the values of a column, one for each path. Those of a dictionary are plain: keys may count fewer values than
/// there are paths.
pub(super) fn column<'a>(field: &Field, paths: impl Iterator<Item = &'a str>) -> Result<ArrayRef> {
    let mut texts = Vec::new();
    for path in paths {
        let value = values(path)?.into_iter().find(|(name, _)| name == field.name());
        let missing = || {
            Error::malformed(format!(
                "{path} has no value of the partition column {:?}",
                field.name()
            ))
        };
        texts.push(value.ok_or_else(missing)?.1);
    }
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let cast = cast_with_options(&StringArray::from(texts), value_type(field), &strict);
    cast.map_err(|e| {
        Error::malformed(format!("the partition column {:?} of the paths: {e}", field.name()))
    })
}

/// Refuses a column that cannot be in the names of folders.
pub(super) fn check(field: &Field) -> Result<()> {
    use DataType::*;
    if file_names::is_hidden(field.name()) {
        let what = format!("files of a partition column {:?} would be hidden", field.name());
        return Err(Error::invalid(what));
    }
    let values = value_type(field);
    let is_plain = values == field.data_type();
    match values {
        // Not every type becomes a dictionary again.
        _ if !is_plain && !can_cast_types(values, field.data_type()) => {}
        Boolean | Utf8 | LargeUtf8 | Utf8View | Date32 => return Ok(()),
        data_type if data_type.is_integer() => return Ok(()),
        _ => {}
    }
    let (name, data_type) = (field.name(), field.data_type());
    let what = format!("column {name:?} is {data_type}: partitions are of integers, text, dates, ");
    Err(Error::invalid(format!("{what}booleans, and dictionaries of these")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_names() {
        for value in [
            None,
            Some(""),
            Some("Ulm b"),
            Some(NULL),
            Some("a/b=c%d"),
            Some("Öl\u{7f}\n"),
            Some(".."),
        ] {
            let path = format!("{}/part.trv", folder("ci=ty/", value));
            file_names::check(&path).unwrap();
            assert_eq!(values(&path).unwrap(), [("ci=ty/".to_owned(), value.map(str::to_owned))]);
        }
        assert_eq!(folder("city", Some("Ulm b")), "city=Ulm%20b");
        assert_eq!(values("a=100%/b=%zz/x").unwrap()[1].1.as_deref(), Some("%zz"));
        assert!(values("a=%ff/x").is_err());
        assert!(values("plain/a.trv").unwrap().is_empty());
    }

    #[test]
    fn types_are_inferred_where_every_value_fits() {
        let infer = |values: &[&str]| {
            let paths: Vec<_> = values.iter().map(|v| format!("a={v}/x.trv")).collect();
            infer(paths.iter().map(String::as_str)).unwrap()[0].data_type().clone()
        };
        assert_eq!(infer(&["1", "-7", NULL]), DataType::Int64);
        assert_eq!(infer(&["1", "07"]), DataType::Utf8);
        assert_eq!(infer(&["2026-01-31", NULL]), DataType::Date32);
        assert_eq!(infer(&["2026-01-31", "7"]), DataType::Utf8);
        assert_eq!(infer(&[NULL]), DataType::Utf8);
        let e = super::infer(["a=1/x", "b=1/x"].into_iter()).unwrap_err().to_string();
        assert!(e.contains("a=1/x and b=1/x"), "{e}");
    }

    #[test]
    fn columns_are_of_their_type_or_an_error() {
        let field = Field::new("a", DataType::Int8, true);
        let paths = ["a=1/x", "a=__HIVE_DEFAULT_PARTITION__/x"];
        let expected: ArrayRef = Arc::new(arrow::array::Int8Array::from(vec![Some(1), None]));
        assert_eq!(&column(&field, paths.into_iter()).unwrap(), &expected);
        assert!(column(&field, ["a=300/x"].into_iter()).is_err());
        assert!(column(&field, ["b=3/x"].into_iter()).is_err());
        assert!(check(&Field::new("_a", DataType::Int8, true)).is_err());
        assert!(check(&Field::new("a", DataType::Float64, true)).is_err());
    }
}
