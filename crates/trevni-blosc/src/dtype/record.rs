//! Parses and formats structured dtypes, as Python literals.
//!
//! ```text
//! [('a', '<i4'), ('b', '<f8', (2, 3)), (('title', 'c'), [('d', '|S4')]), ('', '|V4')]
//!    name, type       and shape                        a record          padding
//! {'names': ['a', 'b'], 'formats': ['i1', '<f8'], 'offsets': [0, 8], 'itemsize': 16}
//! ```
//! Fields are in the order of their offsets; titles are dropped.

use std::collections::HashSet;

use super::literal::{self, Literal};
use super::{Dtype, DtypeKind, Field, MAX_SIZE, plain};
use trevni::{Error, Result};

/// Returns the type of a literal: a string, a list of fields, a dict.
pub(super) fn parse(literal: &Literal) -> Result<Dtype> {
    match literal {
        Literal::Text(text) => plain::parse(text.trim()),
        Literal::Row { items, is_tuple: false } => {
            let fields = items.iter().enumerate().map(|(i, item)| field(i, item));
            record(fields.collect::<Result<_>>()?)
        }
        Literal::Row { is_tuple: true, .. } => {
            Err(Error::unsupported("a dtype whose elements are arrays"))
        }
        Literal::Dict(pairs) => dict(pairs),
        _ => Err(Error::malformed("a dtype is a string, a list or a dict")),
    }
}

/// Appends the list of fields, with padding, as `descr` has it.
pub(super) fn put_list(fields: &[Field], out: &mut String) {
    put_fields(fields, out, |dtype, out| match &dtype.kind {
        DtypeKind::Record(fields) => put_list(fields, out),
        _ => put_quoted(dtype, plain::put, out),
    });
}

/// Appends what `str` of the record has: the list, or the dict if there is padding.
pub(super) fn put_shown(fields: &[Field], size: usize, out: &mut String) {
    if !fields.iter().any(Field::is_padding) {
        return put_fields(fields, out, put_format);
    }
    let mut named = Vec::new();
    let mut offset = 0;
    for field in fields {
        if !field.is_padding() {
            named.push((field, offset));
        }
        offset += field.size().unwrap_or(0);
    }
    out.push_str("{'names': ");
    put_separated(&named, ['[', ']'], out, |(field, _), out| literal::put_text(&field.name, out));
    out.push_str(", 'formats': ");
    put_separated(&named, ['[', ']'], out, |(field, _), out| {
        if field.shape.is_empty() {
            return put_format(&field.dtype, out);
        }
        out.push('(');
        put_format(&field.dtype, out);
        out.push_str(", ");
        put_shape(&field.shape, out);
        out.push(')');
    });
    out.push_str(", 'offsets': ");
    put_separated(&named, ['[', ']'], out, |(_, offset), out| out.push_str(&offset.to_string()));
    out.push_str(&format!(", 'itemsize': {size}}}"));
}

fn put_fields(fields: &[Field], out: &mut String, put_type: fn(&Dtype, &mut String)) {
    put_separated(fields, ['[', ']'], out, |field, out| {
        out.push('(');
        literal::put_text(&field.name, out);
        out.push_str(", ");
        put_type(&field.dtype, out);
        if !field.shape.is_empty() {
            out.push_str(", ");
            put_shape(&field.shape, out);
        }
        out.push(')');
    });
}

fn put_format(dtype: &Dtype, out: &mut String) {
    match &dtype.kind {
        DtypeKind::Record(fields) => put_shown(fields, dtype.size, out),
        _ => put_quoted(dtype, plain::put_short, out),
    }
}

fn put_quoted(dtype: &Dtype, put: fn(&Dtype, &mut String), out: &mut String) {
    out.push('\'');
    put(dtype, out);
    out.push('\'');
}

fn put_shape(shape: &[u64], out: &mut String) {
    put_separated(shape, ['(', ')'], out, |n, out| out.push_str(&n.to_string()));
    if shape.len() == 1 {
        // A tuple of one has a comma.
        out.truncate(out.len() - 1);
        out.push_str(",)");
    }
}

fn put_separated<T>(
    items: &[T],
    [open, close]: [char; 2],
    out: &mut String,
    put: impl Fn(&T, &mut String),
) {
    out.push(open);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        put(item, out);
    }
    out.push(close);
}

fn padding(size: usize) -> Field {
    Field { name: String::new(), dtype: Dtype::new(DtypeKind::Void, size), shape: Vec::new() }
}

impl Field {
    /// Returns whether the field is padding.
    pub fn is_padding(&self) -> bool {
        self.name.is_empty() && self.shape.is_empty() && self.dtype.kind == DtypeKind::Void
    }

    /// Returns the bytes that it takes, if that is a number.
    fn size(&self) -> Option<usize> {
        self.shape.iter().try_fold(self.dtype.size, |size, n| {
            size.checked_mul(usize::try_from(*n).ok()?).filter(|size| *size <= MAX_SIZE)
        })
    }
}

