//! A format whose text is read as Arrow dictionaries, where all columns are read.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use trevni::arrow::with_dictionaries;

use super::{File, Format, Opened, Wanted};
use crate::Result;

pub struct Dictionaries<F>(pub F);

impl<F: Format> Format for Dictionaries<F> {
    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>> {
        self.0.write(schema, batches)
    }

    fn open<'a>(&'a self, file: &'a File, wanted: Wanted<'a>) -> Result<Opened<'a>> {
        match wanted {
            // What `Views` gives is a schema, which may have any types that text can be read as.
            Wanted::All => Ok(Box::new(move |sink| {
                let schema = self.schema_of_all(&file.schema);
                self.0.open(file, Wanted::Views(&schema))?(sink)
            })),
            other => self.0.open(file, other),
        }
    }

    fn schema_of_all(&self, schema: &SchemaRef) -> SchemaRef {
        with_dictionaries(schema).into()
    }

    fn has_views(&self) -> bool {
        false
    }
}
