//! Inputs: a file, several files as one table, the standard input, an object in a store.

pub(crate) mod file;
pub(crate) mod first_rows;
pub(crate) mod limit;
pub(crate) mod multiple;
pub(crate) mod path;
pub(crate) mod pattern;
pub(crate) mod progress;
#[cfg_attr(not(feature = "object_store"), path = "input/no_remote.rs")]
pub(crate) mod remote;
pub(crate) mod rows;
pub(crate) mod trevni_files;
