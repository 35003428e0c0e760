//! The target of an output: a file or an object that appears complete, the standard output, or another stream.
//!
//! ```text
//! -, /dev/stdout                      standard output
//! s3://bucket/key                     an object
//! device, FIFO, socket, /dev/fd/3     opened and written to; nothing is replaced
//! other paths                         a regular file, which a rename creates or replaces
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use trevni::io::AtomicFile;

use crate::exit::CliError;
use crate::input::path::PIPE;
use crate::input::remote::{self, Upload};
use crate::stdout::{self, Output};

/// A file or an object that is being written, or standard output; counts the bytes.
pub(crate) struct Target {
    to: To,
    path: PathBuf,
    written: u64,
}

enum To {
    File(BufWriter<AtomicFile>),
    Stdout(BufWriter<Output>),
    Stream(BufWriter<Box<dyn Write + Send>>),
    Store(Upload),
}

impl Target {
    /// Starts a file; one that exists is left alone unless `force`.
    pub(crate) fn create(path: &Path, force: bool) -> Result<Self, CliError> {
        let to = if is_pipe(path) {
            To::Stdout(stdout::stdout())
        } else if is_stream(path) {
            let stream = open_stream(path).map_err(CliError::of(path.display()))?;
            To::Stream(BufWriter::with_capacity(BUFFER, stream))
        } else if let Some(upload) = remote::target(path, force)? {
            To::Store(upload)
        } else {
            let opened = match force {
                true => AtomicFile::create(path),
                false => AtomicFile::create_new(path),
            };
            let file = opened.map_err(|e| refused(path, e))?;
            To::File(BufWriter::with_capacity(BUFFER, file))
        };
        Ok(Self { to, path: path.to_owned(), written: 0 })
    }

    /// Commits the file. Returns its size.
    pub(crate) fn commit(self, path: &Path) -> Result<u64, CliError> {
        match self.to {
            To::Stdout(mut out) => out.flush()?,
            To::Stream(mut out) => out.flush().map_err(CliError::of(path.display()))?,
            To::Store(upload) => upload.commit().map_err(|e| refused(path, e))?,
            To::File(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error);
                let file = file.map_err(|e| full(e, path))?;
                file.commit().map_err(|e| refused(path, e))?;
            }
        }
        Ok(self.written)
    }
}

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 18;

/// Returns whether a path is standard output, by any of its names.
pub(crate) fn is_pipe(path: &Path) -> bool {
    path == Path::new(PIPE) || descriptor(path) == Some(1)
}

/// Returns whether a path is written to directly: a device, a FIFO, a socket, or an open file of this process.
pub(crate) fn is_stream(path: &Path) -> bool {
    let special = |about: std::fs::Metadata| !about.is_file() && !about.is_dir();
    is_pipe(path) || descriptor(path).is_some() || path.metadata().is_ok_and(special)
}

/// Returns the number of the open file that a path names, such as `/dev/stderr` or `/dev/fd/3`, or a link to one.
fn descriptor(path: &Path) -> Option<u32> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match path.to_str() {
            Some("/dev/stdout") => return Some(1),
            Some("/dev/stderr") => return Some(2),
            Some(text) => {
                let number = text.strip_prefix("/dev/fd/");
                let number = number.or_else(|| text.strip_prefix("/proc/self/fd/"));
                if let Some(number) = number.and_then(|number| number.parse().ok()) {
                    return Some(number);
                }
            }
            None => {}
        }
        let to = path.read_link().ok()?;
        path = path.parent().map_or_else(PathBuf::new, Path::to_owned).join(to);
    }
    None
}

/// Symbolic links that are followed.
const LINKS: usize = 40;

fn open_stream(path: &Path) -> io::Result<Box<dyn Write + Send>> {
    if descriptor(path) == Some(2) {
        return Ok(Box::new(io::stderr()));
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_socket(&path.metadata()?.file_type()) {
        return Ok(Box::new(std::os::unix::net::UnixStream::connect(path)?));
    }
    // Of an open file that is regular, nothing is overwritten.
    let append = path.metadata()?.is_file();
    let file: File = OpenOptions::new().write(true).append(append).open(path)?;
    Ok(Box::new(file))
}

/// Returns the refusal to overwrite.
pub(crate) fn exists(path: &Path) -> CliError {
    CliError::Data(format!("{} exists; --force replaces it", path.display()))
}

fn refused(path: &Path, e: io::Error) -> CliError {
    match e.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => CliError::of(path.display())(e),
    }
}

/// Returns an error of an output; that there is no space left names it.
fn full(e: io::Error, path: &Path) -> io::Error {
    match e.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            io::Error::new(e.kind(), format!("no space left for {}", path.display()))
        }
        _ => e,
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = match &mut self.to {
            To::File(file) => file.write(bytes),
            To::Stdout(out) => out.write(bytes),
            To::Stream(out) => out.write(bytes),
            To::Store(upload) => upload.write(bytes),
        };
        let n = n.map_err(|e| full(e, &self.path))?;
        self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.to {
            To::File(file) => file.flush(),
            To::Stdout(out) => out.flush(),
            To::Stream(out) => out.flush(),
            To::Store(upload) => upload.flush(),
        };
        flushed.map_err(|e| full(e, &self.path))
    }
}
