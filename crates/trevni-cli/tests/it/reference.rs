//! The reference's own command line: `totrevni`, `trevni_meta`, `trevni_tojson`, `trevni_random`.

use super::{code, out, run, said, str};
use trevni_testing::data::{corpus, files, meta, stem};

/// `totrevni` converts an Avro file as the reference does, to the byte where no codec is involved.
#[test]
fn totrevni_makes_the_references_files() {
    let Some(corpus) = corpus("golden/trevni") else { return };
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("to.trv");
    let (mut same, mut alike) = (0, 0);
    for path in files(&corpus, "avro") {
        let theirs = path.with_extension("trv");
        let of_file = |key: &str| {
            let pairs = meta(&theirs)["metadata"].as_array().unwrap().clone();
            let pair = pairs.into_iter().find(|pair| pair["key"] == key);
            pair.map(|pair| pair["value_latin1"].as_str().unwrap().to_owned())
        };
        let codec = of_file("trevni.codec");
        // The tool has no word for checksums, and always one for the codec.
        if of_file("trevni.checksum").is_some() || codec.is_none() {
            continue;
        }
        let codec = codec.unwrap();
        out(&["totrevni", "-codec", &codec, "--force", str(&path), str(&to)]);
        if codec == "null" {
            assert!(
                std::fs::read(&to).unwrap() == std::fs::read(&theirs).unwrap(),
                "{}",
                stem(&path)
            );
            same += 1;
        } else {
            assert_eq!(out(&["tojson", str(&to)]), out(&["tojson", str(&theirs)]));
            alike += 1;
        }
        assert!(out(&["diff", str(&path), str(&theirs)]).starts_with("equal: "));
    }
    println!("{same} files the same to the byte, {alike} the same but for their codec");
    assert!(same > 20 && alike > 0);
}

#[test]
fn the_references_words_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, to) = (folder.path().join("r.avsc"), folder.path().join("r.trv"));
    let text = r#"{"type":"record","name":"R","fields":[{"name":"a","type":["null","long"]},{"name":"b","type":"string"}]}"#;
    std::fs::write(&schema, text).unwrap();
    out(&["trevni_random", str(&schema), "20", str(&to)]);
    let meta = out(&["trevni_meta", "-pretty", str(&to)]);
    assert!(meta.contains("\n  \"rowCount\": 20,") && meta.contains("\"trevni.name\": \"a/long\""));
    assert!(!meta.contains("trevni.codec") && !meta.contains("ARROW:schema"), "{meta}");
    assert_eq!(out(&["trevni_tojson", str(&to)]).lines().count(), 20);
    assert!(out(&["trevni_tojson", "-pretty", str(&to)]).lines().count() > 60);
    let output = run(&["totrevni", str(&schema), str(&to), "--force"]);
    assert_eq!(code(&output), 1);
    let expected = "malformed: no Avro file: it does not start with Obj and 1";
    assert!(said(&output).contains(expected), "{}", said(&output));
}

/// The text of a schema is put in the form in which the reference prints it.
#[test]
fn schemas_are_printed_as_the_reference_prints_them() {
    let Some(corpus) = corpus("golden/trevni") else { return };
    let mut seen = 0;
    for path in files(&corpus, "avsc") {
        let text = std::fs::read_to_string(&path).unwrap();
        let ours = trevni::arrow::schema_from_avro(&text).unwrap();
        let file = std::fs::File::open(path.with_extension("trv")).unwrap();
        let file = trevni::FileReader::try_new(file).unwrap();
        let theirs = file.header().metadata.get_str("avro.schema").unwrap().to_owned();
        assert_eq!(ours.metadata()["avro.schema"], theirs, "{}", stem(&path));
        seen += 1;
    }
    assert!(seen > 25);
}
