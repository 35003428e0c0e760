//! Row files through the public interface.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::cast_possible_truncation, missing_docs, unreachable_pub)]
#![allow(clippy::single_range_in_vec_init)]

mod blosc;
#[cfg(feature = "protobuf")]
mod byte_sources;
mod damaged_files;
mod descriptors;
mod hostile;
#[cfg(all(feature = "avro", feature = "json", feature = "parquet"))]
mod hostile_rows;
mod languages;
#[cfg(feature = "protobuf")]
mod prost_reflect;
mod reported_files;
mod rows;
mod stored_sources;

use trevni_testing::allocator::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
