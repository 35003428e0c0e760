//! The tables and queries of a benchmark.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum;
use datafusion::arrow::array::RecordBatch;
use datafusion::datasource::MemTable;
use datafusion::error::Result;

use crate::engines::Engine;
use crate::{tpch, web_log};

/// A benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Workload {
    /// The 22 queries of TPC-H. At scale 1, lineitem has six million rows.
    Tpch,
    /// 43 queries like those of ClickBench, over a generated table of its schema. At scale 1, it has two million rows.
    WebLog,
}

impl Workload {
    /// Returns the names of the tables.
    pub fn tables(self) -> &'static [&'static str] {
        match self {
            Workload::Tpch => &tpch::TABLES,
            Workload::WebLog => &web_log::TABLES,
        }
    }

    /// Returns the queries, the first of them number 1.
    pub fn queries(self) -> Vec<&'static str> {
        match self {
            Workload::Tpch => tpch::queries(),
            Workload::WebLog => web_log::queries(),
        }
    }

    /// Makes the files of a format that do not exist yet.
    pub async fn make(self, data: &Path, scale: f64, engine: Engine) -> Result<()> {
        let ((folder, extension), (name, options)) = (engine.files(), engine.stored_as());
        let folder = data.join(folder);
        fs::create_dir_all(&folder)?;
        // One partition, so that rows keep their order.
        let context = engine.context(1)?;
        for table in self.tables() {
            let path = folder.join(format!("{table}.{extension}"));
            if path.exists() {
                continue;
            }
            let batches = self.batches(table, scale)?;
            let source = MemTable::try_new(batches[0].schema(), vec![batches])?;
            context.register_table(*table, Arc::new(source))?;
            let path = path.display();
            let copy = format!("COPY {table} TO '{path}' STORED AS {name} {options}");
            context.sql(&copy).await?.collect().await?;
            context.deregister_table(*table)?;
        }
        Ok(())
    }

    fn batches(self, table: &str, scale: f64) -> Result<Vec<RecordBatch>> {
        match self {
            Workload::Tpch => tpch::batches(table, scale),
            Workload::WebLog => web_log::batches(scale),
        }
    }
}
