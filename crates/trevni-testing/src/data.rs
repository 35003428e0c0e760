//! Test files: the selection in `testdata/` of the workspace, and the complete corpora in `$TREVNI_TEST_DATA`.

use std::path::{Path, PathBuf};

/// Returns the folder of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns a path below `testdata/`.
pub fn selected(below: impl AsRef<Path>) -> PathBuf {
    workspace().join("testdata").join(below)
}

/// Returns the folder of the complete corpora, if it exists.
pub fn corpora() -> Option<PathBuf> {
    let set = std::env::var_os("TREVNI_TEST_DATA").map(PathBuf::from);
    let folder = workspace().join(set.unwrap_or_else(|| "../shared".into()));
    folder.is_dir().then_some(folder)
}

/// Returns a folder below the corpora. Prints a line if it is absent.
pub fn corpus(below: &str) -> Option<PathBuf> {
    let folder = corpora().map(|corpora| corpora.join(below)).filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("skipped: no {below} in $TREVNI_TEST_DATA");
    }
    folder
}

/// Returns the files with an extension in a folder and those below it, sorted.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// The Trevni files of the reference implementation: the corpus if it exists, otherwise the selection.
pub fn reference_files() -> Vec<PathBuf> {
    let folder = corpus("golden/trevni").unwrap_or_else(|| selected("trevni"));
    let files = files(&folder, "trv");
    assert!(!files.is_empty(), "{} has no files", folder.display());
    files
}

/// A Trevni file of the reference implementation, of the selection.
pub fn reference_file(name: &str) -> PathBuf {
    selected("trevni").join(format!("{name}.trv"))
}

/// Returns the name of a file without its extension.
pub fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

/// Returns the companion of a reference file, which describes its contents.
pub fn meta(path: &Path) -> serde_json::Value {
    let text = std::fs::read(path.with_extension("meta.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// The reference files that a reader must refuse.
pub const REFUSED: [&str; 5] = [
    "syn-bad-crc",
    "syn-truncated",
    "syn-magic-3",
    "syn-magic-XYZ",
    "syn-null-crc32-little-endian",
];
