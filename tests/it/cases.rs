//! How many cases properties have: as many as `TREVNI_CASES` says, for runs by hand.

use proptest::prelude::*;
use trevni::codec::Codec;

/// Returns the settings of a property that has some cases by default.
pub(crate) fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("TREVNI_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = cases.unwrap_or(default);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Returns one of the codecs that this build has.
pub(crate) fn one_of(codecs: &[Codec]) -> impl Strategy<Value = Codec> + use<> {
    let available = codecs.iter().copied().filter(|codec| codec.is_available());
    prop::sample::select(available.collect::<Vec<_>>())
}
