//! What plans say, and what is not read.

use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::arrow::array::AsArray;
use futures_util::stream::BoxStream;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result as StoreResult,
};

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

/// Counts what a store is asked for.
#[derive(Debug)]
struct Counting(LocalFileSystem, Arc<AtomicUsize>);

impl std::fmt::Display for Counting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "counting")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Counting {
    async fn get_opts(&self, path: &Path, options: GetOptions) -> StoreResult<GetResult> {
        if !options.head {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
        self.0.get_opts(path, options).await
    }

    async fn put_opts(
        &self,
        path: &Path,
        bytes: PutPayload,
        options: PutOptions,
    ) -> StoreResult<PutResult> {
        self.0.put_opts(path, bytes, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> StoreResult<Box<dyn MultipartUpload>> {
        self.0.put_multipart_opts(path, options).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, StoreResult<Path>>,
    ) -> BoxStream<'static, StoreResult<Path>> {
        self.0.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, StoreResult<ObjectMeta>> {
        self.0.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> StoreResult<ListResult> {
        self.0.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> StoreResult<()> {
        self.0.copy_opts(from, to, options).await
    }
}

#[tokio::test]
async fn a_second_query_reads_no_header() {
    let ctx = session();
    let requests = Arc::new(AtomicUsize::new(0));
    let store = Counting(LocalFileSystem::new(), requests.clone());
    ctx.register_object_store(&"file://".parse::<url::Url>().unwrap(), Arc::new(store));
    let _folder = table(&ctx).await;
    let sql = "SELECT sum(code) FROM t WHERE id > 90000";
    let first = query(&ctx, sql).await;
    let before = requests.swap(0, Ordering::Relaxed);
    assert_eq!(query(&ctx, sql).await, first);
    let after = requests.load(Ordering::Relaxed);
    // The blocks of two columns, in at most one request for each partition.
    assert!(before > 0 && after <= 3, "{before} requests, then {after}");
}
