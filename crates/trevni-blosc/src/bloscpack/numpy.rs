//! The description of a NumPy array in the metadata.
//!
//! ```text
//! {"dtype":"'<i4'","shape":[60,20],"order":"F","container":"numpy", ...}
//! ```
//! The type is a Python literal in a JSON string: a string (`'<i4'`) or a list of tuples. Files from before 0.7.2
//! have the bare string, or nested lists. Other keys are the user's attributes. Metadata without a container
//! belongs to the user completely, and the array is one of bytes.

use serde_json::{Map, Value};

use crate::array::{Attributes, Order};
use crate::dtype::{Dtype, DtypeKind};
use trevni::{Error, Result};

const NAMES: [&str; 4] = ["dtype", "shape", "order", "container"];

/// Under which name metadata that is not an object is an attribute.
const WHOLE: &str = "metadata";

/// The most dimensions of a NumPy array.
const MAX_DIMENSIONS: usize = 64;

/// The most rows that have no bytes.
const MAX_EMPTY_ROWS: u64 = 1 << 24;

/// The array that metadata tells of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Described {
    /// The type of its elements.
    pub(crate) dtype: Dtype,
    /// Its shape.
    pub(crate) shape: Vec<u64>,
    /// Which index runs fastest.
    pub(crate) order: Order,
}

impl Described {
    /// Returns the array of the metadata of a file, if there is one. The documents of version 2 have no container.
    pub(crate) fn parse(metadata: &Value, is_version_2: bool) -> Result<Option<Self>> {
        let is_numpy = match metadata.get("container") {
            Some(container) => container == "numpy",
            None => {
                is_version_2 && metadata.get("dtype").is_some() && metadata.get("shape").is_some()
            }
        };
        if !is_numpy {
            return Ok(None);
        }
        let there = |name| {
            metadata
                .get(name)
                .ok_or_else(|| Error::malformed(format!("metadata of an array without {name:?}")))
        };
        let order = match metadata.get("order").map(Value::as_str) {
            None | Some(Some("C")) => Order::C,
            Some(Some("F")) => Order::F,
            Some(_) => return Err(Error::malformed("the order of an array is C or F")),
        };
        let described = Self {
            dtype: Dtype::from_json(there("dtype")?)?,
            shape: shape(there("shape")?)?,
            order,
        };
        described.nbytes().map(|_| Some(described))
    }

    /// Returns the metadata of the array with these attributes; the twin of [`parse`](Described::parse).
    pub(crate) fn metadata(&self, attributes: &Attributes) -> Result<Value> {
        if let Some(name) = NAMES.iter().find(|name| attributes.contains_key(**name)) {
            return Err(Error::invalid(format!(
                "an attribute of a Bloscpack array cannot be {name:?}"
            )));
        }
        let dtype = match self.dtype.kind {
            DtypeKind::Record(_) => self.dtype.numpy_str(),
            _ => format!("'{}'", self.dtype.numpy_str()),
        };
        let order = match self.order {
            Order::C => "C",
            Order::F => "F",
        };
        let values: [Value; 4] =
            [dtype.into(), self.shape.clone().into(), order.into(), "numpy".into()];
        let mut all: Map<_, _> = NAMES.iter().map(|name| (*name).to_owned()).zip(values).collect();
        all.extend(attributes.clone());
        Ok(Value::Object(all))
    }

    /// Returns the bytes of the array.
    pub(crate) fn nbytes(&self) -> Result<u64> {
        if self.dtype.size == 0 {
            return Err(Error::unsupported("an array of elements without bytes"));
        }
        let size = self.shape.iter().try_fold(self.dtype.size as u64, |n, k| n.checked_mul(*k));
        match size {
            // A shape with a 0 has no bytes, whatever the other dimensions.
            Some(0) | None if self.shape.contains(&0) => match self.shape.first() {
                Some(rows) if *rows > MAX_EMPTY_ROWS => {
                    Err(Error::too_large("rows without bytes", *rows, MAX_EMPTY_ROWS))
                }
                _ => Ok(0),
            },
            Some(size) => Ok(size),
            None => Err(Error::malformed(format!("an array of the shape {:?}", self.shape))),
        }
    }
}

/// Returns what of the metadata is the user's.
pub(crate) fn attributes(metadata: &Value, is_array: bool) -> Attributes {
    match metadata {
        Value::Object(all) => {
            let of_user = |name: &String| !(is_array && NAMES.contains(&name.as_str()));
            all.iter()
                .filter(|(name, _)| of_user(name))
                .map(|(n, v)| (n.clone(), v.clone()))
                .collect()
        }
        value => Attributes::from_iter([(WHOLE.to_owned(), value.clone())]),
    }
}

