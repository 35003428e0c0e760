//! Reads all rows of a file in batches: `cargo run --example read -- FILE`.

use std::error::Error;
use std::fs::File;

use trevni::arrow::ArrowReaderBuilder;

fn main() -> Result<(), Box<dyn Error>> {
    let path =
        std::env::args().nth(1).unwrap_or_else(|| "testdata/trevni/avro-maps.trv".to_owned());
    let builder = ArrowReaderBuilder::try_new(File::open(&path)?)?;
    println!("{path}: {} rows", builder.rows());
    for field in builder.schema().fields() {
        println!("  {}: {}", field.name(), field.data_type());
    }
    let reader = builder.with_batch_size(1024).with_parallelism(2).build()?;
    let mut rows = 0;
    for batch in reader {
        let batch = batch?;
        if rows == 0 {
            println!("{:?}", batch.slice(0, batch.num_rows().min(5)));
        }
        rows += batch.num_rows();
    }
    println!("{rows} rows read");
    Ok(())
}
