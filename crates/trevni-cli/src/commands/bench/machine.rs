//! Describes the machine.

use trevni::simd::Level;

use crate::cores::cores;

/// A machine.
#[derive(Debug)]
pub(super) struct Machine {
    /// The model of the processor, or its architecture if that is unknown.
    pub(super) cpu: String,
    /// The instructions that Trevni uses.
    pub(super) simd: &'static str,
    pub(super) cores: usize,
}

impl Machine {
    pub(super) fn this() -> Self {
        let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            cpu: model(&about).unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            simd: Level::in_use().name(),
            cores: cores(),
        }
    }
}

/// Returns the model in the text of `/proc/cpuinfo`.
fn model(about: &str) -> Option<String> {
    let line = about.lines().find(|line| line.starts_with("model name"))?;
    let (_, model) = line.split_once(':')?;
    Some(model.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_that_of_the_first_core() {
        let about = "processor\t: 0\nmodel name\t: Fast  CPU @ 3 GHz\nmodel name\t: other\n";
        assert_eq!(model(about).as_deref(), Some("Fast CPU @ 3 GHz"));
        assert_eq!(model("processor : 0"), None);
    }
}
