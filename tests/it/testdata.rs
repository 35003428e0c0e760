//! The reference's files that this build can read.

use std::path::{Path, PathBuf};

#[cfg(feature = "arrow")]
pub use trevni_testing::data::corpus;
pub use trevni_testing::data::{REFUSED, files, meta, stem};
pub use trevni_testing::numbers::Numbers;

/// Returns the reference's files whose codecs this build has.
pub fn reference_files() -> Vec<PathBuf> {
    let all = trevni_testing::data::reference_files().into_iter();
    all.filter(|path| is_available(path)).collect()
}

fn is_available(path: &Path) -> bool {
    let meta = meta(path);
    meta["columns"].as_array().into_iter().flatten().all(|column| {
        let codec = column["effectiveCodec"].as_str().unwrap_or("null");
        trevni::codec::Codec::from_name(codec).is_ok_and(|codec| codec.is_available())
    })
}
