//! The plan of the house: which room may enter which. A module imports only from floors below it, and the Trevni
//! wing names no Arrow.

use std::path::Path;

/// Each room, and the rooms it may enter. `error` is open to all.
const MAY_ENTER: [(&str, &[&str]); 17] = [
    ("error", &[]),
    ("keys", &[]),
    ("scratch", &[]),
    ("kernel", &["scratch"]),
    ("wire", &[]),
    ("parallelism", &[]),
    ("io", &[]),
    ("object_store", &["io"]),
    ("checksum", &["wire"]),
    ("codec", &["kernel"]),
    ("pack", &["scratch", "kernel", "wire"]),
    ("format", &["scratch", "kernel", "wire", "io", "keys", "checksum", "codec", "pack"]),
    ("stats", &["kernel", "wire", "keys", "format"]),
    (
        "read",
        &[
            "wire",
            "parallelism",
            "io",
            "object_store",
            "keys",
            "checksum",
            "codec",
            "format",
            "stats",
        ],
    ),
    (
        "write",
        &[
            "kernel",
            "wire",
            "parallelism",
            "io",
            "keys",
            "checksum",
            "codec",
            "pack",
            "format",
            "stats",
            "read",
        ],
    ),
    (
        "arrow",
        &[
            "kernel",
            "wire",
            "io",
            "object_store",
            "keys",
            "checksum",
            "codec",
            "pack",
            "format",
            "stats",
            "read",
            "write",
        ],
    ),
    ("dataset", &["parallelism", "io", "object_store", "format", "read", "write", "arrow"]),
];

#[test]
fn imports_go_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut looked_at = 0;
    for path in crate::testdata::files(&src, "rs") {
        let below = path.strip_prefix(&src).unwrap();
        let room = below.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let of_tests = below.iter().any(|part| part == "tests");
        if room == "lib" || room == "bin" || of_tests {
            continue;
        }
        let (_, allowed) = MAY_ENTER
            .iter()
            .find(|(name, _)| *name == room)
            .unwrap_or_else(|| panic!("{room} is not in the plan"));
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
        let code: String =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for entered in code.split("crate::").skip(1) {
            let entered: String =
                entered.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if entered.is_empty() || entered.starts_with(char::is_uppercase) {
                continue;
            }
            let fine = entered == room || entered == "error" || allowed.contains(&entered.as_str());
            assert!(fine, "{} enters {entered}", below.display());
            looked_at += 1;
        }
        if !["arrow", "dataset", "error"].contains(&room) {
            assert!(!text.contains("use arrow"), "{} names Arrow", below.display());
        }
    }
    assert!(looked_at > 20);
}

/// Small rooms: a file that outgrows this lacks a noun.
#[test]
fn files_stay_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["src", "crates", "tests", "benches"] {
        for path in crate::testdata::files(&root.join(folder), "rs") {
            // What a build left behind in a package of its own is nobody's room.
            if path.iter().any(|part| part == "target") {
                continue;
            }
            let lines = std::fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines <= 450, "{} has {lines} lines", path.display());
        }
    }
}
