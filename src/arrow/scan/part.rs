//! A file of a scan. It is opened when its first rows are read, once.

use std::sync::{Arc, Mutex};

use super::file_plan::FilePlan;
use crate::error::Result;
use crate::parallelism::threads::lock;

/// Opens a file; `None` if none of its rows can match.
type Open<R> = Box<dyn Fn() -> Result<Option<FilePlan<R>>> + Send + Sync>;

/// A file that is open, or how it is opened.
pub(crate) struct Part<R> {
    open: Option<Open<R>>,
    plan: Mutex<Option<Option<Arc<FilePlan<R>>>>>,
}

impl<R> Part<R> {
    /// A file that is opened by a function. It is called again if it fails.
    pub(crate) fn closed(
        open: impl Fn() -> Result<Option<FilePlan<R>>> + Send + Sync + 'static,
    ) -> Self {
        Self { open: Some(Box::new(open)), plan: Mutex::default() }
    }

    /// A file that is open.
    pub(super) fn opened(plan: Arc<FilePlan<R>>) -> Self {
        Self { open: None, plan: Mutex::new(Some(Some(plan))) }
    }

    /// Opens the file, unless it is open. Other threads wait for it.
    pub(super) fn open(&self) -> Result<Option<Arc<FilePlan<R>>>> {
        let mut plan = lock(&self.plan);
        if let Some(plan) = &*plan {
            return Ok(plan.clone());
        }
        let opened = match &self.open {
            Some(open) => open()?.map(Arc::new),
            None => None,
        };
        Ok(plan.insert(opened).clone())
    }
}
