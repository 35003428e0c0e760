//! trevni
#[cfg(feature = "arrow")]
pub mod arrow;
pub mod checksum;
pub mod codec;
#[cfg(feature = "arrow")]
pub mod convert;
mod error;
pub mod io;
pub mod trevni;
pub mod wire;
pub use error::{Error, ErrorKind, Place, Result};
