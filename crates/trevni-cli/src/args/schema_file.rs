//! Reads a schema from a file.

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use trevni::arrow::schema_from_avro;

use crate::exit::CliError;

/// Reads a schema from a file: as `--format json` prints it, or an Avro schema.
pub(crate) fn load(path: &Path) -> Result<SchemaRef, CliError> {
    let text = std::fs::read_to_string(path).map_err(CliError::of(path.display()))?;
    let json: serde_json::Value =
        serde_json::from_str(&text).map_err(CliError::of(path.display()))?;
    if json.get("fields").is_some() && json.get("type").is_none() {
        let schema: Schema = serde_json::from_value(json).map_err(CliError::of(path.display()))?;
        return Ok(Arc::new(schema));
    }
    let schema = schema_from_avro(&text).map_err(CliError::of(path.display()))?;
    Ok(Arc::new(schema))
}
