//! Damaged containers: whatever the bytes, a value or an error.

use std::path::Path;

use trevni_convert::ReadOptions;

use super::{containers, items, read};

/// The maximum number of positions at which a file is damaged.
const PLACES: usize = 60;

/// Copies a file or a folder.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        std::fs::copy(from, to).unwrap();
        return;
    }
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

fn files(path: &Path) -> Vec<std::path::PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).unwrap();
    entries.flat_map(|entry| files(&entry.unwrap().path())).collect()
}

/// Reads a damaged container; any result but a panic is fine.
fn try_read(path: &Path) {
    let _ = trevni_blosc::open(path).map(|_| read(path, &ReadOptions::default()));
}

fn damage(item: &Path) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged");
    copy(item, &path);
    let mut tried = 0;
    for file in files(&path) {
        let bytes = std::fs::read(&file).unwrap();
        // The start of a file has most of the metadata.
        let front = 0..bytes.len().min(PLACES / 2);
        let behind = front.end..bytes.len();
        let step = (behind.len() / (PLACES / 2)).max(1);
        for at in front.chain(behind.step_by(step)) {
            std::fs::write(&file, &bytes[..at]).unwrap();
            try_read(&path);
            for flip in [0x01, 0x80, 0xff] {
                let mut flipped = bytes.clone();
                flipped[at] ^= flip;
                std::fs::write(&file, &flipped).unwrap();
                try_read(&path);
            }
            tried += 4;
        }
        std::fs::remove_file(&file).unwrap();
        try_read(&path);
        std::fs::write(&file, &bytes).unwrap();
    }
    // As it was, it reads as it did.
    assert!(read(&path, &ReadOptions::default()).is_ok());
    tried
}

#[test]
fn truncated_and_flipped_containers_are_values_or_errors() {
    let mut tried = 0;
    for kind in ["bloscpack", "bcolz", "bcolz121", "blosc2"] {
        let (folder, _) = containers(kind);
        for (at, (item, _)) in items(&folder).into_iter().enumerate() {
            let size: u64 = files(&item).iter().map(|file| file.metadata().unwrap().len()).sum();
            if size < 8000 && at % 5 == 0 {
                tried += damage(&item);
            }
        }
    }
    println!("{tried} damaged containers");
    assert!(tried > 1000);
}
