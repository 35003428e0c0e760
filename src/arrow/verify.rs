//! Whether the rows of a file can be read.

use arrow::array::timezone::Tz;
use arrow::datatypes::{DataType, Field};

use super::ArrowReaderBuilder;
use crate::error::{Error, Result};
use crate::io::ReadAt;
use crate::trevni::{FileReader, is_of_nulls};

/// Rows of a batch where no column has anything but nulls, which take no memory.
const NULL_ROWS: usize = 1 << 30;

/// Reads all rows of a file as Arrow, and drops them: fails if the schema in its metadata cannot be read, or does not fit
/// its columns. [`FileReader::verify`] looks at each column by itself, and names all faults there.
pub fn verify_rows<R: ReadAt>(file: &FileReader<R>, threads: usize) -> Result<()> {
    let builder = ArrowReaderBuilder::from_file(file.clone(), false)?;
    builder.schema().fields().iter().try_for_each(|field| check_zones(field))?;
    let batch_size = match file.columns().iter().all(is_of_nulls) {
        true => NULL_ROWS,
        false => builder.batch_size(),
    };
    let builder = builder.with_batch_size(batch_size).with_parallelism(threads);
    for batch in builder.build()? {
        batch?;
    }
    Ok(())
}

/// Refuses time zones that are unknown: such times cannot be printed.
fn check_zones(field: &Field) -> Result<()> {
    match field.data_type() {
        DataType::Timestamp(_, Some(zone)) => {
            let zone = zone.parse::<Tz>().map(|_| ());
            zone.map_err(|e| Error::from(e).in_column(field.name()))
        }
        DataType::Struct(fields) => fields.iter().try_for_each(|field| check_zones(field)),
        DataType::Union(fields, _) => fields.iter().try_for_each(|(_, field)| check_zones(field)),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::RunEndEncoded(_, item)
        | DataType::Map(item, _) => check_zones(item),
        _ => Ok(()),
    }
}
