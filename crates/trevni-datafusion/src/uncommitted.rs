//! Files that were written and not committed yet, which are removed if they never are.

use std::sync::{Arc, Mutex, PoisonError};

use object_store::ObjectStore;
use object_store::path::Path;
use tokio::runtime::Handle;
use trevni::dataset::UncommittedFiles;

/// The files of the partitions that this process has written. A plan that is dropped removes them, in the background.
#[derive(Debug, Default)]
pub(crate) struct Uncommitted(Mutex<Vec<Part>>);

#[derive(Debug)]
struct Part {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    files: UncommittedFiles,
    runtime: Option<Handle>,
}

impl Uncommitted {
    /// Adds the files of a partition.
    pub(crate) fn push(&self, store: Arc<dyn ObjectStore>, prefix: Path, files: UncommittedFiles) {
        let runtime = Handle::try_current().ok();
        self.lock().push(Part { store, prefix, files, runtime });
    }

    /// Keeps all files: they are committed.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Part>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Uncommitted {
    fn drop(&mut self) {
        for Part { store, prefix, files, runtime } in self.lock().drain(..) {
            if let Some(runtime) = runtime {
                runtime.spawn(files.remove(store, prefix));
            }
        }
    }
}
