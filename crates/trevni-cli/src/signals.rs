//! Handles INT, TERM and HUP: deletes temporary files, then ends the process by the signal.
//!
//! ```text
//! signal ──► this thread: uploads have a second to abort ──► temporary files deleted ──► the default action
//!            main thread: stops at the next batch, and waits for its end
//! ```
//! A signal that was ignored when the command was started stays ignored, as `nohup` wants it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long an upload has to be aborted.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(1);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether there is an upload that the main thread must abort.
static UPLOADING: AtomicBool = AtomicBool::new(false);

/// Whether the main thread has done everything that it had to do.
static DONE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Fails if a signal has arrived. Writers call it for each batch, and stop.
pub(crate) fn check() -> io::Result<()> {
    match INTERRUPTED.load(Ordering::SeqCst) {
        // Not of the kind `Interrupted`, after which a write is tried again.
        true => Err(io::Error::other("interrupted by a signal")),
        false => Ok(()),
    }
}

/// Records that there is an upload to abort.
#[cfg(feature = "object_store")]
pub(crate) fn note_upload() {
    UPLOADING.store(true, Ordering::SeqCst);
}

/// Ends the main thread: if a signal has arrived, the process ends by it after cleaning up.
pub(crate) fn finish() {
    *DONE.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    DONE.1.notify_all();
    while INTERRUPTED.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Starts to wait for signals. Without that, they end the process at once.
#[cfg(unix)]
pub(crate) fn install() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let ignored = ignored();
    let signals = [SIGHUP, SIGINT, SIGTERM];
    let mut signals = Signals::new(signals.iter().filter(|n| ignored >> (**n - 1) & 1 == 0))?;
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            end(signal);
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map(|_| ())
}

#[cfg(not(unix))]
pub(crate) fn install() -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn end(signal: i32) {
    INTERRUPTED.store(true, Ordering::SeqCst);
    if UPLOADING.load(Ordering::SeqCst) {
        let done = DONE.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Whether it is done or not: there is no more time.
        drop(DONE.1.wait_timeout_while(done, PATIENCE, |done| !*done));
    }
    trevni::io::remove_temporary_files();
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    // The default action of these signals is the end of the process.
    std::process::abort();
}

/// Returns a bit for each signal that this process ignores, the first for signal 1; 0 if unknown.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
