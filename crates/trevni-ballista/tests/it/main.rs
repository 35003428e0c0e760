//! Clusters: the rows are those of one process, and writes happen once or not at all.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod cluster;
mod distributed;
mod processes;
mod standalone;
mod tpch;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::SessionContext;

async fn query(ctx: &SessionContext, sql: &str) -> String {
    try_query(ctx, sql).await.unwrap_or_else(|e| panic!("{sql}: {e}"))
}

async fn try_query(ctx: &SessionContext, sql: &str) -> datafusion::error::Result<String> {
    let batches = ctx.sql(sql).await?.collect().await?;
    Ok(pretty_format_batches(&batches)?.to_string())
}
