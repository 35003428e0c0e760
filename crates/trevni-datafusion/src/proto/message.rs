//! The messages of plan nodes.
//!
//! ```text
//! magic number    00 'T' 'R' 'V' 'N' 'O' 'D' 01     no message of another codec begins so: there is no field 0
//! message         PhysicalNode, TableNode or FormatNode
//! ```
//! The messages are for hosts that run the same version.

use std::collections::HashMap;

use datafusion::common::config::ExtensionOptions;
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;
use datafusion_proto::protobuf;
use prost::Message;

use crate::options::TrevniOptions;

const MAGIC: &[u8; 8] = b"\0TRVNOD\x01";

/// Encodes a message behind the magic number.
pub(super) fn encode(message: &impl Message, out: &mut Vec<u8>) {
    out.extend_from_slice(MAGIC);
    message.encode_raw(out);
}

/// Decodes a message; `None` if the bytes are those of another codec.
pub(super) fn decode<M: Message + Default>(bytes: &[u8]) -> Result<Option<M>> {
    let Some(message) = bytes.strip_prefix(MAGIC) else { return Ok(None) };
    let message = M::decode(message);
    message.map(Some).map_err(|e| internal_datafusion_err!("plan node of Trevni: {e}"))
}

/// Returns a field that a node cannot lack.
pub(super) fn required<T>(field: Option<T>, name: &str) -> Result<T> {
    field.ok_or_else(|| internal_datafusion_err!("plan node of Trevni without {name}"))
}

/// The options of files, by name.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Options {
    #[prost(map = "string, string", tag = "1")]
    values: HashMap<String, String>,
}

impl From<&TrevniOptions> for Options {
    fn from(options: &TrevniOptions) -> Self {
        let entries = options.entries().into_iter();
        Self { values: entries.filter_map(|entry| Some((entry.key, entry.value?))).collect() }
    }
}

impl TryFrom<Options> for TrevniOptions {
    type Error = datafusion::error::DataFusionError;

    fn try_from(message: Options) -> Result<Self> {
        let mut options = Self::default();
        for (key, value) in &message.values {
            options.set(key, value)?;
        }
        Ok(options)
    }
}

/// A format and the options of the statement that names it.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FormatNode {
    #[prost(map = "string, string", tag = "1")]
    pub(super) options: HashMap<String, String>,
    #[prost(bool, tag = "2")]
    pub(super) is_dataset: bool,
}

/// A table.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TableNode {
    #[prost(message, optional, tag = "1")]
    pub(super) options: Option<Options>,
    #[prost(oneof = "Table", tags = "2, 3")]
    pub(super) table: Option<Table>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Table {
    #[prost(message, tag = "2")]
    Files(FileTable),
    #[prost(message, tag = "3")]
    Dataset(DatasetTable),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FileTable {
    #[prost(message, repeated, tag = "1")]
    pub(super) locations: Vec<Location>,
    #[prost(string, tag = "2")]
    pub(super) extension: String,
    #[prost(message, repeated, tag = "3")]
    pub(super) partitions: Vec<protobuf::PartitionColumn>,
    #[prost(message, repeated, tag = "4")]
    pub(super) orders: Vec<protobuf::SortExprNodeCollection>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Location {
    #[prost(string, tag = "1")]
    pub(super) url: String,
    #[prost(string, optional, tag = "2")]
    pub(super) glob: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct DatasetTable {
    #[prost(string, tag = "1")]
    pub(super) url: String,
    #[prost(string, repeated, tag = "2")]
    pub(super) partitions: Vec<String>,
}

/// A node of a physical plan; its inputs are not in it.
#[derive(Clone, PartialEq, Message)]
pub(super) struct PhysicalNode {
    #[prost(oneof = "Node", tags = "1, 2, 3, 4")]
    pub(super) node: Option<Node>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Node {
    #[prost(message, boxed, tag = "1")]
    Scan(Box<Scan>),
    #[prost(message, tag = "2")]
    FileWrite(FileWrite),
    #[prost(message, tag = "3")]
    DatasetWrite(DatasetWrite),
    #[prost(message, tag = "4")]
    DatasetCommit(DatasetTarget),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Scan {
    #[prost(message, optional, tag = "1")]
    pub(super) config: Option<protobuf::FileScanExecConf>,
    #[prost(message, optional, tag = "2")]
    pub(super) filter: Option<protobuf::PhysicalExprNode>,
    #[prost(message, optional, tag = "3")]
    pub(super) options: Option<Options>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FileWrite {
    #[prost(message, optional, tag = "1")]
    pub(super) config: Option<protobuf::FileSinkConfig>,
    #[prost(message, repeated, tag = "2")]
    pub(super) order: Vec<protobuf::PhysicalSortExprNode>,
    #[prost(message, optional, tag = "3")]
    pub(super) options: Option<Options>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct DatasetWrite {
    #[prost(message, optional, tag = "1")]
    pub(super) target: Option<DatasetTarget>,
    #[prost(bool, tag = "2")]
    pub(super) is_small: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct DatasetTarget {
    #[prost(string, tag = "1")]
    pub(super) store: String,
    #[prost(string, tag = "2")]
    pub(super) prefix: String,
    #[prost(message, optional, tag = "3")]
    pub(super) schema: Option<protobuf::Schema>,
    #[prost(string, repeated, tag = "4")]
    pub(super) partition_by: Vec<String>,
    #[prost(bool, tag = "5")]
    pub(super) overwrites: bool,
    #[prost(string, tag = "6")]
    pub(super) write_id: String,
    #[prost(message, optional, tag = "7")]
    pub(super) options: Option<Options>,
}
