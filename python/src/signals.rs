//! Ctrl-C while a loop runs without the lock of the interpreter.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How long a signal may wait. Taking the lock of the interpreter costs up to 5 ms if other threads want it.
const INTERVAL: Duration = Duration::from_millis(100);

/// Runs the handlers of signals now and then.
pub(crate) struct Signals {
    last: Instant,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self { last: Instant::now() }
    }

    /// Runs the handlers of signals if that was not done for a while. Fails with what they raise.
    pub(crate) fn check(&mut self) -> PyResult<()> {
        if self.last.elapsed() < INTERVAL {
            return Ok(());
        }
        self.last = Instant::now();
        Python::attach(|py| py.check_signals())
    }
}
