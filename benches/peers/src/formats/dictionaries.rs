//! A format whose text is read as Arrow dictionaries, where all columns are read.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use trevni::arrow::with_dictionaries;

use super::{File, Format, Sink, Wanted};
use crate::Result;

pub struct Dictionaries<F>(pub F);

impl<F: Format> Format for Dictionaries<F> {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>> {
        self.0.write(schema, batches)
    }

    fn read(&self, file: &File, wanted: Wanted<'_>, sink: &mut Sink<'_>) -> Result<()> {
        match wanted {
            // What `Views` gives is a schema, which may have any types that text can be read as.
            Wanted::All => {
                let schema = self.schema_of_all(&file.schema);
                self.0.read(file, Wanted::Views(&schema), sink)
            }
            other => self.0.read(file, other, sink),
        }
    }

    fn schema_of_all(&self, schema: &SchemaRef) -> SchemaRef {
        with_dictionaries(schema).into()
    }

    fn has_views(&self) -> bool {
        false
    }
}
