//! The texts that mean null.
//!
//! ```text
//!                        columns that are not text              text columns
//! by default             empty, NA, null, NaN, \N ...           empty, unless in quotes
//! given null values      empty, and these                       empty, and these
//! ```
//! A float column of a declared type keeps NaN, unless NaN is among the given null values.

/// What pyarrow takes for null, and what MySQL and PostgreSQL write.
const DEFAULTS: [&str; 17] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "N/A",
    "NA", "NULL", "NaN", "n/a", "nan", "null", "\\N",
];

/// The values that are null in a column.
#[derive(Debug, Clone)]
pub(super) struct Nulls {
    values: Vec<String>,
    /// The lengths that values have, as bits; longer ones share the last.
    lengths: u64,
}

impl Nulls {
    /// Those of a column that is not text.
    pub(super) fn new(given: Option<&[String]>) -> Self {
        match given {
            Some(given) => Self::of(given.to_vec()),
            None => Self::of(DEFAULTS.map(str::to_owned).to_vec()),
        }
    }

    /// Those of a text column.
    pub(super) fn of_text(given: Option<&[String]>) -> Self {
        Self::of(given.unwrap_or_default().to_vec())
    }

    /// Null values of a float column of a declared type.
    pub(super) fn of_floats(given: Option<&[String]>) -> Self {
        let mut nulls = Self::new(given);
        if given.is_none() {
            nulls.values.retain(|value| !value.to_ascii_lowercase().ends_with("nan"));
        }
        nulls
    }

    fn of(values: Vec<String>) -> Self {
        let lengths = values.iter().fold(1, |bits, value| bits | length_bit(value.len()));
        Self { values, lengths }
    }

    /// Returns whether a text between quotes that is empty is null, since the empty one is given.
    pub(super) fn contains_empty_text(&self) -> bool {
        self.values.iter().any(String::is_empty)
    }

    /// Returns whether a value is null.
    pub(super) fn contains(&self, value: &str) -> bool {
        value.is_empty()
            || (self.lengths & length_bit(value.len()) != 0
                && self.values.iter().any(|null| null == value))
    }
}

fn length_bit(length: usize) -> u64 {
    1 << length.min(63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_column_has_its_nulls() {
        let given = ["-".to_owned(), "NaN".to_owned()];
        for (nulls, are, are_not) in [
            (Nulls::new(None), &["", "NA", "NaN", "\\N", "null"][..], &["-", "Null", "NAN"][..]),
            (Nulls::of_text(None), &[""], &["NA", "null"]),
            (Nulls::of_floats(None), &["", "NA", "null"], &["NaN", "-nan"]),
            (Nulls::of_floats(Some(&given)), &["", "-", "NaN"], &["NA"]),
            (Nulls::of_text(Some(&given)), &["", "-", "NaN"], &["NA"]),
        ] {
            are.iter().for_each(|value| assert!(nulls.contains(value), "{nulls:?} {value}"));
            are_not.iter().for_each(|value| assert!(!nulls.contains(value), "{nulls:?} {value}"));
        }
    }
}
