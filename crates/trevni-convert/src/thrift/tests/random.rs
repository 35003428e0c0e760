//! Whatever the bytes, there is a value or an error.

use proptest::prelude::*;

use super::*;

fn tried(bytes: &[u8], protocol: ThriftProtocol, thrift: &ThriftType) {
    let thrift = thrift.clone().with_protocol(protocol);
    let options = ReadOptions { skip_bad: 20, batch_size: 8, ..reading(&thrift) };
    if let Ok(batches) = rows_of(bytes, &options) {
        for batch in &batches {
            batch.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
        }
        let rows = lines(&batches);
        let Some(first) = batches.first() else { return };
        let bytes = written(&thrift, first.schema(), &batches).unwrap();
        assert_eq!(lines(&rows_of(&bytes, &reading(&thrift)).unwrap()), rows);
    }
}

const SMALL: &str = "enum E { A, B } union U { 1: i8 a, 2: list<E> b } struct P { 1: required i8 x, 2: U u = {'a': 1} }
    struct R { 1: optional i8 a, 2: list<P> b, 3: U c, 4: map<i8, bool> d, 5: optional P e, 6: set<string> f = ['a'] }";

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(prop_oneof![0u8..16, any::<u8>()], 0..200)) {
        let small = ThriftType::try_new(SMALL, "R").unwrap();
        tried(&bytes, ThriftProtocol::Binary, &small);
        tried(&bytes, ThriftProtocol::Compact, &small);
    }

    #[test]
    fn goldens_with_flips(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let every = every();
        for protocol in [ThriftProtocol::Binary, ThriftProtocol::Compact] {
            let mut bytes = std::fs::read(folder().join(format!("every.{}", protocol.name()))).unwrap();
            for (at, byte) in &flips {
                let at = at.index(bytes.len());
                bytes[at] ^= byte;
            }
            tried(&bytes, protocol, &every);
        }
    }

    #[test]
    fn any_text_as_idl(text in "\\PC*", name in "[a-z]{0,2}") {
        let _ = ThriftType::try_new(&text, &name);
    }

    #[test]
    fn any_words_as_idl(words in prop::collection::vec(prop::sample::select(vec![
        "struct", "union", "enum", "const", "typedef", "service", "R", "P", "a", "list", "map", "<", ">", "{", "}",
        "(", ")", "[", "]", ",", ";", ":", "=", "1", "-1", "2.5", "'t'", "i32", "string", "required", "optional", "a.b",
        "struct R {", "1: R r", "1: P p", "}", "struct P {", "/*", "*/", "#", "\n",
    ]), 0..60)) {
        let _ = ThriftType::try_new(&words.join(" "), "R");
    }

    #[test]
    fn an_idl_with_flips(flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..128), 1..6)) {
        let text = std::fs::read_to_string(folder().join("every.thrift")).unwrap();
        let mut text = text.replace("include \"shared.thrift\"", "").replace("shared.", "").into_bytes();
        text.extend_from_slice(&std::fs::read(folder().join("shared.thrift")).unwrap());
        for (at, byte) in &flips {
            let at = at.index(text.len());
            text[at] = *byte;
        }
        let _ = ThriftType::try_new(&String::from_utf8_lossy(&text), "Every");
    }
}
