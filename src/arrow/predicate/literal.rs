//! The literals that columns are compared with.
//!
//! ```text
//! true     -0.5      'it''s'     x'00ff'
//! boolean  number    text        bytes
//! ```
//! Dates, times and durations are text until the type of their column is known.

use std::fmt;

use super::number::Number;

/// What a column is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Literal(pub(crate) LiteralKind);

/// The kinds of literals.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LiteralKind {
    Boolean(bool),
    Number(Number),
    Text(String),
    Bytes(Vec<u8>),
}

impl Literal {
    /// Returns what it is, for messages.
    pub(crate) fn describe(&self) -> String {
        let kind = match self.0 {
            LiteralKind::Boolean(_) => "boolean",
            LiteralKind::Number(_) => "number",
            LiteralKind::Text(_) => "text",
            LiteralKind::Bytes(_) => "binary",
        };
        format!("the {kind} {self}")
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            LiteralKind::Boolean(value) => write!(f, "{value}"),
            LiteralKind::Number(number) => write!(f, "{number}"),
            LiteralKind::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            LiteralKind::Bytes(bytes) => {
                f.write_str("x'")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str("'")
            }
        }
    }
}

impl From<bool> for Literal {
    fn from(value: bool) -> Self {
        Self(LiteralKind::Boolean(value))
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Self(LiteralKind::Text(text.to_owned()))
    }
}

impl From<String> for Literal {
    fn from(text: String) -> Self {
        Self(LiteralKind::Text(text))
    }
}

impl From<&[u8]> for Literal {
    fn from(bytes: &[u8]) -> Self {
        Self(LiteralKind::Bytes(bytes.to_owned()))
    }
}

impl From<Vec<u8>> for Literal {
    fn from(bytes: Vec<u8>) -> Self {
        Self(LiteralKind::Bytes(bytes))
    }
}

macro_rules! numbers {
    ($($t:ty),*) => {$(
        /// The number that its shortest decimal form is.
        impl From<$t> for Literal {
            fn from(value: $t) -> Self {
                // What a number prints is always one.
                Self(LiteralKind::Number(Number::parse(&value.to_string()).unwrap_or(Number::Nan)))
            }
        }
    )*};
}

numbers!(i8, i16, i32, i64, i128, u8, u16, u32, u64, u128, f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_made_of_values() {
        for (literal, shown) in [
            (Literal::from(true), "true"),
            (i64::MIN.into(), "-9223372036854775808"),
            (0.1f32.into(), "0.1"),
            ((-0.0f64).into(), "-0"),
            (1e300f64.into(), "1e300"),
            (f64::NAN.into(), "nan"),
            (f32::NEG_INFINITY.into(), "-inf"),
            ("it's".into(), "'it''s'"),
            (vec![0u8, 255].into(), "x'00ff'"),
        ] {
            assert_eq!(literal.to_string(), shown);
        }
    }
}
