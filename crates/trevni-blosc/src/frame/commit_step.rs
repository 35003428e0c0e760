//! The file operations of a commit, each of which a test can interrupt.

/// Before an operation on files.
#[cfg(not(test))]
#[inline]
pub(super) fn step() -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(super) use stopping::{step, stop_at};

#[cfg(test)]
mod stopping {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<Option<(u32, bool)>> = const { Cell::new(None) };
    }

    /// Stops this thread's commits at the step of that number: by an error, or by the end of the process.
    pub(in super::super) fn stop_at(number: Option<u32>, abort: bool) {
        LEFT.set(number.map(|number| (number, abort)));
    }

    pub(in super::super) fn step() -> std::io::Result<()> {
        match LEFT.get() {
            None => Ok(()),
            Some((0, true)) => std::process::abort(),
            Some((0, false)) => {
                LEFT.set(None);
                Err(std::io::Error::other("stopped"))
            }
            Some((left, abort)) => {
                LEFT.set(Some((left - 1, abort)));
                Ok(())
            }
        }
    }
}
