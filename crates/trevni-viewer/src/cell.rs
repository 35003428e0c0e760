//! Values as the text that the page shows.

use arrow::array::Array;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use serde_json::Value as Json;
use trevni::Result;

/// Characters of a value that are shown.
const MOST: usize = 300;

/// Returns the start of a text.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Returns the values of an array; nulls are null.
pub(crate) fn cells(array: &dyn Array) -> Result<Vec<Json>> {
    let wider = trevni::arrow::wider_decimals(array)?;
    let array = wider.as_deref().unwrap_or(array);
    let options = FormatOptions::default().with_display_error(true).with_null("null");
    let format = ArrayFormatter::try_new(array, &options)?;
    let nulls = array.logical_nulls();
    let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let cell = |row| match is_null(row) {
        true => Json::Null,
        false => Json::String(shortened(&format.value(row).to_string())),
    };
    Ok((0..array.len()).map(cell).collect())
}
