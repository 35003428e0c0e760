//! Containers of the Blosc family: converted from and to, inspected, and `trevni blosc`.

use std::path::PathBuf;

use serde_json::Value as Json;

use super::{code, out, rows_file, run, run_with, said, str};

fn selected(name: &str) -> PathBuf {
    trevni_testing::data::selected("blosc").join(name)
}

fn json(args: &[&str]) -> Json {
    serde_json::from_str(&out(args)).unwrap()
}

#[test]
fn a_bundle_is_rescued_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let bundle = selected("bcolz/ctable_2dcol");
    let rows = out(&["cat", str(&bundle)]);
    for name in ["a.parquet", "a.trv", "a.blp", "a.bcolz"] {
        out(&["convert", str(&bundle), str(&at(name))]);
        assert_eq!(out(&["cat", str(&at(name))]), rows, "{name}");
        assert!(out(&["diff", str(&bundle), str(&at(name))]).starts_with("equal"), "{name}");
    }
    out(&["convert", str(&at("a.parquet")), str(&at("b")), "--to", "superchunk"]);
    assert_eq!(out(&["cat", str(&at("b"))]), rows);
    let again = run(&["convert", str(&bundle), str(&at("a.bcolz"))]);
    assert_eq!(code(&again), 1);
    assert!(said(&again).contains("exists; --force replaces it"), "{}", said(&again));
    out(&[
        "convert",
        str(&bundle),
        str(&at("a.bcolz")),
        "--force",
        "--codec",
        "zstd",
        "--level",
        "1",
    ]);
    assert_eq!(out(&["cat", str(&at("a.bcolz"))]), rows);
}

#[test]
fn text_and_numbers_of_csv_become_containers() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let csv = rows_file("parcels.csv");
    let columns: Vec<String> = out(&["schema", str(&csv)])
        .lines()
        .map(|line| line.split(':').next().unwrap().to_owned())
        .collect();
    let mut made = 0;
    for column in &columns {
        for (name, to) in [("x.b2nd", "b2nd"), ("y.b2frame", "b2frame"), ("z", "sparse")] {
            let path = at(&format!("{column}-{name}"));
            let convert = ["convert", str(&csv), str(&path), "--to", to, "--columns", column];
            let output = run(&convert);
            if code(&output) != 0 {
                // NumPy has no nulls.
                assert!(said(&output).contains("null"), "{}", said(&output));
                assert!(!path.exists());
                continue;
            }
            made += 1;
            assert!(out(&["verify", str(&path)]).contains(": ok: "));
        }
    }
    assert!(made >= 3, "{made}");
    let two = run(&["convert", str(&csv), str(&at("two.b2nd"))]);
    assert_eq!(code(&two), 1);
    assert!(said(&two).contains("one column"), "{}", said(&two));
    let pipe = run(&["convert", str(&csv), "-", "--to", "bcolz"]);
    assert_eq!(code(&pipe), 1);
    for wrong in [&["--shuffle", "byte"][..], &["--chunk-rows", "7"]] {
        let trv = at("x.trv");
        let args = [&["convert", str(&csv), str(&trv)], wrong].concat();
        assert_eq!(code(&run(&args)), 2, "{wrong:?}");
    }
    let wrong = run(&["convert", str(&csv), str(&at("x.bcolz")), "--block-size", "7"]);
    assert_eq!(code(&wrong), 2);
}

#[test]
fn files_go_through_pipes() {
    let blp = std::fs::read(selected("bloscpack/dtype_struct.blp")).unwrap();
    let rows = out(&["cat", str(&selected("bloscpack/dtype_struct.blp"))]);
    let piped = run_with(&["convert", "-", "-", "--from", "bloscpack", "--to", "bloscpack"], &blp);
    assert_eq!(code(&piped), 0, "{}", said(&piped));
    let back = run_with(&["cat", "-"], &piped.stdout);
    assert_eq!(String::from_utf8(back.stdout).unwrap(), rows);
}

