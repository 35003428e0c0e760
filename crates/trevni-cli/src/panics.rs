//! Converts panics to errors of one line.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Mutex, PoisonError};

use super::exit::CliError;

/// The most characters of a message.
const MOST: usize = 500;

/// The message of the last panic of any thread.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Suppresses the output of panics, unless `RUST_BACKTRACE` is set.
pub(crate) fn install() {
    let print = std::panic::take_hook();
    let wanted = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    std::panic::set_hook(Box::new(move |info| {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = text(info);
        if wanted {
            print(info);
        }
    }));
}

fn text(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let message = payload.downcast_ref::<String>().map(String::as_str);
    let message =
        message.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let message: String = message.chars().take(MOST).collect();
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match info.location() {
        Some(place) => format!("{message} at {}:{}", place.file(), place.line()),
        None => message,
    }
}

/// Runs a command; a panic is an error.
pub(crate) fn caught(run: impl FnOnce() -> Result<(), CliError>) -> Result<(), CliError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let said = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let what = "the command failed unexpectedly";
        let advice = "this is a bug in trevni or a library: please report it";
        Err(CliError::Data(format!("{what} ({advice}: {said})")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_one_line() {
        install();
        let caught = caught(|| {
            let thread = std::thread::spawn(|| panic!("of\na thread"));
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        drop(std::panic::take_hook());
        let Err(CliError::Data(text)) = caught else { panic!("no error") };
        assert!(text.contains("please report it: of a thread at "), "{text}");
        assert!(text.contains("panics.rs:") && !text.contains('\n'), "{text}");
    }
}
