//! Fields whose values are JSON text, which the canonical extension type `arrow.json` says.
//!
//! ```text
//! {"a":1}           a: Utf8, ARROW:extension:name = arrow.json      1
//! {"a": [1, {}]}                                                    [1,{}]
//! ```
//! Blanks between the parts of a value are left out, all else is as in the file.

use arrow::datatypes::{DataType, Field};

/// The key and the name of the type, as Arrow's specification has them.
const EXTENSION_NAME: &str = "ARROW:extension:name";
const EXTENSION_METADATA: &str = "ARROW:extension:metadata";
const JSON: &str = "arrow.json";

/// A nullable field, marked with the extension type.
pub(crate) fn json_field(name: &str) -> Field {
    let metadata = [(EXTENSION_NAME, JSON), (EXTENSION_METADATA, "")];
    let metadata = metadata.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Field::new(name, DataType::Utf8, true).with_metadata(metadata.into())
}

/// Fields of another type than text are not JSON text, whatever their metadata says.
#[cfg(feature = "json")]
pub(crate) fn is_json(field: &Field) -> bool {
    field.metadata().get(EXTENSION_NAME).is_some_and(|name| name == JSON)
        && matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}
