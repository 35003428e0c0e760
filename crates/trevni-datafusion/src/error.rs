//! Errors of files as errors of the engine.

use datafusion::error::DataFusionError;

/// Returns an error of the engine, which keeps the error of a file as its source.
pub(crate) fn external(error: trevni::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
