//! The metadata keys that this crate writes, of files, columns and fields.
//!
//! | key | of | value |
//! |---|---|---|
//! | `trevni.*` | file, column | the format's own, reserved (`spec/trevni.md`) |
//! | `arrow.statistics`, `arrow.bloom` | column | statistics and Bloom filters of blocks (`spec/statistics.md`) |
//! | `arrow.sorting` | file | the columns that the rows are sorted by |
//! | `arrow.layout`, `ARROW:schema`, `avro.schema` | file | how fields become columns, and the schemas (`spec/arrow.md`) |
//! | `avro.*` | field | what Avro's types have and Arrow's lack |
//! | `dataset.*` | file | the content of a commit (`spec/dataset.md`) |

/// The codec of a file or a column.
pub const CODEC: &str = "trevni.codec";
/// The checksum of a file or a column.
pub const CHECKSUM: &str = "trevni.checksum";
/// The name of a column.
pub const NAME: &str = "trevni.name";
/// The value type of a column.
pub const TYPE: &str = "trevni.type";
/// Present if the blocks of a column have first values.
pub const VALUES: &str = "trevni.values";
/// Present if a column is an array column.
pub const ARRAY: &str = "trevni.array";
/// The name of the parent of a column.
pub const PARENT: &str = "trevni.parent";
/// The prefix of the format's own keys.
pub(crate) const RESERVED: &str = "trevni.";

/// The statistics of a column's blocks.
pub const STATISTICS: &str = "arrow.statistics";
/// The Bloom filters of a column's blocks.
pub const BLOOM: &str = "arrow.bloom";
/// The columns that the rows of a file are sorted by.
pub const SORTING: &str = "arrow.sorting";

/// The keys of columns, the most frequent first.
pub(crate) const OF_COLUMNS: [&str; 9] =
    [NAME, TYPE, ARRAY, STATISTICS, PARENT, VALUES, CODEC, CHECKSUM, BLOOM];

/// The name of the layout.
pub const LAYOUT: &str = "arrow.layout";
/// The Arrow schema: base64 of an IPC message.
pub const ARROW_SCHEMA: &str = "ARROW:schema";
/// The Avro schema, as JSON.
pub const AVRO_SCHEMA: &str = "avro.schema";
/// The name that a field has in an Avro schema, if it is not its own.
pub const AVRO_NAME: &str = "avro.name";
/// The symbols of an Avro enum, as a JSON array.
pub const AVRO_ENUM_SYMBOLS: &str = "avro.enum.symbols";

/// The version of a commit.
pub const DATASET_VERSION: &str = "dataset.version";
/// The schema of the rows of a data set, as [`ARROW_SCHEMA`] has it.
pub const DATASET_SCHEMA: &str = "dataset.schema";
/// The partition columns of a data set, as a JSON array of names.
pub const DATASET_PARTITIONS: &str = "dataset.partitions";
/// `true` if a commit replaces those before it.
pub const DATASET_REPLACES: &str = "dataset.replaces";
/// The identifier of the write that a commit is of.
pub const DATASET_WRITE: &str = "dataset.write";
/// The last commit that a commit which replaces others knew of, in decimal digits.
pub const DATASET_KNOWN: &str = "dataset.known";
/// The codec of the files of a commit.
pub const DATASET_CODEC: &str = "dataset.codec";
/// The layout of the files of a commit.
pub const DATASET_LAYOUT: &str = "dataset.layout";
/// The checksum of the files of a commit, unless it is that of their codec by default.
pub const DATASET_CHECKSUM: &str = "dataset.checksum";
