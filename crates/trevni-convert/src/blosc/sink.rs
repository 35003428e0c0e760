//! Writes rows to a container. Rows with strings of unknown width are buffered until all have been written.
//!
//! ```text
//! widths known      batch ──► ChunkedWriter
//! unknown           batch ──► widths, temporary file  ──finish──►  ChunkedWriter
//! ```

use std::fs::File;
use std::io::{BufWriter, Seek};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;

use crate::Sink;
use trevni::Result;
use trevni_blosc::numpy::{ChunkedWriter, Widths};

/// The final step after all rows are written.
pub(super) type Finish = Box<dyn FnOnce() -> Result<()>>;

/// Starts the arrays, once the widths of strings are known.
pub(super) type Start = Box<dyn FnOnce(&Widths) -> Result<(ChunkedWriter, Finish)>>;

/// Takes rows and makes a container of them.
pub(super) struct Rows {
    state: State,
    attributes: trevni_blosc::Attributes,
}

enum State {
    Writing(ChunkedWriter, Finish),
    Waiting { start: Start, widths: Widths, file: Box<FileWriter<BufWriter<File>>> },
}

impl Rows {
    pub(super) fn new(
        schema: &SchemaRef,
        attributes: trevni_blosc::Attributes,
        start: Start,
    ) -> Result<Self> {
        let widths = Widths::new(schema);
        let state = if widths.are_known() {
            let (writer, finish) = start(&widths)?;
            State::Writing(writer, finish)
        } else {
            let file = FileWriter::try_new(BufWriter::new(tempfile::tempfile()?), schema)?;
            let file = Box::new(file);
            State::Waiting { start, widths, file }
        };
        Ok(Self { state, attributes })
    }
}

impl Sink for Rows {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.state {
            State::Writing(writer, _) => writer.write(batch),
            State::Waiting { widths, file, .. } => {
                widths.see(batch)?;
                Ok(file.write(batch)?)
            }
        }
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let (writer, finish) = match self.state {
            State::Writing(writer, finish) => (writer, finish),
            State::Waiting { start, widths, mut file } => {
                file.finish()?;
                let mut file = file.into_inner()?.into_inner().map_err(|e| e.into_error())?;
                file.rewind()?;
                let (mut writer, finish) = start(&widths)?;
                for batch in FileReader::try_new_buffered(file, None)? {
                    writer.write(&batch?)?;
                }
                (writer, finish)
            }
        };
        writer.finish(&self.attributes)?;
        finish()
    }
}
