//! The tables of TPC-H, as the generator makes them, and the queries.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::error::Result;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator,
    PartSuppGenerator, RegionGenerator, SupplierGenerator,
};
use tpchgen_arrow::{
    CustomerArrow, LineItemArrow, NationArrow, OrderArrow, PartArrow, PartSuppArrow, RegionArrow,
    SupplierArrow,
};

pub const TABLES: [&str; 8] =
    ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"];

/// Returns the rows of a table.
pub fn batches(table: &str, scale: f64) -> Result<Vec<RecordBatch>> {
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
        [$(include_str!(concat!("../queries/tpch/q", $number, ".sql"))),*]
    };
}

/// Returns the queries with their numbers.
pub fn queries() -> Vec<&'static str> {
    let texts = texts!(
        "01" "02" "03" "04" "05" "06" "07" "08" "09" "10" "11"
        "12" "13" "14" "15" "16" "17" "18" "19" "20" "21" "22"
    );
    texts.to_vec()
}
