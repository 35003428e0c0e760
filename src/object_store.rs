//! Reads objects in stores by ranges, and writes them in parts.
//!
//! ```text
//! reading   ranges ──► coalesced ──► requests, some at a time ──► Ranges (crate::io), which are decoded
//! writing   bytes ──► one put, if they are few
//!                 └─► parts, some at a time ──► complete            abort on an error, or when dropped
//! ```
//! This module does IO only: byte ranges are planned, and bytes decoded, elsewhere. Stores are those of the crate
//! [`object_store`](https://docs.rs/object_store). No runtime is required; on a tokio runtime, requests continue
//! while their caller is busy.
//!
//! ```
//! use object_store::{ObjectStoreExt, memory::InMemory, path::Path};
//! use trevni::io::ReadAt;
//! use trevni::object_store::{FetchOptions, fetch};
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let store = std::sync::Arc::new(InMemory::new());
//! store.put(&Path::from("a"), "0123456789".into()).await?;
//! let ranges = fetch(store, Path::from("a"), &[2..4, 7..8], FetchOptions::default()).await?;
//! assert_eq!(ranges.read_at(2, 2)?, "23");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! # }).unwrap()?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod metrics;
mod object;
mod requests;
mod spawn;
mod url;
mod writer;

pub use self::url::{environment, from_url, is_literal};
#[cfg(feature = "arrow")]
pub(crate) use crate::object_store::spawn::spawn;
pub use metrics::FetchMetrics;
pub use object::{Fetched, Location, Object, fetch};
pub use requests::FetchOptions;
pub use writer::ObjectWriter;

use crate::error::Error;

impl From<::object_store::Error> for Error {
    fn from(e: ::object_store::Error) -> Self {
        use ::object_store::Error as Fault;
        use std::io::ErrorKind;
        let kind = match &e {
            Fault::NotFound { .. } => ErrorKind::NotFound,
            Fault::AlreadyExists { .. } => ErrorKind::AlreadyExists,
            Fault::PermissionDenied { .. } | Fault::Unauthenticated { .. } => {
                ErrorKind::PermissionDenied
            }
            Fault::NotSupported { .. } | Fault::NotImplemented { .. } => ErrorKind::Unsupported,
            _ => ErrorKind::Other,
        };
        std::io::Error::new(kind, e).into()
    }
}
