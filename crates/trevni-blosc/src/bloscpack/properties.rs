//! Properties of a Bloscpack writer.
//!
//! ```text
//! header │ metadata ... room │ offsets ... spare slots │ chunk, checksum │ chunk, checksum │ ...
//! ```

use super::digest::Digest;

/// How much is kept free for later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// A multiple of the used size.
    Times(u64),
    /// Exactly so much.
    Exactly(u64),
}

impl Room {
    /// Returns the reserved room for this used size; saturates at the largest number.
    pub(crate) fn of(self, used: u64) -> u64 {
        match self {
            Room::Times(times) => used.saturating_mul(times),
            Room::Exactly(exactly) => exactly,
        }
    }
}

/// How the metadata section is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataProperties {
    /// The checksum of the metadata. Default: Adler-32.
    pub checksum: Digest,
    /// Whether zlib is tried; it is dropped where it makes the JSON longer. Default: true.
    pub zlib: bool,
    /// How hard zlib tries, 0 to 9. Default: 6.
    pub level: u8,
    /// Bytes that the section has for the metadata, of now and later. Default: 10 times those of the JSON.
    pub room: Room,
    /// The name of a codec of the user's, in eight bytes. Default: NULs.
    pub user_codec: [u8; 8],
}

impl Default for MetadataProperties {
    fn default() -> Self {
        Self {
            checksum: Digest::Adler32,
            zlib: true,
            level: 6,
            room: Room::Times(10),
            user_codec: [0; 8],
        }
    }
}

/// How a Bloscpack file is written. The defaults are those of bloscpack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BloscpackProperties {
    /// The checksum of chunks. Default: Adler-32.
    pub checksum: Digest,
    /// Whether the file has a table of offsets. Without it a chunk is found only by reading the headers of those
    /// before it, and bloscpack cannot append. Default: true.
    pub offsets: bool,
    /// Slots of the table for chunks that are appended later. Default: 10 times the chunks.
    pub max_app_chunks: Room,
    /// How the metadata is written, if there is any.
    pub metadata: MetadataProperties,
    /// Bytes of chunks that are held in memory while the file is made; more wait in a temporary file.
    /// Default: 256 MiB.
    pub memory: usize,
}

impl Default for BloscpackProperties {
    fn default() -> Self {
        Self {
            checksum: Digest::Adler32,
            offsets: true,
            max_app_chunks: Room::Times(10),
            metadata: MetadataProperties::default(),
            memory: 256 << 20,
        }
    }
}
