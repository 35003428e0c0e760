//! Files and data sets as tables.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use datafusion_ffi::table_provider::FFI_TableProvider;
use datafusion_python_util::{
    ffi_logical_codec_from_pycapsule, get_tokio_runtime, to_datafusion_err, wait_for_future,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use trevni::object_store::{environment, from_url};
use trevni_datafusion::{SessionContextExt, TrevniDatasetTable, TrevniOptions};
use url::Url;

use crate::queries::Queries;

/// A file, the files of a folder, or a data set, for `SessionContext.register_table`.
#[pyclass(frozen, module = "trevni_datafusion")]
#[derive(Debug)]
pub(crate) struct Table {
    url: String,
    provider: Arc<Queries>,
}

#[pymethods]
impl Table {
    #[new]
    #[pyo3(signature = (source, *, storage_options=None))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        storage_options: Option<HashMap<String, String>>,
    ) -> PyResult<Self> {
        let url = match source.extract::<String>() {
            Ok(text) if text.contains("://") => text,
            _ => absolute(&source.extract::<std::path::PathBuf>()?)?,
        };
        let opened = wait_for_future(py, open(&url, storage_options))?;
        let provider = opened.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { url, provider: Arc::new(provider) })
    }

    /// The table through the C interface of DataFusion.
    fn __datafusion_table_provider__<'py>(
        &self,
        py: Python<'py>,
        session: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let codec = ffi_logical_codec_from_pycapsule(session, None)?;
        let runtime = Some(get_tokio_runtime().handle().clone());
        let table =
            FFI_TableProvider::new_with_ffi_codec(self.provider.clone(), true, runtime, codec);
        PyCapsule::new_with_value(py, table, c"datafusion_table_provider")
    }

    fn __repr__(&self) -> String {
        format!("trevni_datafusion.Table({:?})", self.url)
    }
}

/// Returns a path as DataFusion takes it: folders end with a slash.
fn absolute(path: &Path) -> PyResult<String> {
    let whole = std::path::absolute(path)?;
    let text = whole.display().to_string();
    Ok(if whole.is_dir() { format!("{text}/") } else { text })
}

/// Opens a data set if there is one, else files.
async fn open(url: &str, options: Option<HashMap<String, String>>) -> Result<Queries> {
    // Without options of its own: functions of another library do not take those through the C interface.
    let session = SessionContext::new();
    let listed = ListingTableUrl::parse(url)?;
    register_store(&session, &listed, url, options)?;
    let state = session.state();
    if listed.is_collection() {
        let options = TrevniOptions::of_session(state.config_options());
        let set = TrevniDatasetTable::open(&state, listed.clone(), options).await?;
        if let Some(set) = set {
            return Ok(Queries::new(session, Arc::new(set)));
        }
    }
    session.register_trevni("rows", url).await?;
    let table: Arc<dyn TableProvider> = session.table_provider("rows").await?;
    Ok(Queries::new(session, table))
}

/// Makes the store of a URL known to a session.
fn register_store(
    session: &SessionContext,
    listed: &ListingTableUrl,
    url: &str,
    options: Option<HashMap<String, String>>,
) -> Result<()> {
    if listed.scheme() == "file" {
        return Ok(());
    }
    let mut all: HashMap<_, _> = environment().into_iter().collect();
    all.extend(options.into_iter().flatten());
    let (store, _) = from_url(url, all).map_err(to_datafusion_err)?;
    let base = Url::parse(listed.object_store().as_str());
    let base = base.map_err(|error| DataFusionError::External(Box::new(error)))?;
    session.register_object_store(&base, store);
    Ok(())
}
