//! The formats, and their options.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use trevni_datafusion::SessionContextExt;

use crate::workload::Workload;

/// A format, with the options of writing and reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// As DataFusion reads it by default: filters are evaluated on decoded batches.
    Parquet,
    /// The same files; filters are evaluated while they are read.
    ParquetPushdown,
    /// As DataFusion writes and reads it by default: Zstandard at level 3.
    ParquetZstd,
    /// The same rows in memory: what a query takes beside its scan.
    Memory,
    TrevniSnappy,
    TrevniPack,
    #[cfg(feature = "vortex")]
    Vortex,
}

impl Engine {
    pub const ALL: &[(Engine, &str)] = &[
        (Engine::Parquet, "parquet"),
        (Engine::ParquetPushdown, "parquet-pushdown"),
        (Engine::ParquetZstd, "parquet-zstd3"),
        (Engine::Memory, "memory"),
        (Engine::TrevniSnappy, "trevni-snappy"),
        (Engine::TrevniPack, "trevni-pack"),
        #[cfg(feature = "vortex")]
        (Engine::Vortex, "vortex"),
    ];

    /// Returns the folder of its files, and how they end.
    pub fn files(self) -> (&'static str, &'static str) {
        match self {
            Engine::Parquet | Engine::ParquetPushdown | Engine::Memory => ("parquet", "parquet"),
            Engine::ParquetZstd => ("parquet-zstd3", "parquet"),
            Engine::TrevniSnappy => ("trevni-snappy", "trv"),
            Engine::TrevniPack => ("trevni-pack", "trv"),
            #[cfg(feature = "vortex")]
            Engine::Vortex => ("vortex", "vortex"),
        }
    }

    /// Returns the name of the format in SQL, and the options of writing.
    pub fn stored_as(self) -> (&'static str, &'static str) {
        match self {
            Engine::Parquet | Engine::ParquetPushdown | Engine::Memory => {
                ("PARQUET", "OPTIONS ('format.compression' 'snappy')")
            }
            Engine::ParquetZstd => ("PARQUET", "OPTIONS ('format.compression' 'zstd(3)')"),
            Engine::TrevniSnappy => ("TREVNI", "OPTIONS ('format.codec' 'snappy')"),
            Engine::TrevniPack => ("TREVNI", "OPTIONS ('format.codec' 'pack')"),
            #[cfg(feature = "vortex")]
            Engine::Vortex => ("VORTEX", ""),
        }
    }

    /// Returns a session that knows the format.
    pub fn context(self, partitions: usize) -> Result<SessionContext> {
        let mut config = SessionConfig::new().with_target_partitions(partitions);
        let parquet = &mut config.options_mut().execution.parquet;
        parquet.pushdown_filters = self == Engine::ParquetPushdown;
        parquet.reorder_filters = self == Engine::ParquetPushdown;
        #[cfg(feature = "vortex")]
        if self == Engine::Vortex {
            return Ok(vortex(config));
        }
        let context = SessionContext::new_with_config(config);
        context.register_trevni_format()?;
        Ok(context)
    }

    /// Returns a session with the tables.
    pub async fn session(
        self,
        workload: Workload,
        data: &Path,
        partitions: usize,
    ) -> Result<SessionContext> {
        let context = self.context(partitions)?;
        let ((folder, extension), (name, _)) = (self.files(), self.stored_as());
        for table in workload.tables() {
            let path = data.join(folder).join(format!("{table}.{extension}"));
            let path = path.display();
            let create =
                format!("CREATE EXTERNAL TABLE {table} STORED AS {name} LOCATION '{path}'");
            context.sql(&create).await?;
            if self == Engine::Memory {
                let frame = context.table(*table).await?;
                let schema = frame.schema().inner().clone();
                let batches = frame.collect_partitioned().await?;
                context.deregister_table(*table)?;
                let memory = MemTable::try_new(schema, batches)?;
                context.register_table(*table, Arc::new(memory))?;
            }
        }
        Ok(context)
    }
}

#[cfg(feature = "vortex")]
fn vortex(config: SessionConfig) -> SessionContext {
    use datafusion::datasource::listing_table_factory::ListingTableFactory;
    use datafusion::execution::SessionStateBuilder;
    use vortex_datafusion::VortexFormatFactory;

    let mut state = SessionStateBuilder::new().with_config(config).with_default_features();
    if let Some(formats) = state.file_formats() {
        formats.push(Arc::new(VortexFormatFactory::new()));
    }
    let state = state.with_table_factory("VORTEX".into(), Arc::new(ListingTableFactory::new()));
    SessionContext::new_with_state(state.build())
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(engine, _)| engine == self);
        f.pad(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names: Vec<_> = Self::ALL.iter().map(|(_, name)| *name).collect();
        let found = Self::ALL.iter().find(|(_, name)| *name == text);
        found.map(|(engine, _)| *engine).ok_or_else(|| format!("none of {}", names.join(", ")))
    }
}
