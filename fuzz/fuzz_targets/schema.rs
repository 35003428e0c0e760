//! Schemas as text: of Avro, and Thrift's interface description language.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trevni::arrow::{schema_from_avro, schema_to_avro};
use trevni_convert::ThriftType;
use trevni_fuzz::within_limits;

fuzz_target!(|text: &str| {
    within_limits(text.len(), || {
        if let Ok(schema) = schema_from_avro(text) {
            // A schema that was read can be written, or is refused.
            let _ = schema_to_avro(&schema);
        }
        if let Ok(of) = ThriftType::try_new(text, "Every") {
            let _ = of.schema();
        }
    });
});
