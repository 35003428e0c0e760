//! The tables of TPC-H, as the generator makes them, and the queries.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator,
    PartSuppGenerator, RegionGenerator, SupplierGenerator,
};
use tpchgen_arrow::{
    CustomerArrow, LineItemArrow, NationArrow, OrderArrow, PartArrow, PartSuppArrow, RegionArrow,
    SupplierArrow,
};

use crate::engines::Engine;

pub const TABLES: [&str; 8] =
    ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"];

/// Makes the files of a format that do not exist yet.
pub async fn make(data: &Path, scale: f64, engine: Engine) -> Result<()> {
    let ((folder, extension), (name, options)) = (engine.files(), engine.stored_as());
    let folder = data.join(folder);
    fs::create_dir_all(&folder)?;
    // One partition, so that rows keep their order.
    let context = engine.context(1)?;
    for table in TABLES {
        let path = folder.join(format!("{table}.{extension}"));
        if path.exists() {
            continue;
        }
        let batches = batches(table, scale)?;
        let source = MemTable::try_new(batches[0].schema(), vec![batches])?;
        context.register_table(table, Arc::new(source))?;
        let path = path.display();
        let copy = format!("COPY {table} TO '{path}' STORED AS {name} {options}");
        context.sql(&copy).await?.collect().await?;
        context.deregister_table(table)?;
    }
    Ok(())
}

fn batches(table: &str, scale: f64) -> Result<Vec<RecordBatch>> {
    type Batches = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>>>;
    let rows: Batches = match table {
        "customer" => Box::new(CustomerArrow::new(CustomerGenerator::new(scale, 1, 1))),
        "lineitem" => Box::new(LineItemArrow::new(LineItemGenerator::new(scale, 1, 1))),
        "nation" => Box::new(NationArrow::new(NationGenerator::new(scale, 1, 1))),
        "orders" => Box::new(OrderArrow::new(OrderGenerator::new(scale, 1, 1))),
        "part" => Box::new(PartArrow::new(PartGenerator::new(scale, 1, 1))),
        "partsupp" => Box::new(PartSuppArrow::new(PartSuppGenerator::new(scale, 1, 1))),
        "region" => Box::new(RegionArrow::new(RegionGenerator::new(scale, 1, 1))),
        _ => Box::new(SupplierArrow::new(SupplierGenerator::new(scale, 1, 1))),
    };
    Ok(rows.collect::<std::result::Result<_, _>>()?)
}

macro_rules! texts {
    ($($number:literal)*) => {
        [$(($number, include_str!(concat!("../queries/tpch/q", $number, ".sql")))),*]
    };
}

/// Returns the queries with their numbers.
pub fn queries() -> impl Iterator<Item = (usize, &'static str)> {
    let texts = texts!(
        "01" "02" "03" "04" "05" "06" "07" "08" "09" "10" "11"
        "12" "13" "14" "15" "16" "17" "18" "19" "20" "21" "22"
    );
    texts.into_iter().enumerate().map(|(i, (_, text))| (i + 1, text))
}
