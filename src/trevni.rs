//! The Trevni file, without Arrow: columns of plain values in and out.
//!
//! ```text
//! file    = header, column ...
//! header  = 'T' 'r' 'v' version, fixed64 rows, fixed32 columns,
//!           metadata of the file, metadata of each column, fixed64 start of each column
//! column  = fixed32 blocks, descriptor of each block, block ...
//! block   = values (of array columns: each row's count, then its values), checksum
//! ```

mod column;
mod metadata;
mod value;
mod values;

pub use column::{ColumnData, ColumnSlice};
pub use metadata::{ColumnMetadata, Metadata};
pub use value::{Value, ValueType};
pub use values::{Bits, Offsets, Strings, Values, ValuesRef};
