//! The formats that are measured, each with its compression.

use trevni::codec::Codec;

use super::config::Config;
#[cfg(feature = "parquet")]
use super::config::Format;
use super::trv::Trevni;

/// The name of the configuration that the others are compared with.
pub(super) const BASELINE: &str = "parquet snappy";

/// Returns the configurations of this build, and the missing ones.
pub(super) fn all() -> (Vec<Config>, Vec<String>) {
    let (mut configs, mut missing) = (Vec::new(), Vec::new());
    let ours = [
        ("trevni snappy", Codec::Snappy),
        ("trevni pack", Codec::Pack),
        ("trevni pack+zstd", Codec::PackZstd),
    ];
    for (name, codec) in ours {
        match codec.is_available() {
            true => configs.push(Config { name, format: Box::new(Trevni(codec)) }),
            false => missing.push(format!("{name}: this build has no codec {}", codec.name())),
        }
    }
    #[cfg(feature = "parquet")]
    {
        use parquet::basic::{Compression, ZstdLevel};

        let theirs = [
            (BASELINE, Compression::SNAPPY),
            ("parquet zstd", Compression::ZSTD(ZstdLevel::default())),
        ];
        let config = |(name, compression)| {
            let format = super::parquet::Parquet(compression);
            Config { name, format: Box::new(format) as Box<dyn Format> }
        };
        configs.extend(theirs.map(config));
    }
    #[cfg(not(feature = "parquet"))]
    missing.push("parquet: this build is without it".to_owned());
    (configs, missing)
}
