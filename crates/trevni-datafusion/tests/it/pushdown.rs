//! What plans say, and what is not read.

use datafusion::arrow::array::AsArray;
use trevni_testing::store::{Fault, RecordingStore, Request};

use super::*;

async fn table(ctx: &SessionContext) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.trv");
    write(&path, &rows(0..100_000), Codec::Pack);
    ctx.register_trevni("t", path.to_str().unwrap()).await.unwrap();
    folder
}

pub(super) async fn explain(ctx: &SessionContext, sql: &str) -> String {
    let batches = ctx.sql(sql).await.unwrap().collect().await.unwrap();
    let text = |batch: &RecordBatch| batch.column(1).as_string::<i32>().value(0).to_owned();
    batches.iter().map(text).collect()
}

#[tokio::test]
async fn filters_are_in_the_scan_and_prune_blocks() {
    let ctx = session();
    let _folder = table(&ctx).await;
    let sql = "EXPLAIN ANALYZE SELECT name FROM t WHERE id BETWEEN 5000 AND 5010";
    let plan = explain(&ctx, sql).await;
    assert!(!plan.contains("FilterExec"), "{plan}");
    assert!(plan.contains("predicate=id@0 >= 5000 AND id@0 <= 5010"), "{plan}");
    // All but one block of 2,048 rows.
    assert!(plan.contains("rows_pruned_statistics=97.95 K"), "{plan}");
}

#[tokio::test]
async fn counts_and_bounds_come_from_the_header() {
    let ctx = session();
    let _folder = table(&ctx).await;
    for sql in ["SELECT count(*) FROM t", "SELECT min(id), max(id), count(day) FROM t"] {
        let plan = query(&ctx, &format!("EXPLAIN {sql}")).await;
        assert!(!plan.contains("DataSourceExec"), "{plan}");
    }
}

#[tokio::test]
async fn projection_and_limit_are_in_the_scan() {
    let ctx = session();
    let _folder = table(&ctx).await;
    let plan = query(&ctx, "EXPLAIN SELECT id, name FROM t LIMIT 3").await;
    assert!(plan.contains("projection=[id, name], limit=3"), "{plan}");
}

#[tokio::test]
async fn a_second_query_reads_no_header() {
    let ctx = session();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.trv");
    write(&path, &rows(0..100_000), Codec::Pack);
    let store = RecordingStore::with_file(&path, Fault::Nothing).await;
    ctx.register_object_store(&"memory://".parse::<url::Url>().unwrap(), store.clone());
    ctx.register_trevni("t", "memory:///file.trv").await.unwrap();
    let sql = "SELECT sum(code) FROM t WHERE id > 90000";
    let reads = || store.requests().into_iter().filter(|request| *request != Request::Head).count();
    let first = query(&ctx, sql).await;
    let before = reads();
    assert_eq!(query(&ctx, sql).await, first);
    let after = reads();
    // The blocks of two columns, in at most one request for each partition.
    assert!(before > 0 && after <= 3, "{before} requests, then {after}");
}
