//! Writes many gigabytes of rows under a small memory budget, and says what it wrote.
//!
//! `cargo run --release --example large -- OUT GIGABYTES BUDGET_MB`; watch it with `/usr/bin/time -v`.
#![allow(clippy::cast_possible_truncation)]

use std::error::Error;
use std::io::BufWriter;
use std::sync::Arc;

use arrow::array::{Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use trevni::arrow::{ArrowWriter, WriterProperties};
use trevni::io::AtomicFile;

const ROWS: i64 = 65_536;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next =
        |what: &str| arguments.next().ok_or(format!("no {what}: OUT GIGABYTES BUDGET_MB"));
    let path = next("path")?;
    let bytes = next("size")?.parse::<usize>()? << 30;
    let budget = next("budget")?.parse::<usize>()? << 20;

    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("x", DataType::Float64, true),
        Field::new("text", DataType::Utf8, false),
    ]));
    let properties = WriterProperties::builder().set_memory_budget(budget).build();
    let mut file = AtomicFile::create(&path)?;
    let mut writer =
        ArrowWriter::try_new(BufWriter::new(&mut file), schema.clone(), Some(properties))?;
    let (mut written, mut row) = (0, 0i64);
    while written < bytes {
        let noise = |i: i64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.cast_signed()) >> 11) as f64;
        let ids: Int64Array = (row..row + ROWS).collect();
        let x: Float64Array = (row..row + ROWS).map(|i| (i % 7 > 0).then(|| noise(i))).collect();
        let text: StringArray = (row..row + ROWS)
            .map(|i| Some(format!("row {i} of {:016x}", noise(i).to_bits())))
            .collect();
        let batch =
            RecordBatch::try_new(schema.clone(), vec![Arc::new(ids), Arc::new(x), Arc::new(text)])?;
        written += batch.get_array_memory_size();
        writer.write(&batch)?;
        row += ROWS;
    }
    let summary = writer.close()?;
    file.commit()?;
    println!("{} rows, {written} bytes in memory, {} in the file", summary.rows, summary.bytes);
    Ok(())
}
