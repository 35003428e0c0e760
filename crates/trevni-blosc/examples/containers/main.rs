//! Writes containers of every kind, with every type of element, compressor and filter, for others to read.
//!
//! ```text
//! OUT/carray-i4-lz4-byte-1             a container                 carray-i4-lz4-byte-1-write    the same, changed
//! OUT/carray-i4-lz4-byte-1.bin         the bytes of its array; of a table those of one column behind those of another
//! OUT/carray-i4-lz4-byte-1.json        what it is: kind, columns, dtype, shape, attributes, compression
//! ```
//! `cargo run --features blosc --example containers -- OUT`; `tests/blosc/peers.sh` has the programs of others read
//! them.

#![allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]

mod case;
mod change;
mod chunks;
mod home;
mod values;

use std::error::Error;
use std::path::PathBuf;

use case::cases;
use change::Change;
use home::HOMES;

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

fn main() -> Result<()> {
    let out: PathBuf = std::env::args().nth(1).ok_or("no folder: OUT")?.into();
    std::fs::create_dir_all(&out)?;
    let mut count = 0;
    for home in &HOMES {
        for case in cases(home) {
            case.put(&out, &[]).map_err(|e| format!("{}: {e}", case.name))?;
            case.put(&out, case.changes).map_err(|e| {
                format!("{}, changed by {}: {e}", case.name, Change::names(case.changes))
            })?;
            count += 2;
        }
    }
    println!("{count} containers");
    Ok(())
}
