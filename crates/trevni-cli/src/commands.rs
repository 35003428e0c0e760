//! The subcommands: their arguments, and what they do.

pub(crate) mod bench;
#[cfg(feature = "blosc")]
pub(crate) mod blosc;
pub(crate) mod cat;
pub(crate) mod completions;
pub(crate) mod concat;
#[cfg(feature = "blosc")]
pub(crate) mod container;
pub(crate) mod convert;
pub(crate) mod count;
pub(crate) mod describe;
pub(crate) mod diff;
pub(crate) mod layout;
pub(crate) mod meta;
pub(crate) mod random;
pub(crate) mod rewrite;
pub(crate) mod sample;
pub(crate) mod schema;
pub(crate) mod size;
#[cfg(feature = "sql")]
pub(crate) mod sql;
pub(crate) mod tail;
pub(crate) mod tojson;
pub(crate) mod totrevni;
pub(crate) mod vacuum;
pub(crate) mod verify;
