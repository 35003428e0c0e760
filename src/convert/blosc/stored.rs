//! A sparse frame in a store, for those who wait for each chunk.
//!
//! ```text
//! prefix/chunks.b2frame     when it is opened
//! prefix/0000002A.chunk     when its rows are read; the threads that decode ask side by side
//! ```

use bytes::Bytes;

use super::super::source::StoredObject;
use crate::blosc::frame::Keys;
use crate::error::Result;
use crate::object_store;

/// The keys below a prefix.
#[derive(Debug)]
pub(super) struct StoredKeys(pub(super) StoredObject);

impl Keys for StoredKeys {
    fn get(&self, key: &str) -> Result<Bytes> {
        let path = self.0.path.clone().join(key);
        self.0.wait(object_store::get(&self.0.store, &path))
    }

    fn get_start(&self, key: &str, len: usize) -> Result<Bytes> {
        let path = self.0.path.clone().join(key);
        self.0.wait(object_store::get_start(&self.0.store, &path, len as u64))
    }
}
