//! Converts Arrow schemas to Avro schemas.
//!
//! ```text
//! int8 16 32, uint8 16      int           utf8, any kind        string     dictionary, run ends   their values
//! uint32, int64, duration   long          binary, any kind      bytes      list, any kind         array
//! float16 32                float         fixed-size binary     fixed      map with text keys     map
//! float64                   double        decimal, any width    bytes      nullable T             ["null", T]
//! ```
//! The wider types of Arrow are restored from the Arrow schema. A type that needs a name takes it from the
//! `avro.name` of its field, or else from its path. A dictionary whose field has `avro.enum.symbols` is an enum.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow::datatypes::*;

use super::super::Layout;
use super::{Avro, Logical, Primitive};
use crate::arrow::array::nested;
use crate::arrow::encoded::enum_symbols;
use crate::arrow::encoded::stored;
use crate::arrow::field_path::FieldPath;
use crate::arrow::leaf::types;
use crate::error::{Error, Result};
use crate::keys::AVRO_NAME;

/// The Avro schema of an Arrow schema.
pub(crate) fn from_arrow(schema: &Schema) -> Result<Avro> {
    let mut names = Names::default();
    let fields = names.fields(schema.fields(), None)?;
    let wanted = schema.metadata().get(AVRO_NAME).cloned().unwrap_or_else(|| "Row".to_owned());
    Ok(names.define(wanted, |name| Avro::Record { name, fields: fields.clone() }))
}

/// The named types so far.
#[derive(Default)]
struct Names(HashMap<String, Avro>);

fn refuse<T>(path: &FieldPath<'_>, why: impl std::fmt::Display) -> Result<T> {
    Err(Error::invalid(format!("field {path} has no Avro form: {why}")))
}

impl Names {
    /// Defines a named type under its name, or the next name that is free.
    fn define(&mut self, wanted: String, make: impl Fn(String) -> Avro) -> Avro {
        let mut name = legal_full_name(&wanted);
        loop {
            let avro = make(name.clone());
            match self.0.get(&name) {
                Some(other) if *other != avro => name.push('_'),
                // One list of symbols serves all fields of an enum.
                Some(other) => return other.clone(),
                None => {
                    self.0.insert(name, avro.clone());
                    return avro;
                }
            }
        }
    }

    fn fields(
        &mut self,
        fields: &Fields,
        path: Option<&FieldPath<'_>>,
    ) -> Result<Vec<(String, Avro)>> {
        let mut all: Vec<(String, Avro)> = Vec::with_capacity(fields.len());
        let mut names = HashSet::with_capacity(fields.len());
        for field in fields {
            let name = field.name();
            let path = path.map_or(FieldPath::new(name), |path| path.then(name));
            if !is_legal(name) {
                return refuse(&path, "Avro accepts no such name (--rename avro makes one)");
            }
            if !names.insert(name) {
                return refuse(&path, "another field has its name (--rename avro makes another)");
            }
            all.push((name.clone(), self.node(field, &path)?));
        }
        Ok(all)
    }

    fn node(&mut self, field: &FieldRef, path: &FieldPath<'_>) -> Result<Avro> {
        let inner = self.required(field, path)?;
        let optional = stored(field, Layout::Avro).is_nullable();
        if !optional || inner.is_null() || matches!(inner, Avro::Union(_)) {
            return Ok(inner);
        }
        Ok(Avro::Union(vec![Avro::NULL, inner]))
    }

    fn required(&mut self, field: &Field, path: &FieldPath<'_>) -> Result<Avro> {
        let wanted = || {
            field
                .metadata()
                .get(AVRO_NAME)
                .cloned()
                .unwrap_or_else(|| path.to_string().replace('.', "_"))
        };
        Ok(match field.data_type() {
            DataType::Dictionary(_, values) => match enum_symbols::of(field) {
                Some(symbols) if symbols_are_legal(&symbols) => {
                    let symbols: Arc<[String]> = symbols.into();
                    self.define(wanted(), |name| Avro::Enum { name, symbols: symbols.clone() })
                }
                Some(_) => return refuse(path, "its symbols are no Avro names"),
                None => {
                    let values = field.clone().with_data_type(values.as_ref().clone());
                    let inner = self.required(&values, path)?;
                    if matches!(inner, Avro::Union(_)) {
                        return refuse(path, "a dictionary of unions");
                    }
                    inner
                }
            },
            DataType::RunEndEncoded(_, values) => self.required(values, path)?,
            DataType::FixedSizeBinary(size) => {
                self.define(wanted(), |name| Avro::Fixed { name, size: *size, logical: None })
            }
            DataType::Struct(fields) => {
                let fields = self.fields(fields, Some(path))?;
                self.define(wanted(), |name| Avro::Record { name, fields: fields.clone() })
            }
            DataType::Map(entries, _) => {
                let (key, value) = types::entry(entries)?;
                let key_type = stored(key, Layout::Avro);
                if types::accepts(key_type.data_type()) != types::accepts(&DataType::Utf8) {
                    return refuse(path, "keys of an Avro map are strings");
                }
                Avro::Map(Box::new(self.node(value, &path.then(value.name()))?))
            }
            DataType::Union(fields, _) => self.union(fields, path)?,
            data_type => match nested::item(data_type) {
                Some(item) => Avro::Array(Box::new(self.node(item, &path.then(item.name()))?)),
                None => primitive(data_type, path)?,
            },
        })
    }

