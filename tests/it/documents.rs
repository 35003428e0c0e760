//! The documents name every codec, and their tables are whole.

#[test]
fn every_codec_is_in_the_specification() {
    let spec = include_str!("../../spec/trevni.md");
    let codecs = spec.split("## Codecs").nth(1).unwrap().split("\n## ").next().unwrap();
    for codec in trevni::codec::Codec::ALL {
        assert!(codecs.contains(&format!("`{}`", codec.name())), "{}", codec.name());
    }
}

/// A blank line ends a table in Markdown: the rows after it show as text.
#[test]
fn tables_of_the_documents_have_no_gaps() {
    for path in crate::testdata::files(env!("CARGO_MANIFEST_DIR").as_ref(), "md") {
        if path.iter().any(|part| part == "target" || part == "node_modules") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (at, three) in lines.windows(3).enumerate() {
            let [before, gap, after] = three else { continue };
            let is_row = |line: &str| line.starts_with('|');
            let heading = lines.get(at + 3).is_some_and(|line| line.starts_with("|--"));
            let cut = is_row(before) && gap.is_empty() && is_row(after) && !heading;
            assert!(!cut, "{}:{}: a table is cut here", path.display(), at + 2);
        }
    }
}
