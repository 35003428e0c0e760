//! Runs the queries of TPC-H, or queries like those of ClickBench, over files of several formats, in one process.
//!
//! ```text
//! tables ──► files, of each format      made once in --data
//! query 1    format a, b, c, a, b, c, ...    warm; medians and least times; answers compared with those of the first format
//! query 2    ...
//! ```

mod answers;
mod engines;
mod report;
mod tpch;
mod web_log;
mod workload;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser;
use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::SessionContext;

use engines::Engine;
use report::Report;
use workload::Workload;

/// Batches pass between threads, which glibc's allocator makes them wait for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the queries of TPC-H, or queries like those of ClickBench, over files of several formats.
#[derive(Debug, Parser)]
struct Args {
    /// The folder of the tables; they are made if it has none.
    #[arg(long)]
    data: PathBuf,
    #[arg(long, value_enum, default_value = "tpch")]
    workload: Workload,
    /// The scale factor.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// The formats; the first is the one that others are compared with.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "parquet,parquet-pushdown,parquet-zstd3,memory,trevni-snappy,trevni-pack"
    )]
    engines: Vec<Engine>,
    /// The queries, by number. Default: all.
    #[arg(long, value_delimiter = ',')]
    queries: Vec<usize>,
    #[arg(long, default_value_t = 11)]
    repetitions: usize,
    /// The partitions of a plan.
    #[arg(long, default_value_t = 2)]
    partitions: usize,
    /// Settings of all sessions, as `trevni.pushdown_filters=false`.
    #[arg(long = "set")]
    settings: Vec<String>,
    /// Where to write the results as JSON.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Prints the plans with their metrics instead.
    #[arg(long)]
    explain: bool,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(args.partitions)
        .enable_all()
        .build()?;
    runtime.block_on(run(args))
}

async fn run(args: Args) -> Result<()> {
    let mut sessions = Vec::new();
    for engine in &args.engines {
        args.workload.make(&args.data, args.scale, *engine).await?;
        let session = engine.session(args.workload, &args.data, args.partitions).await?;
        for setting in &args.settings {
            session.sql(&format!("SET {setting}")).await?;
        }
        sessions.push((*engine, session));
    }
    let mut report = Report::new(&args.engines, &args.data)?;
    for (number, text) in (1..).zip(args.workload.queries()) {
        if !args.queries.is_empty() && !args.queries.contains(&number) {
            continue;
        }
        if args.explain {
            explain(&sessions, text).await?;
            continue;
        }
        let mut expected: Option<Vec<RecordBatch>> = None;
        let mut times = vec![Vec::new(); sessions.len()];
        for round in 0..=args.repetitions {
            for (place, ((engine, session), times)) in sessions.iter().zip(&mut times).enumerate() {
                if round > 0 {
                    let start = Instant::now();
                    session.sql(text).await?.collect().await?;
                    times.push(start.elapsed().as_secs_f64());
                    continue;
                }
                let plan = session.sql(text).await?.create_physical_plan().await?;
                let batches = collect(plan.clone(), session.task_ctx()).await?;
                report.add_read(place, bytes_read(&plan));
                match &expected {
                    None => expected = Some(batches),
                    Some(expected) => answers::compare(expected, &batches).map_err(|e| {
                        e.context(format!("query {number}: {engine} does not answer as the first"))
                    })?,
                }
            }
        }
        report.add(number, times);
    }
    if !args.explain {
        report.finish(args.out.as_deref())?;
    }
    Ok(())
}

/// Returns the bytes that the scans of a plan have read, without headers and footers that are in a cache.
fn bytes_read(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let metrics = plan.metrics();
    let here = metrics.and_then(|metrics| metrics.sum_by_name("bytes_scanned"));
    let below: usize = plan.children().into_iter().map(bytes_read).sum();
    here.map_or(0, |bytes| bytes.as_usize()) + below
}

async fn explain(sessions: &[(Engine, SessionContext)], text: &str) -> Result<()> {
    for (engine, session) in sessions {
        println!("{engine}");
        session.sql(&format!("explain analyze {text}")).await?.show().await?;
    }
    Ok(())
}
