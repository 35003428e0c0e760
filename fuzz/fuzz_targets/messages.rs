//! Messages of Protocol Buffers and of Thrift, of the types of `testdata`. The first byte selects the kind.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trevni_convert::{Format, ProtobufType, ReadOptions, ThriftProtocol, ThriftType};
use trevni_fuzz::{read_as, read_options};

static OPTIONS: LazyLock<[(&Format, ReadOptions); 3]> = LazyLock::new(|| {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata");
    let descriptors = std::fs::read(testdata.join("protobuf/every.desc")).unwrap();
    let message = ProtobufType::try_new(&descriptors, "every.Every").unwrap();
    let record = ThriftType::load(&testdata.join("thrift/every.thrift"), "Every").unwrap();
    let thrift = |protocol| {
        let record = record.clone().with_protocol(protocol);
        (Format::named("thrift").unwrap(), ReadOptions { thrift: Some(record), ..read_options() })
    };
    [
        (
            Format::named("protobuf").unwrap(),
            ReadOptions { protobuf: Some(message), ..read_options() },
        ),
        thrift(ThriftProtocol::Binary),
        thrift(ThriftProtocol::Compact),
    ]
});

fuzz_target!(|data: &[u8]| {
    let Some((kind, data)) = data.split_first() else { return };
    let (format, options) = &OPTIONS[usize::from(*kind) % OPTIONS.len()];
    read_as(format, data, options);
});
