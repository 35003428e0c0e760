//! The location of a `CREATE EXTERNAL TABLE`.

use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::logical_expr::CreateExternalTable;

/// Returns the location of something that has one.
pub(crate) fn one_location<'a>(command: &'a CreateExternalTable, what: &str) -> Result<&'a String> {
    match command.locations.as_slice() {
        [location] => Ok(location),
        locations => plan_err!("{what} has one location, not {}", locations.len()),
    }
}
