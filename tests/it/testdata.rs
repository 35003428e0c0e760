//! Where test files are: the selection in `testdata/`, and the whole corpora in `$TREVNI_TEST_DATA`.

use std::path::{Path, PathBuf};

/// The folder of whole corpora, if it is there.
pub fn corpora() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let set = std::env::var_os("TREVNI_TEST_DATA").map(PathBuf::from);
    let folder = root.join(set.unwrap_or_else(|| "../shared".into()));
    folder.is_dir().then_some(folder)
}

/// A folder below the corpora; says so when it is absent.
pub fn corpus(below: &str) -> Option<PathBuf> {
    let folder = corpora().map(|corpora| corpora.join(below)).filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("skipped: no {below} in $TREVNI_TEST_DATA");
    }
    folder
}

/// The files of an ending in a folder and those below it, sorted.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// The reference's files: the whole corpus where it is there, the selection otherwise.
pub fn reference_files() -> Vec<PathBuf> {
    // The reader says what is missing; these tests are of files that it can read.
    let selection = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/trevni");
    let folder = corpus("golden/trevni").unwrap_or(selection);
    let files = files(&folder, "trv");
    assert!(!files.is_empty(), "{} has no files", folder.display());
    files.into_iter().filter(|path| is_available(path)).collect()
}

/// Whether this build has the codecs of a reference file.
fn is_available(path: &Path) -> bool {
    let meta = meta(path);
    meta["columns"].as_array().into_iter().flatten().all(|column| {
        let codec = column["effectiveCodec"].as_str().unwrap_or("null");
        trevni::codec::Codec::from_name(codec).is_ok_and(|codec| codec.is_available())
    })
}

pub fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

/// The companion of a reference file that says what is in it.
pub fn meta(path: &Path) -> serde_json::Value {
    let text = std::fs::read(path.with_extension("meta.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// The files that a reader must refuse.
pub const REFUSED: [&str; 5] = [
    "syn-bad-crc",
    "syn-truncated",
    "syn-magic-3",
    "syn-magic-XYZ",
    "syn-null-crc32-little-endian",
];

/// Numbers that are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    /// 31 bits.
    pub fn next31(&mut self) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as i64
    }
}
