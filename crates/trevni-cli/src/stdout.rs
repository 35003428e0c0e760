//! Buffered standard output that detects a closed pipe.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Returns whether the reader of our output has closed its end. An error that this caused may come back in any
/// wrapping, so it is recorded here, where it happens.
pub(crate) fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Standard output with a buffer; to be flushed at the end.
pub(crate) fn stdout() -> BufWriter<Output> {
    BufWriter::with_capacity(1 << 16, Output(io::stdout()))
}

/// Standard output.
#[derive(Debug)]
pub(crate) struct Output(Stdout);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(note)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(note)
    }
}

fn note(e: io::Error) -> io::Error {
    if e.kind() == ErrorKind::BrokenPipe {
        CLOSED.store(true, Ordering::Relaxed);
    }
    e
}

/// Writes a JSON value, on one line or on many, and ends the line.
pub(crate) fn print_json(value: &serde_json::Value, pretty: bool) -> Result<(), crate::CliError> {
    let mut out = stdout();
    if pretty {
        serde_json::to_writer_pretty(&mut out, value)?;
    } else {
        serde_json::to_writer(&mut out, value)?;
    }
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}