    /// Branches are taken as not nullable: a null in one is an error when it is written.
    fn union(&mut self, fields: &UnionFields, path: &FieldPath<'_>) -> Result<Avro> {
        let mut branches: Vec<Avro> = Vec::with_capacity(fields.len());
        for (_, field) in fields.iter() {
            let path = path.then(field.name());
            let branch = self.required(field, &path)?;
            if matches!(branch, Avro::Union(_)) {
                return refuse(&path, "a union directly in a union");
            }
            if branches.iter().any(|other| other.full_name() == branch.full_name()) {
                let what = format!("the union has another branch {}", branch.full_name());
                return refuse(&path, what);
            }
            branches.push(branch);
        }
        Ok(Avro::Union(branches))
    }
}

fn primitive(data_type: &DataType, path: &FieldPath<'_>) -> Result<Avro> {
    use DataType::*;
    use TimeUnit::*;
    let plain = |primitive| Avro::Primitive(primitive, None);
    let logical = |primitive, logical| Avro::Primitive(primitive, Some(logical));
    let long = |l| logical(Primitive::Long, l);
    Ok(match data_type {
        Null => Avro::NULL,
        Boolean => plain(Primitive::Boolean),
        Int8 | Int16 | Int32 | UInt8 | UInt16 | Time32(Second) => plain(Primitive::Int),
        Interval(IntervalUnit::YearMonth) => plain(Primitive::Int),
        UInt32 | Int64 | Duration(_) | Timestamp(Second, _) => plain(Primitive::Long),
        Float16 | Float32 => plain(Primitive::Float),
        Float64 => plain(Primitive::Double),
        Utf8 | LargeUtf8 | Utf8View => plain(Primitive::String),
        Binary | LargeBinary | BinaryView => plain(Primitive::Bytes),
        Date32 => logical(Primitive::Int, Logical::Date),
        Date64 => long(Logical::LocalTimestampMillis),
        Time32(_) => logical(Primitive::Int, Logical::TimeMillis),
        Time64(Microsecond) => long(Logical::TimeMicros),
        Time64(_) => plain(Primitive::Long),
        Timestamp(Millisecond, None) => long(Logical::LocalTimestampMillis),
        Timestamp(Microsecond, None) => long(Logical::LocalTimestampMicros),
        Timestamp(Nanosecond, None) => long(Logical::LocalTimestampNanos),
        Timestamp(Millisecond, Some(_)) => long(Logical::TimestampMillis),
        Timestamp(Microsecond, Some(_)) => long(Logical::TimestampMicros),
        Timestamp(Nanosecond, Some(_)) => long(Logical::TimestampNanos),
        Decimal32(p, s) | Decimal64(p, s) | Decimal128(p, s) | Decimal256(p, s) => {
            // Avro has no negative scales; such a decimal is bytes and no more to it.
            let scale = u8::try_from(*s).ok().filter(|scale| scale <= p);
            let decimal = scale.map(|scale| Logical::Decimal { precision: *p, scale });
            Avro::Primitive(Primitive::Bytes, decimal)
        }
        UInt64 => return refuse(path, "Avro has no unsigned 64-bit integers"),
        Interval(_) => return refuse(path, "Avro has no such interval"),
        other => return refuse(path, other),
    })
}

fn is_legal(name: &str) -> bool {
    let start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(start) && name.chars().all(|c| start(c) || c.is_ascii_digit())
}

fn symbols_are_legal(symbols: &[String]) -> bool {
    let distinct = symbols.iter().collect::<HashSet<_>>().len();
    distinct == symbols.len() && symbols.iter().all(|symbol| is_legal(symbol))
}

/// Returns a name if it is legal, or else a legal name made from it.
fn legal_full_name(name: &str) -> String {
    let is_primitive = Primitive::from_name(name).is_some();
    if name.split('.').all(is_legal) && !is_primitive && !name.is_empty() {
        // The dots of a path are not namespaces; those of a declared name are.
        return name.to_owned();
    }
    let name = legal_avro_name(name);
    if is_primitive { format!("_{name}") } else { name }
}

/// Returns `name` with `_` in place of the characters that Avro does not allow.
pub fn legal_avro_name(name: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(legal).collect();
    if is_legal(&name) { name } else { format!("_{name}") }
}