#[test]
fn layout_size_verify_and_info_tell_of_chunks() {
    let frame = selected("blosc2/edit_mix_s.b2frame");
    let layout = json(&["layout", "--json", str(&frame)]);
    assert_eq!(layout["container"], "sparse frame");
    assert_eq!(code(&run(&["layout", "--encodings", str(&frame)])), 2);
    let chunks = layout["arrays"][0]["chunks"].as_array().unwrap();
    assert_eq!(chunks.len(), 7);
    let nbytes: u64 = chunks.iter().map(|chunk| chunk["nbytes"].as_u64().unwrap()).sum();
    let size = json(&["size", "--json", str(&frame)]);
    assert_eq!(size["arrays"][0]["uncompressedSize"].as_u64(), Some(nbytes));
    let info = json(&["blosc", "info", "--json", str(&selected("bcolz/attrs"))]);
    assert_eq!(info["container"], "carray");
    assert!(!info["attributes"].as_object().unwrap().is_empty());
    for text in ["layout", "size"] {
        assert!(out(&[text, str(&frame)]).lines().count() > 3);
    }
    assert!(out(&["blosc", "info", str(&frame)]).starts_with("sparse frame, "));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.blp");
    let mut bytes = std::fs::read(selected("bloscpack/checksum_sha512.blp")).unwrap();
    let last = bytes.len() - 80;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let verify = run(&["verify", str(&path)]);
    assert_eq!(code(&verify), 1);
    let text = String::from_utf8_lossy(&verify.stdout).into_owned();
    assert!(text.contains("FAULTY") && text.contains("chunk "), "{text}");
}

#[test]
fn blosc_compresses_and_decompresses_as_blpk_does() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let bytes: Vec<u8> = (0..50_000u64).flat_map(|i| (i * i).to_le_bytes()).collect();
    std::fs::write(at("data"), &bytes).unwrap();
    std::fs::write(at("more"), &bytes[..8000]).unwrap();
    std::fs::write(at("meta.json"), r#"{"of": [1, 2]}"#).unwrap();
    let meta = at("meta.json");
    let args =
        ["blosc", "compress", str(&at("data")), "-z", "64K", "-k", "sha256", "-m", str(&meta)]
            .map(ToOwned::to_owned);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    out(&args);
    assert!(at("data.blp").metadata().unwrap().len() < bytes.len() as u64 / 2);
    assert_eq!(code(&run(&args)), 1);
    std::fs::rename(at("data"), at("old")).unwrap();
    let decompress = run(&["blosc", "d", str(&at("data.blp"))]);
    assert_eq!(code(&decompress), 0, "{}", said(&decompress));
    assert!(said(&decompress).contains("\"of\""));
    assert_eq!(std::fs::read(at("data")).unwrap(), bytes);
    out(&["blosc", "append", str(&at("data.blp")), str(&at("more")), "-c", "zstd", "-l", "1"]);
    out(&["blosc", "d", "-f", str(&at("data.blp"))]);
    assert_eq!(std::fs::read(at("data")).unwrap(), [&bytes[..], &bytes[..8000]].concat());
    for options in
        [&["-c", "lz4", "-t", "4", "-s"][..], &["-o", "-k", "None"], &["-l", "0", "-z", "max"]]
    {
        let data = at("data");
        let args = [&["blosc", "c", "-f", str(&data)], options].concat();
        out(&args);
        assert!(out(&["verify", str(&at("data.blp"))]).contains(": ok: bloscpack"));
        out(&["blosc", "d", str(&at("data.blp")), str(&at("back")), "-f"]);
        assert_eq!(std::fs::read(at("back")).unwrap(), std::fs::read(at("data")).unwrap());
    }
    assert_eq!(code(&run(&["blosc", "d", str(&at("meta.json"))])), 2);
    assert_eq!(code(&run(&["blosc", "c", str(&at("data")), "-l", "10"])), 2);
}