fn shape(value: &Value) -> Result<Vec<u64>> {
    let numbers = value.as_array().filter(|numbers| numbers.len() <= MAX_DIMENSIONS);
    numbers
        .and_then(|numbers| numbers.iter().map(Value::as_u64).collect())
        .ok_or_else(|| Error::malformed("the shape of an array is a list of counts"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(metadata: Value) -> Result<Option<Described>> {
        Described::parse(&metadata, false)
    }

    #[test]
    fn arrays_come_back_with_their_attributes() {
        for (dtype, order) in
            [("'<i4'", "C"), ("'|S3'", "F"), ("[('a', '<i4'), ('b', '<f8')]", "C")]
        {
            let metadata = json!({
                "dtype": dtype, "shape": [3, 4], "order": order, "container": "numpy", "x": {"y": 1},
            });
            let described = parsed(metadata.clone()).unwrap().unwrap();
            let attributes = attributes(&metadata, true);
            assert_eq!(attributes.len(), 1);
            assert_eq!(described.metadata(&attributes).unwrap(), metadata);
            let names = described.metadata(&attributes).unwrap();
            assert!(names.as_object().unwrap().keys().eq([
                "dtype",
                "shape",
                "order",
                "container",
                "x"
            ]));
        }
    }

    #[test]
    fn older_files_hold_bare_types() {
        let old = |dtype: Value| {
            let metadata =
                json!({"dtype": dtype, "shape": [2], "order": "C", "container": "numpy"});
            parsed(metadata).unwrap().unwrap().dtype
        };
        assert_eq!(old(json!("<i8")), Dtype::parse("<i8").unwrap());
        assert_eq!(
            old(json!([["a", "<f8"], ["b", [["c", "|S2", [3]]]]])),
            Dtype::parse("[('a', '<f8'), ('b', [('c', '|S2', (3,))])]").unwrap()
        );
        let blaze = json!({"dtype": "float64", "shape": [1024], "others": []});
        let described = Described::parse(&blaze, true).unwrap().unwrap();
        assert_eq!(described.nbytes().unwrap(), 8192);
        assert_eq!(attributes(&blaze, true).len(), 1);
        assert_eq!(parsed(blaze).unwrap(), None);
    }

    #[test]
    fn what_is_no_array_is_the_users() {
        for metadata in [json!({"a": 1}), json!({"container": "else"}), json!([1]), json!(null)] {
            assert_eq!(parsed(metadata).unwrap(), None);
        }
        assert_eq!(
            attributes(&json!({"dtype": 1}), false),
            *json!({"dtype": 1}).as_object().unwrap()
        );
        assert_eq!(attributes(&json!(5), false)["metadata"], 5);
        let described =
            Described { dtype: Dtype::new(DtypeKind::Int, 8), shape: vec![1], order: Order::C };
        let clash = json!({"shape": 1});
        assert!(described.metadata(clash.as_object().unwrap()).is_err());
    }

    #[test]
    fn refuses_what_cannot_be() {
        let refused = |shape: Value, dtype: &str, order: &str| {
            let metadata =
                json!({"dtype": dtype, "shape": shape, "order": order, "container": "numpy"});
            parsed(metadata).unwrap_err().to_string()
        };
        assert!(refused(json!([-1]), "'<i4'", "C").contains("list of counts"));
        assert!(refused(json!(5), "'<i4'", "C").contains("list of counts"));
        assert!(refused(json!(vec![1; 65]), "'<i4'", "C").contains("list of counts"));
        assert!(refused(json!([1u64 << 63, 2]), "'<i4'", "C").contains("shape"));
        assert!(refused(json!([1u64 << 60, 0]), "'<i4'", "C").contains("rows without bytes"));
        assert!(refused(json!([1]), "'|S0'", "C").contains("without bytes"));
        assert!(refused(json!([1]), "'|O'", "C").contains("pickles"));
        assert!(refused(json!([1]), "'<i4'", "A").contains("C or F"));
        assert!(parsed(json!({"container": "numpy"})).is_err());
        let empty = json!({"dtype": "'<i4'", "shape": [0, 5], "container": "numpy"});
        assert_eq!(parsed(empty).unwrap().unwrap().nbytes().unwrap(), 0);
    }
}
