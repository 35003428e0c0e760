//! A page that shows a column file in a browser, and what answers its requests.
//!
//! ```text
//! page (page/*.js) ──► request, JSON ──► Session::answer ──► FileReader, ArrowReader
//!                  ◄── answer, JSON  ◄──                     only the blocks that are needed
//! ```
//! A [`Session`] has no connection and no page: a server passes requests on, or a worker of the browser itself.
//!
//! | request | answer |
//! |---|---|
//! | `{"do":"open"}` | name, rows, bytes, the schema as a tree, the columns with their bytes |
//! | `{"do":"blocks","column":0}` | the blocks of a column |
//! | `{"do":"rows","start":0,"count":100}` | rows as text; `columns` and `where` are optional |
//! | `{"do":"count","where":"a > 1"}` | how many rows pass a predicate; without one, how many there are |
//! | `{"do":"values","column":"a"}` | the minimum, the maximum and the most frequent values of a column |
//! | `{"do":"block","column":0,"block":0}` | how the values of a block are encoded, and its checksum |
//! | `{"do":"verify","column":0}` | the faults of a column |
//! | `{"do":"diff","start":0,"count":1000}` | in what rows the file and another one differ |
//!
//! A module imports from the lines above it only:
//!
//! ```text layers
//! cell counted_source page request
//! session
//! blocks diff format rows summary values
//! answer
//! export
//! ```
//!
//! What cannot be answered is `{"error":"..."}`. Answers have `read`, the bytes that have been read so far.

mod answer;
mod blocks;
mod cell;
mod counted_source;
mod diff;
mod export;
mod format;
mod request;
mod rows;
mod session;
mod summary;
mod values;

pub mod page;

pub use counted_source::{BytesRead, CountedSource};
pub use export::Export;
pub use session::{Reader, RowRange, Session};
