//! A sparse frame in a store, read with blocking requests.
//!
//! ```text
//! prefix/chunks.b2frame     when it is opened
//! prefix/0000002A.chunk     when its rows are read; the threads that decode ask side by side
//! ```

use bytes::Bytes;

use super::super::source::StoredObject;
use object_store::{GetOptions, ObjectStore};
use trevni::Result;
use trevni_blosc::frame::Keys;

/// The keys below a prefix.
#[derive(Debug)]
pub(super) struct StoredKeys(pub(super) StoredObject);

impl StoredKeys {
    fn read(&self, key: &str, options: GetOptions) -> Result<Bytes> {
        let path = self.0.path.clone().join(key);
        self.0.wait(async { Ok(self.0.store.get_opts(&path, options).await?.bytes().await?) })
    }
}

impl Keys for StoredKeys {
    fn get(&self, key: &str) -> Result<Bytes> {
        self.read(key, GetOptions::default())
    }

    fn get_start(&self, key: &str, len: usize) -> Result<Bytes> {
        self.read(key, GetOptions { range: Some((0..len as u64).into()), ..GetOptions::default() })
    }
}
