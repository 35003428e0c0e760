//! NumPy dtypes.
//!
//! ```text
//! text                                   name             bytes of an element
//! |b1                                    bool             one, 0 or 1
//! <i4   >u8   <f2   <c16                 int32   >u8 ...  a number, low (<) or high (>) byte first
//! <M8[ns]   <m8[25us]                    datetime64[ns]   int64, units since 1970; or a duration
//! |S10   <U5   |V12                      |S10 ...         bytes; code points of 4 bytes; anything
//! [('a', '<i4'), ('b', '<f8', (2,))]     the same         the fields one after another
//! ```
//! [`Dtype::parse`] accepts every spelling in containers. [`Dtype::numpy_str`] returns the text of the first
//! column, as NumPy's `dtype.str` and `dtype.descr`, and `Display` that of `str(dtype)`.
//!
//! ```
//! use trevni_blosc::Dtype;
//! let dtype = Dtype::parse("int64")?;
//! assert_eq!((dtype.numpy_str().as_str(), dtype.size), ("<i8", 8));
//! let record = Dtype::parse("[('a', 'i4'), ('b', '>f8', (2,))]")?;
//! assert_eq!(record.to_string(), "[('a', '<i4'), ('b', '>f8', (2,))]");
//! assert_eq!(record.size, 4 + 2 * 8);
//! # Ok::<(), trevni::Error>(())
//! ```

mod literal;
mod plain;
mod record;

use std::fmt;

use serde_json::Value;

use self::literal::Literal;
use trevni::Result;

/// The most bytes of an element, as in NumPy.
const MAX_SIZE: usize = 0x7fff_ffff;

/// Which byte of a number comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// The lowest, `<`; also where there is no order, `|`.
    Little,
    /// The highest, `>`.
    Big,
}

/// A unit of time: `count` times the base, as in `M8[25us]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// How many of the base, usually 1.
    pub count: u32,
    /// `Y M W D h m s ms us ns ps fs as`, or `generic` if there is none.
    pub base: &'static str,
}

/// What an element is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DtypeKind {
    /// One byte, 0 or 1. `bool`, `|b1`
    Bool,
    /// Signed integer of 1, 2, 4, 8 bytes.
    Int,
    /// Unsigned integer of 1, 2, 4, 8 bytes.
    UInt,
    /// Float of 2, 4, 8 bytes.
    Float,
    /// Two floats; 8 or 16 bytes together.
    Complex,
    /// Bytes padded with NULs. `S`
    Bytes,
    /// Code points of 4 bytes padded with NULs. `U`
    Unicode,
    /// Signed 64-bit count of units since 1970; the minimum is "not a time". `M8`
    DateTime(Unit),
    /// Signed 64-bit count of units. `m8`
    TimeDelta(Unit),
    /// Bytes without a meaning. `V`
    Void,
    /// Adjacent fields, without gaps.
    Record(Vec<Field>),
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name. Padding has none, and is [`DtypeKind::Void`].
    pub name: String,
    /// Its type.
    pub dtype: Dtype,
    /// Its shape; empty for a scalar.
    pub shape: Vec<u64>,
}

/// The type of an array's elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dtype {
    /// What an element is.
    pub kind: DtypeKind,
    /// The order of its bytes; little for records, whose fields have their own.
    pub order: ByteOrder,
    /// The size of an element in bytes; at least 1 except for `S0`, `U0`, `V0` and records without fields.
    pub size: usize,
}

impl Dtype {
    /// Creates a plain type in little-endian order.
    pub fn new(kind: DtypeKind, size: usize) -> Self {
        Self { kind, order: ByteOrder::Little, size }
    }

    /// Creates a record type of adjacent fields.
    pub fn record(fields: Vec<Field>) -> Result<Self> {
        record::record(fields)
    }

    /// Returns the type of NumPy's text: `<i8`, `|S10`, `int64`, `datetime64[ns]`, `[('a', '<i4'), ('b', '<f8',
    /// (2,))]`, with or without quotes around it. Objects (`|O`) are refused.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        if Literal::is_at(text) {
            record::parse(&Literal::parse(text)?)
        } else {
            plain::parse(text)
        }
    }

    /// Returns the type of a JSON value: the text as a string, or lists in lists, as older files hold them.
    pub(crate) fn from_json(value: &Value) -> Result<Self> {
        match value {
            Value::String(text) => Self::parse(text),
            value => record::parse(&Literal::from_json(value)?),
        }
    }

    /// Returns the text from which NumPy creates this type: `<i8`, `|S10`, `<M8[ns]`, `[('a', '<i4'), ('b', '<f8',
    /// (2,))]`. Padding is included, as in NumPy: `('', '|V4')`.
    pub fn numpy_str(&self) -> String {
        let mut out = String::new();
        match &self.kind {
            DtypeKind::Record(fields) => record::put_list(fields, &mut out),
            _ => plain::put(self, &mut out),
        }
        out
    }

    /// Returns the text that `str(dtype)` has: `int64`, `>i8`, `|S10`, `datetime64[ns]`. Padding in records makes it
    /// `{'names': ['a', 'b'], 'formats': ['i1', '<f8'], 'offsets': [0, 8], 'itemsize': 16}`.
    pub fn name(&self) -> String {
        let mut out = String::new();
        match &self.kind {
            DtypeKind::Record(fields) => record::put_shown(fields, self.size, &mut out),
            _ => plain::put_name(self, &mut out),
        }
        out
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

#[cfg(test)]
mod tests;
