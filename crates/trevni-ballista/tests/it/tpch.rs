//! The tables of TPC-H, and queries of several stages.

#[path = "../../../../benches/sql/src/tpch.rs"]
mod generated;

use std::sync::Arc;

use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;

pub(crate) use generated::TABLES;

/// Returns the queries 1, 3, 6, 9 and 18, with their numbers.
pub(crate) fn queries() -> [(usize, &'static str); 5] {
    let queries = generated::queries();
    [1, 3, 6, 9, 18].map(|number| (number, queries[number - 1]))
}

/// Returns a session of this process with all tables in memory.
pub(crate) fn in_memory(scale: f64) -> SessionContext {
    let ctx = SessionContext::new();
    for table in TABLES {
        let batches = generated::batches(table, scale).unwrap();
        let rows = MemTable::try_new(batches[0].schema(), vec![batches]).unwrap();
        ctx.register_table(table, Arc::new(rows)).unwrap();
    }
    ctx
}

/// Writes all tables as CSV.
pub(crate) async fn write_csv(ctx: &SessionContext, folder: &std::path::Path) {
    for table in TABLES {
        let path = folder.join(format!("{table}.csv"));
        let sql = format!("COPY {table} TO '{}' STORED AS CSV", path.display());
        ctx.sql(&sql).await.unwrap().collect().await.unwrap();
    }
}

/// Returns the statement that declares a table of CSV files with the types of the one in memory.
pub(crate) async fn csv_table(
    ctx: &SessionContext,
    folder: &std::path::Path,
    table: &str,
) -> String {
    let schema = ctx.table(table).await.unwrap();
    let column = |field: &Arc<datafusion::arrow::datatypes::Field>| {
        use datafusion::arrow::datatypes::DataType::{Date32, Decimal128, Int32, Int64};
        let data_type = match field.data_type() {
            Int64 => "BIGINT".to_owned(),
            Int32 => "INT".to_owned(),
            Date32 => "DATE".to_owned(),
            Decimal128(precision, scale) => format!("DECIMAL({precision}, {scale})"),
            _ => "VARCHAR".to_owned(),
        };
        format!("{} {data_type}", field.name())
    };
    let columns: Vec<String> = schema.schema().fields().iter().map(column).collect();
    format!(
        "CREATE EXTERNAL TABLE {table}_csv ({}) STORED AS CSV LOCATION '{}' OPTIONS ('format.has_header' 'true')",
        columns.join(", "),
        folder.join(format!("{table}.csv")).display()
    )
}
