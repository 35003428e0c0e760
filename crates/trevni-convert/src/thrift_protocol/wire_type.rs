//! The types of the wire format.

/// A type on the wire. An enum is an i32 there, and text the same as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Double,
    Bytes,
    Struct,
    Map,
    Set,
    List,
    Uuid,
}

impl WireType {
    /// Returns what it is called in errors.
    pub(crate) fn name(self) -> &'static str {
        match self {
            WireType::Bool => "bool",
            WireType::I8 => "i8",
            WireType::I16 => "i16",
            WireType::I32 => "i32",
            WireType::I64 => "i64",
            WireType::Double => "double",
            WireType::Bytes => "string",
            WireType::Struct => "struct",
            WireType::Map => "map",
            WireType::Set => "set",
            WireType::List => "list",
            WireType::Uuid => "uuid",
        }
    }
}
