//! What plans say, and what is not read.

use datafusion::arrow::array::AsArray;
use futures_util::StreamExt;
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
    assert!(plan.contains("blocks_pruned_statistics=49 total → 1 matched"), "{plan}");
    // One of each column.
    assert!(plan.contains("blocks_read=2"), "{plan}");
}

#[tokio::test]
async fn metrics_say_what_was_read() {
    let ctx = session();
    let _folder = table(&ctx).await;
    let plan = explain(&ctx, "EXPLAIN ANALYZE SELECT sum(code) FROM t WHERE price > 3.0").await;
    for metric in ["bytes_scanned=", "requests=", "blocks_read=", "fetch_time=", "decode_time="] {
        let (_, value) = plan.split_once(metric).unwrap_or_else(|| panic!("no {metric} in {plan}"));
        assert!(!value.starts_with("0,") && !value.starts_with("1ns"), "{metric} in {plan}");
    }
}

/// Returns the blocks of the columns of the filter, and those that were not pruned.
fn blocks(plan: &str) -> (usize, usize) {
    let (_, blocks) = plan.split_once("blocks_pruned_statistics=").unwrap();
    let (total, rest) = blocks.split_once(" total → ").unwrap();
    let (matched, _) = rest.split_once(" matched").unwrap();
    (total.parse().unwrap(), matched.parse().unwrap())
}

#[tokio::test]
async fn a_top_k_query_prunes_blocks_while_it_scans() {
    let ctx = session();
    ctx.state_ref().write().config_mut().options_mut().execution.target_partitions = 1;
    let _folder = table(&ctx).await;
    let sql = "SELECT id, name FROM t ORDER BY id LIMIT 5";
    let plan = explain(&ctx, &format!("EXPLAIN ANALYZE {sql}")).await;
    assert!(plan.contains("DynamicFilter [ id@0 < 4 ]"), "{plan}");
    let (total, matched) = blocks(&plan);
    assert!(total == 49 && matched < 5, "{plan}");
    let expected = "SELECT id, name FROM t WHERE id < 5 ORDER BY id";
    assert_eq!(query(&ctx, sql).await, query(&ctx, expected).await);
}

