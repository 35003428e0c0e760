//! Arguments that name the types of Protocol Buffers and Thrift rows.

use trevni_convert::{Format, ReadOptions, WriteOptions};

use crate::exit::CliError;

/// The description of rows that do not describe themselves.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Rows of protobuf and thrift")]
pub(crate) struct RowTypeArgs {
    /// A file of descriptors (protoc --include_imports --descriptor_set_out) that has the message.
    #[cfg(feature = "protobuf")]
    #[arg(long, value_name = "FILE", requires = "message")]
    proto_descriptor: Option<std::path::PathBuf>,
    /// The full name of the message that a row of protobuf is.
    #[cfg(feature = "protobuf")]
    #[arg(long, value_name = "NAME", requires = "proto_descriptor")]
    message: Option<String>,
    /// An IDL file that has the struct.
    #[cfg(feature = "thrift")]
    #[arg(long, value_name = "FILE", requires = "struct_name")]
    thrift: Option<std::path::PathBuf>,
    /// The name of the struct that a row of thrift is.
    #[cfg(feature = "thrift")]
    #[arg(long = "struct", value_name = "NAME", requires = "thrift")]
    struct_name: Option<String>,
    /// The encoding of structs: binary or compact.
    #[cfg(feature = "thrift")]
    #[arg(long, value_name = "PROTOCOL", default_value = "binary", value_parser = protocol)]
    thrift_protocol: trevni_convert::ThriftProtocol,
}

#[cfg(feature = "thrift")]
fn protocol(name: &str) -> Result<trevni_convert::ThriftProtocol, String> {
    trevni_convert::ThriftProtocol::from_name(name).map_err(|e| e.to_string())
}

impl RowTypeArgs {
    /// Refuses a format whose rows are not described.
    pub(crate) fn check(&self, format: &Format) -> Result<(), CliError> {
        #[cfg(feature = "protobuf")]
        if format.name == "protobuf" && self.message.is_none() {
            let what = "rows of protobuf need --proto-descriptor and --message";
            return Err(CliError::Usage(what.to_owned()));
        }
        #[cfg(feature = "thrift")]
        if format.name == "thrift" && self.struct_name.is_none() {
            return Err(CliError::Usage("rows of thrift need --thrift and --struct".to_owned()));
        }
        let _ = format;
        Ok(())
    }

    /// Adds the types to the read and write options.
    pub(crate) fn describe(
        &self,
        read: &mut ReadOptions,
        write: &mut WriteOptions,
    ) -> Result<(), CliError> {
        let _ = (&read, &write);
        #[cfg(feature = "protobuf")]
        if let (Some(path), Some(name)) = (&self.proto_descriptor, &self.message) {
            let descriptors = std::fs::read(path).map_err(CliError::of(path.display()))?;
            let message = trevni_convert::ProtobufType::try_new(&descriptors, name);
            let message = message.map_err(CliError::of(path.display()))?;
            (read.protobuf, write.protobuf) = (Some(message.clone()), Some(message));
        }
        #[cfg(feature = "thrift")]
        if let (Some(path), Some(name)) = (&self.thrift, &self.struct_name) {
            let row = trevni_convert::ThriftType::load(path, name);
            let row =
                row.map_err(CliError::of(path.display()))?.with_protocol(self.thrift_protocol);
            (read.thrift, write.thrift) = (Some(row.clone()), Some(row));
        }
        Ok(())
    }
}
