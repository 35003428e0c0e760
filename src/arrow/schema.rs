//! The Arrow schema of a file: stored in its metadata, or inferred from its Avro schema or its columns.

pub(crate) mod infer;
pub(crate) mod ipc;
pub(crate) mod stored;
pub(crate) mod view_types;
