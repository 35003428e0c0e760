//! Predicates print as they parse.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trevni::arrow::Predicate;
use trevni_fuzz::within_limits;

fuzz_target!(|text: &str| {
    let Ok(predicate) = within_limits(text.len(), || Predicate::parse(text)) else { return };
    let printed = predicate.to_string();
    match Predicate::parse(&printed) {
        Ok(again) => assert_eq!(again.to_string(), printed, "{text:?}"),
        Err(e) => panic!("{text:?} prints as {printed:?}: {e}"),
    }
});
