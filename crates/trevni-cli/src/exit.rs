//! The error that ends a command, and its exit code.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use crate::stdout;

/// The error of a command.
#[derive(Debug)]
pub(crate) enum CliError {
    /// The data, or the machine: exit code 1.
    Data(String),
    /// The same, already reported.
    Reported,
    /// The call: exit code 2.
    Usage(String),
}

impl CliError {
    /// Names the file in an error.
    pub(crate) fn of<E: Display>(name: impl Display) -> impl FnOnce(E) -> CliError {
        move |e| CliError::Data(format!("{name}: {e}"))
    }

    /// Returns the message.
    pub(crate) fn text(self) -> String {
        match self {
            CliError::Data(text) | CliError::Usage(text) => text,
            CliError::Reported => "it failed".into(),
        }
    }

    /// Prints the error and returns the exit code. A closed pipe is not an error.
    pub(crate) fn report(self) -> ExitCode {
        if stdout::is_closed() {
            return ExitCode::SUCCESS;
        }
        match self {
            CliError::Reported => ExitCode::from(1),
            CliError::Data(text) => {
                tell(&format!("error: {text}"));
                ExitCode::from(1)
            }
            CliError::Usage(text) => {
                tell(&format!("error: {text}"));
                tell("\nFor more information, try '--help'.");
                ExitCode::from(2)
            }
        }
    }
}

/// Characters of a line on stderr, at most.
const MOST_CHARACTERS: usize = 950;

/// Returns a text that is cut, and ends with `…`, if it is too long for an error.
fn shortened(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(MOST_CHARACTERS) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// Writes a line to stderr, truncated if it is too long; failures are ignored.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", shortened(line.to_owned()));
}

impl From<trevni::Error> for CliError {
    fn from(e: trevni::Error) -> Self {
        CliError::Data(e.to_string())
    }
}

impl From<std::io::Error> for CliError {
    fn from(e: std::io::Error) -> Self {
        CliError::Data(e.to_string())
    }
}

impl From<serde_json::Error> for CliError {
    fn from(e: serde_json::Error) -> Self {
        CliError::Data(e.to_string())
    }
}
