//! What `verify` promises: a file that it calls ok, the other commands read.

use super::*;

/// Files with every kind of metadata: statistics, filters, both layouts, nested columns.
fn made(folder: &Path) -> Vec<PathBuf> {
    let plans: [(&str, &str, &[&str]); 4] = [
        ("a.trv", "parcels.csv", &[]),
        ("b.trv", "visits.jsonl", &["--codec", "null"]),
        ("c.trv", "parcels.csv", &["--layout", "avro", "--no-statistics"]),
        ("d.trv", "quakes.csv", &["--block-rows", "100"]),
    ];
    let make = |(name, from, options): &(&str, &str, &[&str])| {
        let to = folder.join(name);
        out(&[&["convert", str(&rows_file(from)), str(&to)], *options].concat());
        to
    };
    plans.iter().map(make).collect()
}

/// Returns where the first column starts.
fn header_len(path: &Path) -> usize {
    let layout: Json = serde_json::from_str(&out(&["layout", "--json", str(path)])).unwrap();
    layout["columns"][0]["start"].as_u64().unwrap() as usize
}

#[test]
fn what_cat_refuses_verify_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.trv");
    let (mut refused, mut seen) = (0, 0);
    for path in made(folder.path()) {
        let bytes = std::fs::read(&path).unwrap();
        let header = header_len(&path);
        let step = (header / 60).max(1);
        for at in (0..header).step_by(step) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 7);
            std::fs::write(&bad, flipped).unwrap();
            let (cat, verify) = (run(&["cat", str(&bad)]), run(&["verify", str(&bad)]));
            if code(&cat) != 0 {
                assert_eq!(code(&verify), 1, "{path:?}, byte {at}: {}", said(&cat));
                refused += 1;
            }
            seen += 1;
        }
    }
    assert!(refused > seen / 4, "{refused} of {seen}");
}

#[test]
fn the_schema_of_the_metadata_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trv");
    out(&["convert", str(&rows_file("parcels.csv")), str(&path)]);
    let mut bytes = std::fs::read(&path).unwrap();
    let key = b"ARROW:schema";
    let at = bytes.windows(key.len()).position(|window| window == key).unwrap();
    // A letter of its base64.
    bytes[at + key.len() + 40] = b'!';
    std::fs::write(&path, bytes).unwrap();
    let output = run(&["verify", str(&path)]);
    assert_eq!(code(&output), 1);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("FAULTY") && text.contains("1 faults"), "{text}");
}

#[cfg(feature = "blosc")]
#[test]
fn containers_without_checksums_are_not_called_verified() {
    let folder = tempfile::tempdir().unwrap();
    let csv = rows_file("parcels.csv");
    for to in ["b2nd", "b2frame", "bcolz", "sparse", "bloscpack"] {
        let path = folder.path().join(to);
        out(&["convert", str(&csv), str(&path), "--to", to, "--columns", "id"]);
        let text = out(&["verify", str(&path)]);
        let checked = to == "bloscpack";
        let expected = match checked {
            true => ", 1 chunks, 1 verified by checksum\n",
            false => ", 1 chunks, 1 without a checksum: decoded, but not verified\n",
        };
        assert!(text.contains(": ok: ") && text.ends_with(expected), "{to}: {text}");
    }
}

#[test]
fn layout_tells_the_encodings_of_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, file) = (folder.path().join("x.csv"), folder.path().join("x.trv"));
    let rows = (0..2000).map(|n| format!("{n},{}\n", ["ash", "oak"][n / 7 % 2]));
    std::fs::write(&csv, format!("n,t\n{}", rows.collect::<String>())).unwrap();
    out(&["convert", str(&csv), str(&file), "--codec", "pack"]);
    let text = out(&["layout", "--encodings", str(&file)]);
    assert!(text.contains("encoding") && text.contains("dictionary of 2 (codes: "), "{text}");
    let json: Json =
        serde_json::from_str(&out(&["layout", "--encodings", "--json", str(&file)])).unwrap();
    let block = &json["columns"][1]["blocks"][0];
    assert!(block["encoding"].as_str().unwrap().contains("dictionary of 2"), "{block}");
    assert_eq!(block["verified"], true);
    assert!(!out(&["layout", str(&file)]).contains("encoding"));
    // A damaged block is an error where it is read.
    let mut bytes = std::fs::read(&file).unwrap();
    let at = usize::try_from(block["offset"].as_u64().unwrap()).unwrap();
    bytes[at + 3] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let refused = run(&["layout", "--encodings", str(&file)]);
    let text = said(&refused);
    assert!(code(&refused) == 1 && text.contains("checksum") && text.contains("block 0"), "{text}");
}

fn reported(name: &str) -> PathBuf {
    trevni_testing::data::selected("reported").join(name)
}

/// A value that Arrow does not have is no fault of the file: Java's library reads it.
#[test]
fn values_that_are_not_supported_are_not_faults() {
    let file = trevni_testing::data::selected("bad/duration_beyond_interval.trv");
    let text = out(&["verify", str(&file)]);
    assert!(text.contains(": not read as Arrow: unsupported: a duration of 2147483648 months"));
    assert!(text.contains(": ok: 1 rows"), "{text}");
}

#[cfg(feature = "blosc")]
#[test]
fn blocks_of_arrays_have_the_size_of_their_shape() {
    let output = run(&["verify", str(&reported("blosc/empty_appended.b2nd"))]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains("blocks of 262144 bytes, but those of the shape [262144] have 1048576"));
    assert_eq!(code(&output), 1, "{text}");
    let text = out(&["verify", str(&reported("blosc/objt"))]);
    assert!(text.contains("column \"a\": unsupported") && text.contains("1 columns not read"));
}

/// Java's library writes checksums of 0 where the codec is `null`, and does not read them.
#[test]
fn checksums_of_zero_are_computed_where_blocks_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("a.trv");
    let from = reported("avro/zero-crc.trv");
    out(&["concat", str(&to), str(&from), str(&from)]);
    let text = out(&["verify", str(&to)]);
    assert!(text.contains(": ok: 12 rows, 2 blocks, 2 verified by checksum"), "{text}");
}

#[test]
fn what_exceeds_a_limit_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let (rows, file) = (folder.path().join("a.csv"), folder.path().join("a.trv"));
    std::fs::write(&rows, format!("a\n{}\n", "x".repeat(3 << 20))).unwrap();
    out(&["convert", str(&rows), str(&file), "--codec", "deflate"]);
    assert_eq!(code(&run(&["verify", str(&file)])), 0);
    let limited = run(&["verify", str(&file), "--limit-memory", "1M"]);
    let text = String::from_utf8_lossy(&limited.stdout).into_owned();
    assert_eq!(code(&limited), 1, "{text}");
    assert!(text.contains("NOT VERIFIED") && text.contains("--limit-memory sets"), "{text}");
    assert!(!text.contains("FAULTY"), "{text}");
}

#[test]
fn a_folder_is_verified_beyond_a_file_that_is_none() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.trv", "c.trv"] {
        out(&["convert", str(&rows_file("quakes.csv")), str(&folder.path().join(name))]);
    }
    std::fs::write(folder.path().join("b.trv"), "no Trevni file").unwrap();
    let found = run(&["verify", str(folder.path())]);
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    assert_eq!(code(&found), 1);
    assert!(text.contains("a.trv: ok") && text.contains("c.trv: ok"), "{text}");
    assert!(said(&found).contains("b.trv"), "{}", said(&found));
}
