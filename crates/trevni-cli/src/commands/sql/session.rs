//! A session of DataFusion: its tables, and the rows of its queries.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow::compute::cast;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use datafusion::catalog::{DynamicFileCatalog, UrlTableFactory};
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::{DFParserBuilder, Statement};
use futures_util::StreamExt;
use tokio::runtime::{Builder, Handle, Runtime};
use trevni::arrow::without_view_types;
use trevni_convert::Rows;
use trevni_datafusion::SessionContextExt;

use super::checked_sum::checked_sum;
use super::error::{fault, message};
use super::spilling_sort::SpillingSort;
use super::stores::Stores;
use super::tables::FileTables;
use crate::args::memory;
use crate::exit::CliError;
use crate::input::path::PIPE;
use crate::input::rows::ReadArgs;
use crate::stdout;

/// A session, and the runtime of its queries.
pub(super) struct SqlSession {
    runtime: Runtime,
    context: SessionContext,
    tables: Arc<FileTables>,
}

/// Returns where queries run: with a limit of memory, sorts and groups use temporary files beyond it. Joins do
/// not: DataFusion keeps one of their sides in memory.
fn runtime_env() -> Result<Arc<RuntimeEnv>, CliError> {
    let builder = RuntimeEnvBuilder::new().with_object_store_registry(Arc::new(Stores::default()));
    let builder = match memory::limit() {
        Some(bytes) => builder.with_memory_pool(Arc::new(FairSpillPool::new(bytes))),
        None => builder,
    };
    builder.build_arc().map_err(fault)
}

/// What a statement returns.
pub(super) struct Query {
    /// What it is called in errors.
    pub(super) name: String,
    /// None for a statement that only changes something.
    pub(super) rows: Option<Rows>,
}

impl SqlSession {
    /// Creates a session that reads files with some options.
    pub(super) fn try_new(read: &ReadArgs) -> Result<Self, CliError> {
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        let config = SessionConfig::new().with_information_schema(true);
        let context = SessionContext::new_with_config_rt(config, runtime_env()?);
        context.register_trevni_format().map_err(fault)?;
        context.register_udaf(checked_sum());
        let of_files = SessionContext::new_with_state(context.state());
        let tables = Arc::new(FileTables::new(read.clone(), of_files));
        let catalogs = context.state().catalog_list().clone();
        let factory: Arc<dyn UrlTableFactory> = tables.clone();
        let catalogs = DynamicFileCatalog::new(catalogs, factory);
        let mut builder = context.into_state_builder().with_catalog_list(Arc::new(catalogs));
        if memory::limit().is_some() {
            builder = builder.with_physical_optimizer_rule(Arc::new(SpillingSort));
        }
        let state = builder.build();
        let context = SessionContext::new_with_state(state);
        Ok(Self { runtime, context, tables })
    }

    /// Adds a table: `FILE`, which it is named after, or `NAME=FILE`.
    pub(super) fn add_table(&self, argument: &str) -> Result<(), CliError> {
        let (name, path) = match argument.split_once('=') {
            Some((name, path)) if is_name(name) && !Path::new(argument).exists() => {
                (name.to_owned(), path)
            }
            _ => (table_name(argument), argument),
        };
        let table = self.runtime.block_on(self.tables.table(PathBuf::from(path)));
        let table = table.map_err(fault)?;
        let Some(table) = table else {
            return Err(CliError::Data(format!("{path}: no such file")));
        };
        if self.context.table_exist(name.as_str()).map_err(fault)? {
            let text = format!("two tables are called {name}: NAME={path} gives another name");
            return Err(CliError::Usage(text));
        }
        let reference = datafusion::common::TableReference::bare(name);
        self.context.register_table(reference, table).map_err(fault)?;
        Ok(())
    }

    /// Returns the statements of a text.
    pub(super) fn parse(&self, text: &str) -> Result<Vec<Statement>, CliError> {
        let parser = DFParserBuilder::new(text).build();
        let statements = parser.and_then(|mut parser| parser.parse_statements());
        statements.map(Vec::from).map_err(|e| CliError::Usage(message(&e)))
    }

