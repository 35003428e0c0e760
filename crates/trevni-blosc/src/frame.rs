//! Blosc2 frames: the chunks of an array in one file or in a directory.
//!
//! ```text
//! a.b2frame                  header | chunk | chunk | ... | index | trailer        ContiguousFrame
//! a.b2nd                     the same, with the metalayer "b2nd" in the header
//!
//! b.b2frame/chunks.b2frame   header | index | trailer                              SparseFrame
//! b.b2frame/00000000.chunk   chunk
//! b.b2frame/00000001.chunk   chunk
//! ```
//! The header has the parameters and sizes of chunks, the index their positions, the trailer the users' metadata.
//! All three are MessagePack or chunks, and are parsed without IO: [`FrameHeader`], [`Index`], [`Trailer`],
//! [`B2nd`]. (Specification: `spec/blosc2-frame.md`.)
//!
//! ```
//! use trevni_blosc::chunk::{Encoder, Generation, Params};
//! use trevni_blosc::frame::{ContiguousFrame, Cut, NewFrame};
//! use trevni_blosc::{Attributes, Container};
//!
//! let params = Params::new(Generation::Blosc2, 8);
//! let cut = Cut::Flat { typesize: 8, chunk_bytes: 8000 };
//! let new = NewFrame { params: params.clone(), cut, metalayers: Vec::new() };
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("a.b2frame");
//! let data: Vec<u8> = (0..1000_i64).flat_map(i64::to_le_bytes).collect();
//! let mut chunk = Vec::new();
//! Encoder::new(&params)?.encode(&data, &mut chunk)?;
//! let mut frame = new.contiguous(&path, false)?;
//! frame.push(&chunk)?;
//! frame.finish(&[1000], &Attributes::new())?;
//!
//! let mut frame = ContiguousFrame::open(&path)?;
//! frame.append_chunk(&chunk)?;
//! assert_eq!(frame.layout().shape, [2000]);
//! assert_eq!(frame.chunk(1)?, chunk);
//! # Ok::<(), trevni::Error>(())
//! ```

mod attributes;
mod b2nd;
mod build;
mod commit_step;
mod contiguous;
mod edit;
mod header;
mod index;
mod metalayer;
#[cfg(feature = "object_store")]
mod remote;
mod sparse;
mod special;
mod stored_object;
mod superchunk;
mod trailer;

pub use b2nd::B2nd;
pub use build::{Cut, NewFrame};
pub use contiguous::ContiguousFrame;
pub use header::FrameHeader;
pub use index::{Index, Slot};
pub use metalayer::Metalayer;
#[cfg(feature = "object_store")]
pub use remote::RemoteFrame;
pub use sparse::{INDEX_KEY, Keys, SparseFrame, SparseIndex, SparseLayout};
pub use trailer::Trailer;

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)]
mod tests;
