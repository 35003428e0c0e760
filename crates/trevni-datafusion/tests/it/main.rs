//! Tables of Trevni files in SQL, compared with the same rows in memory.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]

mod blosc;
mod dataset;
mod proto;
mod pushdown;
mod tables;
mod write;

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Date32Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    StructArray,
};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use trevni::arrow::{ArrowWriter, WriterProperties};
use trevni::codec::Codec;
use trevni_datafusion::SessionContextExt;

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Returns rows with numbers, text, nulls, dates and a struct.
fn rows(range: std::ops::Range<i64>) -> RecordBatch {
    let n = || range.clone();
    let small = |n: i64| i32::try_from(n % 1000).unwrap();
    let names = ["ash", "beech", "cedar", "elm", "fir"];
    let name = |n: i64| (n % 7 != 0).then(|| names[usize::try_from(n % 5).unwrap()]);
    let inner: ArrayRef = Arc::new(Int32Array::from_iter_values(n().map(|n| small(n * 3))));
    let field = Arc::new(Field::new("x", DataType::Int32, false));
    let columns: [(&str, ArrayRef); 6] = [
        ("id", Arc::new(Int64Array::from_iter_values(n()))),
        ("code", Arc::new(Int32Array::from_iter_values(n().map(|n| small(n * n % 7919))))),
        ("name", Arc::new(n().map(name).collect::<StringArray>())),
        ("price", Arc::new(n().map(|n| Some(n as f64 / 4.0)).collect::<Float64Array>())),
        ("day", Arc::new(n().map(|n| (n % 11 != 0).then(|| small(n))).collect::<Date32Array>())),
        ("s", Arc::new(StructArray::from(vec![(field, inner)]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .unwrap()
}

/// Writes rows to a file.
fn write(path: &std::path::Path, batch: &RecordBatch, codec: Codec) {
    let properties = WriterProperties::builder().set_codec(codec).set_block_size(16_384);
    let properties = properties.set_block_rows(4096).build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Returns a session with several partitions, in which files are split however small they are.
fn session() -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(3).with_batch_size(1000);
    config.options_mut().optimizer.repartition_file_min_size = 1;
    let ctx = SessionContext::new_with_config(config);
    ctx.register_trevni_format().unwrap();
    ctx
}

/// Registers rows in memory as a table.
fn expect(ctx: &SessionContext, name: &str, batch: &RecordBatch) {
    let table = MemTable::try_new(batch.schema(), vec![vec![batch.clone()]]).unwrap();
    ctx.register_table(name, Arc::new(table)).unwrap();
}

async fn query(ctx: &SessionContext, sql: &str) -> String {
    let frame = ctx.sql(sql).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
    let batches = frame.collect().await.unwrap_or_else(|e| panic!("{sql}: {e}"));
    pretty_format_batches(&batches).unwrap().to_string()
}
