//! Where converted rows go: a file or an object that appears whole, or standard output.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use trevni::io::AtomicFile;

use crate::fault::Fault;
use crate::input::PIPE;
use crate::output::{self, Output};
use crate::remote::{self, Upload};

/// A file or an object in the making, or standard output; counts what is written.
pub(crate) struct Target {
    to: To,
    written: u64,
}

enum To {
    File(BufWriter<AtomicFile>),
    Stdout(BufWriter<Output>),
    Store(Upload),
}

impl Target {
    /// Starts a file; one that exists is left alone unless `force`.
    pub(crate) fn create(path: &Path, force: bool) -> Result<Self, Fault> {
        let to = if path == Path::new(PIPE) {
            To::Stdout(output::stdout())
        } else if let Some(upload) = remote::target(path, force)? {
            To::Store(upload)
        } else {
            let file = AtomicFile::create(path, force).map_err(|e| refused(path, e))?;
            To::File(BufWriter::with_capacity(1 << 18, file))
        };
        Ok(Self { to, written: 0 })
    }

    /// Gives the file its name; gives how many bytes it has.
    pub(crate) fn commit(self, path: &Path) -> Result<u64, Fault> {
        match self.to {
            To::Stdout(mut out) => out.flush()?,
            To::Store(upload) => upload.commit().map_err(|e| refused(path, e))?,
            To::File(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.commit().map_err(|e| refused(path, e))?;
            }
        }
        Ok(self.written)
    }
}

/// Whether a path says that it is a folder.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with('/'))
}

/// The refusal to overwrite.
pub(crate) fn exists(path: &Path) -> Fault {
    Fault::Data(format!("{} exists; --force replaces it", path.display()))
}

fn refused(path: &Path, e: io::Error) -> Fault {
    match e.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => Fault::of(path.display())(e),
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = match &mut self.to {
            To::File(file) => file.write(bytes)?,
            To::Stdout(out) => out.write(bytes)?,
            To::Store(upload) => upload.write(bytes)?,
        };
        self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::File(file) => file.flush(),
            To::Stdout(out) => out.flush(),
            To::Store(upload) => upload.flush(),
        }
    }
}
