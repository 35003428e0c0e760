//! Trevni, as this crate writes it when only the codec is chosen: the split layout, CRC-32 behind each block.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use trevni::arrow::{
    ArrowReaderBuilder, ArrowReaderMetadata, ArrowReaderOptions, ArrowWriter, ProjectionMask,
    RowSelection, WriterProperties,
};
use trevni::codec::Codec;

use super::{File, Format, Opened, Wanted};
use crate::Result;
use crate::floor::Floor;
use crate::tables::BATCH;

pub struct Trevni {
    codec: Codec,
    statistics: bool,
    threads: usize,
}

impl Trevni {
    pub fn new(codec: Codec) -> Self {
        Self { codec, statistics: true, threads: 1 }
    }

    /// Without statistics, to see what they cost.
    pub fn bare(codec: Codec) -> Self {
        Self { codec, statistics: false, threads: 1 }
    }

    /// With two threads, to see what the second one saves.
    pub fn by_two(codec: Codec) -> Self {
        Self { codec, statistics: true, threads: 2 }
    }
}

impl Format for Trevni {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>> {
        let properties = WriterProperties::builder()
            .set_codec(self.codec)
            .set_statistics_enabled(self.statistics)
            .set_parallelism(self.threads)
            .build();
        let mut writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties))?;
        for batch in batches {
            writer.write(batch)?;
        }
        Ok(writer.into_inner()?)
    }

    fn open<'a>(&'a self, file: &'a File, wanted: Wanted<'a>) -> Result<Opened<'a>> {
        let options = match wanted {
            Wanted::Views(schema) => ArrowReaderOptions::new().with_schema(schema.clone()),
            _ => ArrowReaderOptions::new(),
        };
        let metadata = ArrowReaderMetadata::load(&file.bytes, options)?;
        Ok(Box::new(move |sink| {
            let source = file.bytes.clone();
            let builder = ArrowReaderBuilder::new_with_metadata(source, metadata.clone());
            let builder = builder.with_batch_size(BATCH).with_parallelism(self.threads);
            let builder = match wanted {
                Wanted::All | Wanted::Views(_) => builder,
                Wanted::Column(column) => {
                    let mask = ProjectionMask::roots(builder.schema(), [column])?;
                    builder.with_projection(mask)
                }
                Wanted::Rows(rows) => {
                    let total = builder.rows();
                    let ranges = rows.iter().map(|row| *row as u64..*row as u64 + 1);
                    builder.with_row_selection(RowSelection::from_consecutive_ranges(ranges, total))
                }
                Wanted::Filter(condition) => builder.with_predicate(condition.predicate.clone()),
            };
            for batch in builder.build()? {
                sink(batch?)?;
            }
            Ok(())
        }))
    }

    fn has_views(&self) -> bool {
        true
    }

    fn floor(&self, file: &File) -> Result<Option<Floor>> {
        Floor::of(&file.bytes).map(Some)
    }
}
