//! Arguments that several commands share.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod memory;
pub(crate) mod rename;
pub(crate) mod row_types;
pub(crate) mod schema_file;
pub(crate) mod write;