    /// Starts a statement.
    pub(super) fn query(&self, statement: Statement) -> Result<Query, CliError> {
        let name = "SQL".to_owned();
        let stream = self.runtime.block_on(async {
            let plan = self.context.state().statement_to_plan(statement).await?;
            let is_silent = matches!(plan, LogicalPlan::Ddl(_) | LogicalPlan::Statement(_));
            let frame = self.context.execute_logical_plan(plan).await?;
            let stream = frame.execute_stream().await?;
            Ok::<_, DataFusionError>((!is_silent).then_some(stream))
        });
        let runtime = self.runtime.handle().clone();
        let rows = stream.map_err(fault)?.map(|stream| {
            let schema = Arc::new(without_view_types(&stream.schema()));
            Box::new(QueryRows { runtime, schema, stream }) as Rows
        });
        Ok(Query { name, rows })
    }

    /// Prints the plans of an `EXPLAIN`.
    pub(super) fn print_plan(&self, query: Query) -> Result<(), CliError> {
        use std::io::Write;
        let mut out = stdout::stdout();
        for batch in query.rows.into_iter().flatten() {
            let batch = batch.map_err(|e| fault(e.into()))?;
            let (Some(kinds), Some(plans)) = (text(&batch, 0), text(&batch, 1)) else { continue };
            for (kind, plan) in kinds.into_iter().zip(plans) {
                writeln!(out, "{kind}:\n{}\n", plan.trim_end())?;
            }
        }
        out.flush()?;
        Ok(())
    }

    /// Returns the names of all tables and of their columns.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for catalog in self.context.catalog_names() {
            let Some(catalog) = self.context.catalog(&catalog) else { continue };
            for schema in catalog.schema_names() {
                let Some(schema) = catalog.schema(&schema) else { continue };
                for name in schema.table_names() {
                    let table = self.runtime.block_on(schema.table(&name));
                    names.push(name);
                    let Ok(Some(table)) = table else { continue };
                    names.extend(table.schema().fields().iter().map(|field| field.name().clone()));
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Returns the strings of a column.
fn text(batch: &RecordBatch, column: usize) -> Option<Vec<String>> {
    let strings = batch.columns().get(column)?.as_string_opt::<i32>()?;
    Some(strings.iter().map(|text| text.unwrap_or_default().to_owned()).collect())
}

/// The rows of a query, which run on the threads of the runtime.
struct QueryRows {
    runtime: Handle,
    /// That of files, without views.
    schema: SchemaRef,
    stream: SendableRecordBatchStream,
}

impl Iterator for QueryRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.runtime.block_on(self.stream.next())?;
        let next = next.map_err(|e| ArrowError::ExternalError(message(&e).into()));
        Some(next.and_then(|batch| stored(&batch, &self.schema)))
    }
}

/// Returns a batch with the types of a schema.
fn stored(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| match column.data_type() == field.data_type() {
        true => Ok(column.clone()),
        false => cast(column, field.data_type()),
    });
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns.collect::<Result<_, _>>()?, &options)
}

impl RecordBatchReader for QueryRows {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Returns whether a text is a name that needs no quotes.
fn is_name(text: &str) -> bool {
    let is_inside = |c: char| c == '_' || c.is_ascii_alphanumeric();
    text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()) && text.chars().all(is_inside)
}

/// Returns the name of the table of a file: the name of the file up to its first dot, in lower case as SQL takes names
/// without quotes. Other characters than letters and digits become `_`.
fn table_name(path: &str) -> String {
    if path == PIPE {
        return "stdin".to_owned();
    }
    let path = path.split(['?', '#']).next().unwrap_or(path).trim_end_matches('/');
    let parts = path.rsplit('/').find(|part| !part.contains(['*', '[']) && !part.is_empty());
    let stem = parts.and_then(|part| part.split('.').find(|stem| !stem.is_empty()));
    let sign = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = stem.unwrap_or("table").chars().map(sign).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_after_files() {
        let cases = [
            ("data/quakes.csv.gz", "quakes"),
            ("s3://bucket/a b-C.parquet", "a_b_c"),
            ("data/year=2024/*.trv", "year_2024"),
            ("2024.csv", "_2024"),
            ("set/", "set"),
            ("https://host/path/x.trv?y=z", "x"),
            ("-", "stdin"),
        ];
        for (path, name) in cases {
            assert_eq!(table_name(path), name, "{path}");
        }
        assert!(is_name("a_1") && !is_name("1a") && !is_name("a/b") && !is_name(""));
    }
}
