//! Runs SQL on a cluster and prints the rows.

use std::io::{Read, Write};
use std::process::ExitCode;

use clap::Parser;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::DFParser;

/// Runs SQL on a cluster and prints the rows.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// The scheduler.
    #[arg(long, default_value = "df://localhost:50050", value_name = "URL")]
    scheduler: String,

    /// Sets an option of the session first, such as `s3.endpoint=http://host:9000`.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,

    /// Statements, separated by semicolons; `-` reads them from the standard input.
    #[arg(value_name = "SQL", required = true)]
    statements: Vec<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(DataFusionError::IoError(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("trevni-client: {e}");
            ExitCode::from(1)
        }
    }
}

async fn run(options: Options) -> Result<()> {
    let ctx = trevni_ballista::connect(&options.scheduler).await?;
    for setting in &options.settings {
        let (name, value) = setting.split_once('=').ok_or_else(|| {
            DataFusionError::Configuration(format!("{setting}: an option is NAME=VALUE"))
        })?;
        let value = value.replace('\'', "''");
        ctx.sql(&format!("SET {name} = '{value}'")).await?.collect().await?;
    }
    for statements in &options.statements {
        let text = match statements.as_str() {
            "-" => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text)?;
                text
            }
            text => text.to_owned(),
        };
        run_statements(&ctx, &text).await?;
    }
    Ok(())
}

async fn run_statements(ctx: &SessionContext, text: &str) -> Result<()> {
    for statement in DFParser::parse_sql(text)? {
        let plan = ctx.state().statement_to_plan(statement).await?;
        let batches = ctx.execute_logical_plan(plan).await?.collect().await?;
        if !batches.is_empty() {
            writeln!(std::io::stdout(), "{}", pretty_format_batches(&batches)?)?;
        }
    }
    Ok(())
}
