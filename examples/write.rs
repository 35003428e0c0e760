//! Writes record batches to a file, with a codec, statistics and a Bloom filter: `cargo run --example write -- OUT`.

use std::error::Error;
use std::sync::Arc;

use arrow::array::{Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use trevni::arrow::{ArrowWriter, WriterProperties};
use trevni::codec::Codec;
use trevni::io::AtomicFile;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "target/example.trv".to_owned());
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("price", DataType::Float64, true),
        Field::new("city", DataType::Utf8, true),
    ]));
    let properties = WriterProperties::builder()
        .set_codec(Codec::Pack)
        .set_column_bloom_filter_enabled("city", true)
        .build();

    // The file appears at its path when it is committed, complete and on disk.
    let file = AtomicFile::create(&path)?;
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))?;
    for start in (0..100_000).step_by(10_000) {
        let ids = start..start + 10_000;
        let prices = ids.clone().map(|id| (id % 7 != 0).then_some(id as f64 / 100.0));
        let names = [Some("Ulm"), Some("Bonn"), Some("Kiel"), None].into_iter().cycle();
        let cities = names.take(ids.clone().count());
        let batch = RecordBatch::try_new(
            schema.clone(),
            vec![
                Arc::new(Int64Array::from_iter_values(ids.clone())),
                Arc::new(Float64Array::from_iter(prices)),
                Arc::new(StringArray::from_iter(cities)),
            ],
        )?;
        writer.write(&batch)?;
    }
    let (file, summary) = writer.finish()?;
    file.commit()?;
    println!("{path}: {} rows, {} bytes", summary.rows, summary.bytes);
    for column in summary.columns {
        println!("  {}: {} blocks, {} bytes", column.name, column.blocks, column.compressed_size);
    }
    Ok(())
}