pub(super) fn record(fields: Vec<Field>) -> Result<Dtype> {
    let mut names = HashSet::new();
    for field in fields.iter().filter(|field| !field.is_padding()) {
        if !names.insert(field.name.as_str()) {
            let name: String = field.name.chars().take(60).collect();
            return Err(Error::malformed(format!("a dtype has two fields {name:?}")));
        }
    }
    let sizes = fields.iter().try_fold(0usize, |size, field| size.checked_add(field.size()?));
    match sizes.filter(|size| *size <= MAX_SIZE) {
        Some(size) => Ok(Dtype::new(DtypeKind::Record(fields), size)),
        None => Err(Error::malformed("a dtype of more than 2 GiB")),
    }
}

/// Returns the field number `i`: name, type and perhaps shape.
fn field(i: usize, item: &Literal) -> Result<Field> {
    let (name, format, shape) = match item {
        Literal::Row { items, .. } => match items.as_slice() {
            [name, format] => (name, format, None),
            [name, format, shape] => (name, format, Some(shape)),
            _ => return Err(malformed_field()),
        },
        _ => return Err(malformed_field()),
    };
    make_field(i, name_of(name)?, format, shape.map_or(Ok(Vec::new()), dimensions)?)
}

fn make_field(i: usize, name: &str, format: &Literal, mut shape: Vec<u64>) -> Result<Field> {
    let dtype = match format {
        // An array as a type: its dimensions follow those of the field.
        Literal::Row { items, is_tuple: true } => match items.as_slice() {
            [format, inner] => {
                let field = make_field(i, name, format, dimensions(inner)?)?;
                shape.extend(field.shape);
                field.dtype
            }
            _ => return Err(malformed_field()),
        },
        format => parse(format)?,
    };
    let mut field = Field { name: name.to_owned(), dtype, shape };
    if field.name.is_empty() && !field.is_padding() {
        field.name = format!("f{i}");
    }
    Ok(field)
}

/// Returns the name, without a title.
fn name_of(literal: &Literal) -> Result<&str> {
    match literal {
        Literal::Text(name) => Ok(name),
        Literal::Row { items, .. } => match items.as_slice() {
            [_, Literal::Text(name)] => Ok(name),
            _ => Err(malformed_field()),
        },
        _ => Err(malformed_field()),
    }
}

fn dimensions(literal: &Literal) -> Result<Vec<u64>> {
    let count = |literal: &Literal| match literal {
        Literal::Number(n) => u64::try_from(*n).map_err(|_| malformed_field()),
        _ => Err(malformed_field()),
    };
    match literal {
        Literal::Row { items, .. } => items.iter().map(count).collect(),
        number => Ok(vec![count(number)?]),
    }
}

/// Parses a dict of names, formats, offsets and the item size.
fn dict(pairs: &[(Literal, Literal)]) -> Result<Dtype> {
    let get = |key: &str| {
        let is_key = |literal: &Literal| matches!(literal, Literal::Text(text) if text == key);
        pairs.iter().find(|(literal, _)| is_key(literal)).map(|(_, value)| value)
    };
    let (Some(Literal::Row { items: names, .. }), Some(Literal::Row { items: formats, .. })) =
        (get("names"), get("formats"))
    else {
        return Err(Error::unsupported("a dtype dict without 'names' and 'formats'"));
    };
    if names.len() != formats.len() {
        return Err(malformed_field());
    }
    let offsets = match get("offsets") {
        Some(offsets) => Some(dimensions(offsets)?),
        None if get("aligned") == Some(&Literal::Truth(true)) => {
            return Err(Error::unsupported("an aligned dtype dict without 'offsets'"));
        }
        None => None,
    };
    let named = names.iter().zip(formats).enumerate();
    let fields = named.map(|(i, (name, format))| make_field(i, name_of(name)?, format, Vec::new()));
    let mut fields: Vec<_> = fields.collect::<Result<_>>()?;
    if let Some(offsets) = offsets {
        fields = placed(fields, &offsets)?;
    }
    match get("itemsize") {
        Some(Literal::Number(size)) => {
            let end = record(fields.clone())?.size;
            let rest = usize::try_from(*size).ok().and_then(|size| size.checked_sub(end));
            let rest =
                rest.ok_or_else(|| Error::malformed(format!("an element of {size} bytes")))?;
            fields.extend((rest > 0).then(|| padding(rest)));
        }
        Some(_) => return Err(malformed_field()),
        None => {}
    }
    record(fields)
}

/// Returns the fields in the order of their offsets, with padding where they leave gaps.
fn placed(fields: Vec<Field>, offsets: &[u64]) -> Result<Vec<Field>> {
    if fields.len() != offsets.len() {
        return Err(malformed_field());
    }
    let mut by_offset: Vec<_> = fields.into_iter().zip(offsets).collect();
    by_offset.sort_by_key(|(_, offset)| **offset);
    let mut all = Vec::with_capacity(by_offset.len());
    let mut end = 0;
    for (field, offset) in by_offset {
        let offset = usize::try_from(*offset).ok().filter(|offset| *offset <= MAX_SIZE);
        let offset = offset.ok_or_else(malformed_field)?;
        match offset.checked_sub(end) {
            Some(0) => {}
            Some(gap) => all.push(padding(gap)),
            None => return Err(Error::unsupported("a dtype whose fields overlap")),
        }
        end = field.size().and_then(|size| offset.checked_add(size)).ok_or_else(malformed_field)?;
        all.push(field);
    }
    Ok(all)
}

fn malformed_field() -> Error {
    Error::malformed("a field of a dtype is a name, a type and perhaps a shape")
}
