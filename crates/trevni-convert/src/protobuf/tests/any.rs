//! Whatever the bytes: a value or an error, and the value that another implementation reads.

use proptest::prelude::*;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, Value};

use super::*;

fn descriptor() -> MessageDescriptor {
    let pool = DescriptorPool::decode(golden::file("every.desc").as_slice()).unwrap();
    pool.get_message_by_name("every.Every").unwrap()
}

/// Returns the message without what its type does not know.
fn known(mut message: DynamicMessage) -> DynamicMessage {
    message.take_unknown_fields().for_each(drop);
    let fields: Vec<_> = message.fields().map(|(field, value)| (field, value.clone())).collect();
    for (field, value) in fields {
        let value = match value {
            Value::Message(inner) => Value::Message(known(inner)),
            Value::List(items) => Value::List(items.into_iter().map(known_value).collect()),
            Value::Map(all) => {
                Value::Map(all.into_iter().map(|(k, v)| (k, known_value(v))).collect())
            }
            other => other,
        };
        message.set_field(&field, value);
    }
    message
}

fn known_value(value: Value) -> Value {
    match value {
        Value::Message(inner) => Value::Message(known(inner)),
        other => other,
    }
}

/// Returns the same fields with the same values, NaNs being all one.
fn same(a: &DynamicMessage, b: &DynamicMessage) -> bool {
    format!("{:?}", debug(a)) == format!("{:?}", debug(b))
}

/// Maps have no order of their own, so they get one.
fn debug(message: &DynamicMessage) -> Vec<(u32, String)> {
    fn text(value: &Value) -> String {
        match value {
            Value::Message(inner) => format!("{:?}", debug(inner)),
            Value::List(items) => format!("{:?}", items.iter().map(text).collect::<Vec<_>>()),
            Value::Map(all) => {
                let mut all: Vec<_> = all.iter().map(|(k, v)| (k.clone(), text(v))).collect();
                all.sort();
                format!("{all:?}")
            }
            other => format!("{other:?}"),
        }
    }
    message.fields().map(|(field, value)| (field.number(), text(value))).collect()
}

/// Returns the messages of the golden stream.
fn messages() -> Vec<Vec<u8>> {
    let (bytes, mut all) = (golden::file("every.pb"), Vec::new());
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let size = prost_reflect::prost::decode_length_delimiter(&mut rest).unwrap();
        all.push(rest[..size].to_vec());
        rest = &rest[size..];
    }
    all
}

/// Reads a message with both readers, and writes it again.
fn agree(of: &ProtobufType, descriptor: &MessageDescriptor, message: &[u8]) {
    let theirs = DynamicMessage::decode(descriptor.clone(), message);
    match (read(of, &stream(&[message])), theirs) {
        (Ok(rows), Ok(theirs)) => {
            let back = write(of, &[rows]).unwrap();
            let mut back = back.as_slice();
            prost_reflect::prost::decode_length_delimiter(&mut back).unwrap();
            let back = DynamicMessage::decode(descriptor.clone(), back).unwrap();
            let theirs = known(theirs);
            assert!(same(&back, &theirs), "{back:?}\n{theirs:?}");
        }
        (Err(_), Err(_)) => {}
        // Stricter are we only where columns are.
        (Err(e), Ok(_)) => {
            let e = e.to_string();
            let strict = [
                "well-formed",
                "64 bits can hold",
                "required, and missing",
                "no field has the number",
                // The other reader ignores the layout of entries.
                "an entry is a length and bytes",
            ];
            assert!(strict.iter().any(|what| e.contains(what)), "{e}");
        }
        (Ok(_), Err(e)) => panic!("{e} is passed over"),
    }
}

#[test]
fn what_another_reads_of_the_golden_messages_is_the_same() {
    let (of, descriptor) = (golden::every(), descriptor());
    for message in messages() {
        agree(&of, &descriptor, &message);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_stream(bytes in prop::collection::vec(any::<u8>(), 0..300), skip_bad in 0..5u64) {
        let options = ReadOptions { skip_bad, batch_size: 3, ..options(&golden::every()) };
        let _ = batches(&options, &bytes);
    }

    #[test]
    fn golden_streams_with_flips(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        skip_bad in 0..100u64,
    ) {
        let of = golden::every();
        let mut bytes = golden::file("every.pb");
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let options = ReadOptions { skip_bad, batch_size: 10, ..options(&of) };
        if let Ok(rows) = batches(&options, &bytes) {
            write(&of, &rows).unwrap();
        }
    }

    #[test]
    fn messages_with_flips_are_read_as_another_reads_them(
        which in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        twice in any::<bool>(),
    ) {
        let all = messages();
        let mut message = which.get(&all).clone();
        if twice {
            message.extend(which.get(&all[1..]));
        }
        for (at, value) in flips {
            if !message.is_empty() {
                let at = at.index(message.len());
                message[at] = value;
            }
        }
        if let Some(cut) = cut {
            message.truncate(cut.index(message.len() + 1));
        }
        agree(&golden::every(), &descriptor(), &message);
    }

    #[test]
    fn descriptor_sets_with_flips(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = golden::file("every.desc");
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(of) = ProtobufType::try_new(&bytes, "every.Every") {
            let _ = read(&of, &golden::file("every.pb"));
        }
    }

    #[test]
    fn any_descriptor_set(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = ProtobufType::try_new(&bytes, "every.Every");
    }
}

/// Returns the number of cases; more if the environment says so.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}
