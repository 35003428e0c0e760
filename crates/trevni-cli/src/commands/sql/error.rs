//! Errors of statements and of the files that they read.

use arrow::error::ArrowError;
use datafusion::error::DataFusionError;

use crate::exit::CliError;

/// Returns an error of DataFusion: a statement that cannot be planned is the call's fault.
pub(super) fn fault(e: DataFusionError) -> CliError {
    let text = message(&e);
    match e.find_root() {
        DataFusionError::SQL(..)
        | DataFusionError::Plan(_)
        | DataFusionError::SchemaError(..)
        | DataFusionError::NotImplemented(_) => CliError::Usage(text),
        _ => CliError::Data(text),
    }
}

/// Returns the text of an error: what it happened in, and its cause.
pub(super) fn message(e: &DataFusionError) -> String {
    match e {
        DataFusionError::Context(place, cause) => format!("{place}: {}", message(cause)),
        DataFusionError::External(cause) => match cause.downcast_ref() {
            Some(cause) => message(cause),
            None => cause.to_string(),
        },
        DataFusionError::ArrowError(cause, _) => match &**cause {
            ArrowError::ExternalError(cause) => cause.to_string(),
            cause => cause.to_string(),
        },
        DataFusionError::SQL(cause, _) => cause.to_string(),
        DataFusionError::Shared(cause) => message(cause),
        DataFusionError::Diagnostic(_, cause) => message(cause),
        DataFusionError::Plan(text) | DataFusionError::Execution(text) => text.clone(),
        other => other.strip_backtrace(),
    }
}

/// Returns an error of a file as one of DataFusion.
pub(super) fn external(e: CliError) -> DataFusionError {
    DataFusionError::External(e.text().into())
}
