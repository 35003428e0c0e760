//! Metadata of a column.
//!
//! ```text
//! trevni.name │ trevni.type │ trevni.parent │ trevni.array │ trevni.values │ trevni.codec │ trevni.checksum
//! ```
//! (Specification: "Column Metadata".)

use bytes::Bytes;

use super::metadata::Metadata;
use super::value::ValueType;
use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::error::{Error, Result};
use crate::keys::{ARRAY, CHECKSUM, CODEC, NAME, PARENT, TYPE, VALUES};
use crate::wire::Cursor;

/// The metadata of a column, with the values of the reserved keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnMetadata {
    pairs: Metadata,
    name: String,
    value_type: ValueType,
    parent: Option<String>,
}

impl ColumnMetadata {
    /// Creates a plain column: one value a row.
    pub fn new(name: impl Into<String>, value_type: ValueType) -> Self {
        let name = name.into();
        let mut pairs = Metadata::new();
        pairs.put(NAME, name.as_bytes().to_vec());
        pairs.put(TYPE, value_type.name());
        Self { pairs, name, value_type, parent: None }
    }

    /// Makes it an array column: any number of values a row, or of its parent's values.
    pub fn array(mut self) -> Self {
        self.pairs.put(ARRAY, Bytes::new());
        self
    }

    /// Makes the column a child of a preceding array column: it has one row for each value of that column.
    pub fn with_parent(mut self, parent: impl Into<String>) -> Self {
        let parent = parent.into();
        self.pairs.put(PARENT, parent.as_bytes().to_vec());
        self.parent = Some(parent);
        self
    }

    /// Stores each block's first value in its descriptor, so that a sorted column can be searched. Only for
    /// columns that are neither arrays nor children.
    pub fn indexed(mut self) -> Self {
        self.pairs.put(VALUES, Bytes::new());
        self
    }

    /// Sets another value type.
    pub(crate) fn with_value_type(mut self, value_type: ValueType) -> Self {
        self.value_type = value_type;
        self.pairs.put(TYPE, value_type.name());
        self
    }

    /// Sets a codec for this column only.
    pub fn with_codec(mut self, codec: Codec) -> Self {
        self.pairs.put(CODEC, codec.name());
        self
    }

    /// Sets a checksum for this column only.
    pub fn with_checksum(mut self, checksum: Checksum) -> Self {
        self.pairs.put(CHECKSUM, checksum.name());
        self
    }

    /// Sets a key of the caller's own; keys that start `trevni.` are refused.
    pub fn with_metadata(
        mut self,
        key: impl Into<String>,
        value: impl Into<Vec<u8>>,
    ) -> Result<Self> {
        self.pairs.set(key, value)?;
        Ok(self)
    }

    /// Returns the same column without first values.
    pub fn not_indexed(mut self) -> Self {
        self.remove(VALUES);
        self
    }

    pub(crate) fn put(&mut self, key: &'static str, value: Vec<u8>) {
        self.pairs.put(key, value);
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.pairs.remove(key);
    }

    /// Returns the name; not necessarily its own alone.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type of the values.
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// Returns whether it is an array column.
    pub fn is_array(&self) -> bool {
        self.pairs.get(ARRAY).is_some()
    }

    /// Returns the name of its parent.
    pub fn parent(&self) -> Option<&str> {
        self.parent.as_deref()
    }

    /// Returns whether descriptors hold first values.
    pub fn is_indexed(&self) -> bool {
        self.pairs.get(VALUES).is_some()
    }

    /// Its own codec; an error if the name is not known, which concerns only this column.
    pub fn codec(&self) -> Result<Option<Codec>> {
        self.pairs.codec().map_err(|e| e.in_column(&self.name))
    }

    /// Its own checksum; an error if the name is not known.
    pub fn checksum(&self) -> Result<Option<Checksum>> {
        self.pairs.checksum().map_err(|e| e.in_column(&self.name))
    }

    /// Returns all pairs, those of the format included.
    pub fn metadata(&self) -> &Metadata {
        &self.pairs
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        self.pairs.write(out);
    }

    pub(crate) fn read(cursor: &mut Cursor<'_>, source: &Bytes) -> Result<Self> {
        let at = cursor.position();
        let pairs = Metadata::read(cursor, source)?;
        Self::from_pairs(pairs).map_err(|e| e.at(at))
    }

    fn from_pairs(pairs: Metadata) -> Result<Self> {
        let required = |key: &str| {
            pairs.reserved(key)?.ok_or_else(|| Error::malformed(format!("column without {key}")))
        };
        let name = required(NAME)?.to_owned();
        let in_column = |e: Error| e.in_column(&name);
        let value_type = required(TYPE).and_then(ValueType::from_name).map_err(in_column)?;
        let parent = pairs.reserved(PARENT).map_err(in_column)?.map(str::to_owned);
        let column = Self { name, value_type, parent, pairs };
        if column.is_indexed() && (column.is_array() || column.parent.is_some()) {
            let what = "trevni.values on an array column or a child";
            return Err(Error::malformed(what).in_column(&column.name));
        }
        Ok(column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_both_ways() {
        let column = ColumnMetadata::new("p#x", ValueType::String)
            .with_parent("p")
            .array()
            .with_codec(Codec::Snappy)
            .with_metadata("mine", [0, 1])
            .unwrap();
        let mut out = Vec::new();
        column.write(&mut out);
        let out = Bytes::from(out);
        assert_eq!(ColumnMetadata::read(&mut Cursor::new(&out), &out).unwrap(), column);
        assert_eq!(
            column.metadata().iter().map(|(k, _)| k).collect::<Vec<_>>(),
            ["trevni.name", "trevni.type", "trevni.parent", "trevni.array", "trevni.codec", "mine"]
        );
    }

    #[test]
    fn refuses_columns_that_cannot_be() {
        for pairs in [
            &[][..],
            &[("trevni.name", "a")],
            &[("trevni.name", "a"), ("trevni.type", "decimal")],
            &[
                ("trevni.name", "a"),
                ("trevni.type", "int"),
                ("trevni.array", ""),
                ("trevni.values", ""),
            ],
        ] {
            let mut m = Metadata::new();
            pairs.iter().for_each(|(k, v)| m.put(*k, *v));
            assert!(ColumnMetadata::from_pairs(m).is_err(), "{pairs:?}");
        }
        let strange = [("trevni.name", "a"), ("trevni.type", "int"), ("trevni.codec", "gzip")];
        let mut m = Metadata::new();
        strange.iter().for_each(|(k, v)| m.put(*k, *v));
        assert!(ColumnMetadata::from_pairs(m).unwrap().codec().is_err());
    }
}
