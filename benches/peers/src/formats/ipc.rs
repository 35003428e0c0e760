//! Arrow's own file format: the arrays' buffers as they are in memory, each compressed by itself.

use std::io::Cursor;

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::SchemaRef;
use arrow::ipc::CompressionType;
use arrow::ipc::reader::{FileReader, FileReaderBuilder};
use arrow::ipc::writer::{FileWriter, IpcWriteOptions};
use bytes::Bytes;

use super::{File, Format, Opened, Sink, Wanted};
use crate::Result;
use crate::tables::BATCH;

pub struct Ipc(pub Option<CompressionType>);

impl Format for Ipc {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>> {
        let options = IpcWriteOptions::default().try_with_compression(self.0)?;
        let mut out = Vec::new();
        let mut writer = FileWriter::try_new_with_options(&mut out, schema, options)?;
        for batch in batches {
            writer.write(batch)?;
        }
        writer.finish()?;
        drop(writer);
        Ok(out)
    }

    fn open<'a>(&'a self, file: &'a File, wanted: Wanted<'a>) -> Result<Opened<'a>> {
        Ok(Box::new(move |sink| read(file, wanted, sink)))
    }

    fn has_views(&self) -> bool {
        false
    }

    fn has_filters(&self) -> bool {
        false
    }
}

/// Reads a file. Opening it is reading its footer, which a reader cannot share.
fn read(file: &File, wanted: Wanted<'_>, sink: &mut Sink<'_>) -> Result<()> {
    let builder = FileReaderBuilder::new();
    let builder = match wanted {
        Wanted::Column(column) => builder.with_projection(vec![column]),
        Wanted::Filter(_) => return Err("no filters here".into()),
        Wanted::All | Wanted::Views(_) | Wanted::Rows(_) => builder,
    };
    let mut reader = builder.build(Cursor::new(file.bytes.clone()))?;
    if let Wanted::Rows(rows) = wanted {
        return read_rows(&mut reader, rows, sink);
    }
    for batch in reader {
        sink(batch?)?;
    }
    Ok(())
}

/// Reads the batches that have the rows, and takes those from them. Each batch but the last has the same rows,
/// so that a row's batch is known.
fn read_rows(
    reader: &mut FileReader<Cursor<Bytes>>,
    rows: &[usize],
    sink: &mut Sink<'_>,
) -> Result<()> {
    for rows in rows.chunk_by(|a, b| a / BATCH == b / BATCH) {
        reader.set_index(rows[0] / BATCH)?;
        let batch = reader.next().ok_or("a batch is missing")??;
        let within = UInt32Array::from_iter_values(rows.iter().map(|row| (row % BATCH) as u32));
        sink(take_record_batch(&batch, &within)?)?;
    }
    Ok(())
}