#[tokio::test]
async fn the_keys_of_a_join_prune_blocks() {
    let ctx = session();
    let _folder = table(&ctx).await;
    ctx.sql("CREATE TABLE few AS VALUES (70001), (70005)").await.unwrap().collect().await.unwrap();
    let sql = "SELECT t.id, t.name FROM few JOIN t ON t.id = few.column1";
    let plan = explain(&ctx, &format!("EXPLAIN ANALYZE {sql}")).await;
    assert!(plan.contains("DynamicFilter"), "{plan}");
    let (total, matched) = blocks(&plan);
    assert!(total == 49 && matched == 1, "{plan}");
    let expected = "SELECT id, name FROM t WHERE id IN (70001, 70005) ORDER BY id";
    assert_eq!(query(&ctx, &format!("{sql} ORDER BY t.id")).await, query(&ctx, expected).await);
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

/// Of a struct, only the fields that a query names are read, in the projection and in the filter.
#[tokio::test]
async fn fields_of_structs_are_read_alone() {
    let (ctx, folder) = (session(), tempfile::tempdir().unwrap());
    let inner: [(&str, ArrayRef); 3] = [
        ("x", Arc::new(Int32Array::from_iter_values(0..5000))),
        ("y", Arc::new(StringArray::from_iter_values((0..5000).map(|n| format!("{n:0100}"))))),
        (
            "z",
            Arc::new(StructArray::from(
                RecordBatch::try_from_iter([("id", rows(0..5000).column(0).clone())]).unwrap(),
            )),
        ),
    ];
    let inner = StructArray::from(RecordBatch::try_from_iter(inner).unwrap());
    let batch = RecordBatch::try_from_iter([("s", Arc::new(inner) as ArrayRef)]).unwrap();
    let path = folder.path().join("t.trv");
    write(&path, &batch, Codec::Null);
    ctx.register_trevni("t", path.to_str().unwrap()).await.unwrap();
    expect(&ctx, "expected", &batch);
    let all = bytes_scanned(&ctx, "SELECT s FROM t").await;
    for sql in [
        "SELECT get_field(s, 'x') AS x FROM t WHERE get_field(s, 'x') < 10",
        "SELECT get_field(get_field(s, 'z'), 'id') + 1 AS n FROM t WHERE get_field(s, 'x') % 1000 = 3 ORDER BY n",
        "SELECT sum(get_field(s, 'x')) AS x FROM t",
    ] {
        assert_eq!(query(&ctx, sql).await, query(&ctx, &sql.replace(" t", " expected")).await);
        assert!(bytes_scanned(&ctx, sql).await < all / 3, "{sql}");
    }
    let sql = "SELECT s, get_field(s, 'x') AS x FROM t WHERE get_field(s, 'x') = 7";
    assert_eq!(query(&ctx, sql).await, query(&ctx, &sql.replace(" t ", " expected ")).await);
}

async fn bytes_scanned(ctx: &SessionContext, sql: &str) -> usize {
    let plan = ctx.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    datafusion::physical_plan::collect(plan.clone(), ctx.task_ctx()).await.unwrap();
    let mut bytes = 0;
    let mut nodes = vec![plan];
    while let Some(node) = nodes.pop() {
        let metrics = node.metrics();
        let found = metrics.as_ref().and_then(|metrics| metrics.sum_by_name("bytes_scanned"));
        bytes += found.map_or(0, |value| value.as_usize());
        nodes.extend(node.children().into_iter().cloned());
    }
    bytes
}

/// Blocks whose bounds include a value are pruned if their Bloom filters do not have it.
#[tokio::test]
async fn bloom_filters_prune_blocks() {
    let (ctx, folder) = (session(), tempfile::tempdir().unwrap());
    ctx.state_ref().write().config_mut().options_mut().execution.target_partitions = 1;
    let keys = || (0..40_960i64).map(|n| n * 7919 % 100_003);
    let columns: [(&str, ArrayRef); 2] = [
        ("key", Arc::new(Int64Array::from_iter_values(keys()))),
        ("name", Arc::new(StringArray::from_iter_values(keys().map(|key| format!("k{key}"))))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder().set_codec(Codec::Pack).set_block_rows(4096);
    let properties = properties.set_bloom_filter_enabled(true).build();
    let path = folder.path().join("t.trv");
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    ctx.register_trevni("t", path.to_str().unwrap()).await.unwrap();
    for (filter, rows) in [
        ("key = 23757", 1),
        ("key IN (23757, 31676)", 2),
        ("name = 'k23757'", 1),
        ("name IN ('k23757', 'none')", 1),
        ("key = 50001", 0),
    ] {
        let sql = format!("SELECT key FROM t WHERE {filter}");
        assert_eq!(ctx.sql(&sql).await.unwrap().count().await.unwrap(), rows, "{filter}");
        let (total, matched) = blocks(&explain(&ctx, &format!("EXPLAIN ANALYZE {sql}")).await);
        assert!(total == 10 && matched <= 4, "{filter}: {matched} of {total}");
    }
}

/// A query that is dropped reads no more.
#[tokio::test]
async fn a_cancelled_query_stops_its_reads() {
    let ctx = session();
    ctx.state_ref().write().config_mut().options_mut().execution.target_partitions = 1;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.trv");
    // More than is fetched ahead.
    let numbers = (0..3_000_000u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1) as i64);
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(numbers));
    write(&path, &RecordBatch::try_from_iter([("n", numbers)]).unwrap(), Codec::Null);
    ctx.register_trevni("t", path.to_str().unwrap()).await.unwrap();
    let sql = "SELECT n FROM t";
    let all = bytes_scanned(&ctx, sql).await;
    let plan = ctx.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    let mut rows = plan.execute(0, ctx.task_ctx()).unwrap();
    rows.next().await.unwrap().unwrap();
    drop(rows);
    let scanned = || plan.metrics().unwrap().sum_by_name("bytes_scanned").unwrap().as_usize();
    let before = scanned();
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(scanned(), before);
    assert!(before < all, "{before} of {all} bytes");
}
