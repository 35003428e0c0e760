//! Writes and reads plain columns without Arrow: `cargo run --no-default-features --example raw_columns`.

use std::error::Error;

use trevni::{ColumnMetadata, ColumnSlice, FileReader, FileWriter, ValueType, Values, ValuesRef};

fn main() -> Result<(), Box<dyn Error>> {
    let columns = vec![
        ColumnMetadata::new("id", ValueType::Long),
        // An array column has a count for each row, and its values.
        ColumnMetadata::new("scores", ValueType::Double).array(),
    ];
    let mut writer = FileWriter::builder().build(Vec::new(), columns)?;
    let scores = ColumnSlice::array(&[2, 0, 1], ValuesRef::Double(&[0.5, 0.75, 1.0]));
    writer.write(3, &[ColumnSlice::plain(ValuesRef::Long(&[1, 2, 3])), scores])?;
    let (file, summary) = writer.finish()?;
    println!("{} bytes", summary.bytes);

    let file = FileReader::try_new(file)?;
    let scores = file.read_column(1)?;
    println!("{:?}: {:?}", scores.lengths, scores.values);
    assert_eq!(file.read_column(0)?.values, Values::Long(vec![1, 2, 3]));
    Ok(())
}
