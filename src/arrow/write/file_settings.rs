//! Settings that the files of a data set share.
//!
//! ```text
//! a writer's own setting ──► that of the files which exist ──► the default
//! ```

use super::properties::{CodecSetting, WriterProperties};
use crate::arrow::Layout;
use crate::checksum::Checksum;
use crate::codec::Codec;
use crate::error::Result;
use crate::format::metadata::Metadata;
use crate::keys;

/// The codec, the layout and the checksum of files; `None` is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FileSettings {
    pub(crate) codec: Option<Codec>,
    pub(crate) layout: Option<Layout>,
    pub(crate) checksum: Option<Checksum>,
}

impl FileSettings {
    /// Returns the settings that the header of a file has.
    pub(crate) fn of_file(metadata: &Metadata) -> Result<Self> {
        let layout = metadata.get_str(keys::LAYOUT).and_then(Layout::from_name);
        let of_avro = metadata.get(keys::AVRO_SCHEMA).map(|_| Layout::Avro);
        let codec = metadata.codec()?.unwrap_or(Codec::Null);
        // The default of the codec is not a choice.
        let checksum = metadata.checksum()?.filter(|checksum| match checksum {
            Checksum::Null => true,
            Checksum::Crc32 => codec.is_value_codec(),
            Checksum::SpecifiedCrc32 => false,
            Checksum::StoredCrc32 => !codec.is_value_codec(),
        });
        Ok(Self { codec: Some(codec), layout: layout.or(of_avro), checksum })
    }
}

impl WriterProperties {
    /// Returns the settings of the files that are written.
    pub(crate) fn file_settings(&self) -> FileSettings {
        FileSettings {
            codec: Some(self.codec()),
            layout: Some(self.layout()),
            checksum: self.checksum,
        }
    }

    /// Sets what has not been set.
    pub(crate) fn with_settings_unless_set(mut self, settings: &FileSettings) -> Self {
        if let (CodecSetting::Default, Some(codec)) = (self.codec, settings.codec) {
            self.codec = CodecSetting::Named(codec);
        }
        self.layout = self.layout.or(settings.layout);
        self.checksum = self.checksum.or(settings.checksum);
        self
    }
}
