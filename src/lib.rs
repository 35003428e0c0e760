//! trevni
pub mod checksum;
pub mod codec;
mod error;
pub mod io;
pub mod wire;
pub use error::{Error, ErrorKind, Place, Result};
