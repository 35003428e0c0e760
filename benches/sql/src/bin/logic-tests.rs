//! Runs DataFusion's own tests of file formats, first as they are, and then with Trevni in Parquet's place.
//!
//! ```text
//! copy.slt ──► STORED AS PARQUET, *.parquet ──► answers that are as expected: the base
//!          ──► STORED AS TREVNI, *.trv      ──► answers that are as expected, and each that is not
//! ```
//! A test that fails in the base (because a file of DataFusion's repository is missing) is not counted. The tests come
//! with the sources of the crate `datafusion-sqllogictest`:
//!
//! ```sh
//! mkdir -p /tmp/slt/datafusion
//! cp -r ~/.cargo/registry/src/*/datafusion-sqllogictest-55.2.0 /tmp/slt/datafusion/sqllogictest
//! git clone https://github.com/apache/parquet-testing /tmp/slt/parquet-testing
//! cargo run --features logic-tests --bin logic-tests -- /tmp/slt/datafusion/sqllogictest copy parquet insert
//! ```

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use clap::Parser;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use datafusion_sqllogictest::{
    DFColumnType, DFOutput, DFSqlLogicTestError, DataFusion, TestContext, df_value_validator,
    value_normalizer,
};
use indicatif::ProgressBar;
use sqllogictest::{AsyncDB, DBOutput, Record, Runner, strict_column_validator};
use trevni_datafusion::SessionContextExt;

/// Runs DataFusion's own tests of file formats with Trevni in Parquet's place.
#[derive(Debug, Parser)]
struct Args {
    /// The folder of the crate `datafusion-sqllogictest`; files are written below it.
    folder: PathBuf,
    /// Files of tests, without `.slt`.
    tests: Vec<String>,
}

/// A session whose answers do not name the folder it runs in.
struct Session {
    inner: DataFusion,
    folder: String,
}

#[async_trait]
impl AsyncDB for Session {
    type Error = DFSqlLogicTestError;
    type ColumnType = DFColumnType;

    async fn run(&mut self, sql: &str) -> Result<DFOutput, DFSqlLogicTestError> {
        let mut output = self.inner.run(sql).await?;
        if let DBOutput::Rows { rows, .. } = &mut output {
            let root = "WORKSPACE_ROOT/datafusion/sqllogictest";
            for cell in rows.iter_mut().flatten() {
                *cell = cell.replace(&self.folder, root);
            }
        }
        Ok(output)
    }

    fn engine_name(&self) -> &str {
        self.inner.engine_name()
    }

    async fn sleep(duration: Duration) {
        tokio::time::sleep(duration).await;
    }

    async fn shutdown(&mut self) {
        self.inner.shutdown().await;
    }
}

/// A test that did not give what was expected.
struct Failure {
    line: u32,
    error: String,
}

/// Runs a file. Returns the number of its tests, and those that failed.
async fn run(folder: &Path, file: &Path) -> Result<(usize, Vec<Failure>), Box<dyn Error>> {
    let context = TestContext::try_new_for_test_file(file).await;
    let context = context.ok_or("a test that this build leaves out")?;
    context.session_ctx().register_trevni_format()?;
    let folder = folder.display().to_string().trim_start_matches('/').to_owned();
    let mut runner = Runner::new(|| async {
        let progress = ProgressBar::hidden().with_message("0");
        let session = context.session_ctx().clone();
        let inner = DataFusion::new(session, file.to_owned(), progress);
        Ok(Session { inner, folder: folder.clone() })
    });
    runner.add_label("Datafusion");
    runner.with_column_validator(strict_column_validator);
    runner.with_normalizer(value_normalizer);
    runner.with_validator(df_value_validator);
    let (mut tests, mut failures) = (0, Vec::new());
    for record in sqllogictest::parse_file::<DFColumnType>(file)? {
        let line = match &record {
            Record::Statement { loc, .. } | Record::Query { loc, .. } => Some(loc.line()),
            _ => None,
        };
        tests += usize::from(line.is_some());
        if let Err(e) = runner.run_async(record).await {
            let error = e.to_string();
            failures.push(Failure { line: line.unwrap_or(0), error });
        }
    }
    Ok((tests, failures))
}

/// Removes what a test may have written.
fn clear(folder: &Path, test: &str) -> std::io::Result<()> {
    let scratch = folder.join("test_files/scratch").join(test);
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch)?;
    }
    std::fs::create_dir_all(scratch)
}

/// Puts Trevni in Parquet's place.
fn with_trevni(text: &str) -> String {
    let (setting, kept) = ("datafusion.execution.parquet", "\0");
    text.replace(setting, kept)
        .replace("STORED AS PARQUET", "STORED AS TREVNI")
        .replace("stored as parquet", "stored as trevni")
        .replace("STORED AS parquet", "STORED AS trevni")
        .replace(".parquet", ".trv")
        .replace("file_type=parquet", "file_type=trevni")
        .replace("format=parquet", "format=trevni")
        .replace("ParquetSink", "TrevniSink")
        .replace("'format.compression' 'zstd(10)'", "'format.codec' 'zstd'")
        .replace("format.compression zstd(10)", "format.codec zstd")
        .replace(kept, setting)
}

/// Converts the Parquet files that a test reads and does not write, where they exist.
async fn convert(text: &str) -> Result<(), Box<dyn Error>> {
    let ctx = SessionContext::new();
    ctx.register_trevni_format()?;
    for path in text.split('\'').filter(|path| path.ends_with(".parquet")) {
        let to = path.replace(".parquet", ".trv");
        if path.contains("scratch") || !Path::new(path).is_file() || Path::new(&to).exists() {
            continue;
        }
        let rows = ctx.read_parquet(path, ParquetReadOptions::default()).await?;
        ctx.register_table("rows", rows.into_view())?;
        ctx.sql(&format!("COPY rows TO '{to}' STORED AS TREVNI")).await?.collect().await?;
        ctx.deregister_table("rows")?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let folder = args.folder.canonicalize()?;
    // The tests name files from here.
    std::env::set_current_dir(&folder)?;
    println!(
        "| file | tests | as expected with Parquet | of these with Trevni |\n|---|--:|--:|--:|"
    );
    let mut lines = Vec::new();
    for test in &args.tests {
        clear(&folder, test)?;
        let path = PathBuf::from(format!("test_files/{test}.slt"));
        let (tests, base) = run(&folder, &path).await?;
        let base: BTreeSet<u32> = base.iter().map(|failure| failure.line).collect();
        clear(&folder, test)?;
        let original = std::fs::read_to_string(&path)?;
        convert(&original).await?;
        std::fs::write(&path, with_trevni(&original))?;
        let result = run(&folder, &path).await;
        std::fs::write(&path, original)?;
        let mut failures = result?.1;
        failures.retain(|failure| !base.contains(&failure.line));
        let expected = tests - base.len();
        println!("| {test} | {tests} | {expected} | {} |", expected - failures.len());
        let line = |f: &Failure| format!("{test}.slt:{}\n{}\n", f.line, f.error);
        lines.extend(failures.iter().map(line));
    }
    println!("\n{}", lines.join("\n"));
    Ok(())
}
