//! Trevni, as this crate writes it when only the codec is chosen: the split layout, CRC-32 behind each block.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use trevni::arrow::{ArrowReaderBuilder, ArrowWriter, ProjectionMask, WriterProperties};
use trevni::codec::Codec;

use super::{Format, Sink, Wanted};
use crate::Result;
use crate::floor::Floor;
use crate::tables::BATCH;

pub struct Trevni(pub Codec);

impl Format for Trevni {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>> {
        let properties = WriterProperties::builder().set_codec(self.0).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties))?;
        for batch in batches {
            writer.write(batch)?;
        }
        Ok(writer.into_inner()?)
    }

    fn read(&self, file: &Bytes, wanted: Wanted<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let builder = ArrowReaderBuilder::try_new(file.clone())?.with_batch_size(BATCH);
        let builder = match wanted {
            Wanted::All => builder,
            Wanted::Views(_) => return Err("no views yet".into()),
            Wanted::FirstColumn => {
                let mask = ProjectionMask::roots(builder.schema(), [0])?;
                builder.with_projection(mask)
            }
            Wanted::Rows(rows) => return read_rows(&builder, rows, sink),
        };
        for batch in builder.build()? {
            sink(batch?)?;
        }
        Ok(())
    }

    fn has_views(&self) -> bool {
        false
    }

    fn floor(&self, file: &Bytes) -> Result<Option<Floor>> {
        Floor::of(file).map(Some)
    }
}

/// Reads rows one at a time, from a file that is opened once.
fn read_rows(
    builder: &ArrowReaderBuilder<Bytes>,
    rows: &[usize],
    sink: &mut Sink<'_>,
) -> Result<()> {
    for row in rows.iter().map(|row| *row as u64) {
        let file = builder.file().clone();
        let one = ArrowReaderBuilder::from_file(file, false)?.with_row_range(row..row + 1);
        for batch in one.build()? {
            sink(batch?)?;
        }
    }
    Ok(())
}
