//! Data sets as tables: commits, partitions, statistics.

use datafusion::error::DataFusionError;

use super::*;

/// Returns a session with the rows as `source` and a new data set as `t`, partitioned by day.
async fn new_table(folder: &std::path::Path) -> SessionContext {
    let ctx = session();
    let source = MemTable::try_new(rows(0..1).schema(), vec![vec![rows(0..3000)]]).unwrap();
    ctx.register_table("source", Arc::new(source)).unwrap();
    let location = folder.display();
    let create = format!(
        "CREATE EXTERNAL TABLE t (id BIGINT, name VARCHAR, price DOUBLE, code INT) \
         STORED AS TREVNI_DATASET PARTITIONED BY (code) LOCATION '{location}/t'"
    );
    ctx.sql(&create).await.unwrap();
    ctx
}

const INSERT: &str = "INSERT INTO t SELECT id, name, price, code % 5 FROM source";

async fn run(ctx: &SessionContext, sql: &str) -> Result<Vec<RecordBatch>, DataFusionError> {
    ctx.sql(sql).await?.collect().await
}

fn commits(folder: &std::path::Path) -> usize {
    std::fs::read_dir(folder.join("t/_commits")).map_or(0, |files| {
        files.filter(|f| f.as_ref().unwrap().path().extension().is_some_and(|e| e == "trv")).count()
    })
}

#[tokio::test]
async fn partitions_are_written_in_parallel_and_committed_at_once() {
    let (ctx, folder) = (session(), tempfile::tempdir().unwrap());
    let path = folder.path().join("set");
    let file = folder.path().join("t.trv");
    write(&file, &rows(0..200_000), Codec::Pack);
    ctx.register_trevni("t", file.to_str().unwrap()).await.unwrap();
    let sql = format!(
        "CREATE EXTERNAL TABLE s (id BIGINT, name VARCHAR) STORED AS TREVNI_DATASET LOCATION '{}'",
        path.display()
    );
    query(&ctx, &sql).await;
    let plan = query(&ctx, "EXPLAIN INSERT INTO s SELECT id, name FROM t").await;
    assert!(plan.contains("DatasetWriteExec"), "{plan}");
    query(&ctx, "INSERT INTO s SELECT id, name FROM t").await;
    let table = trevni::dataset::Dataset::open(&path).unwrap();
    // At most a file for each partition of the scan. Partitions share the work, so that one may have no rows.
    let committed = table.files().count();
    assert!((1..=3).contains(&committed), "{committed}");
    assert_eq!(table.rows(), 200_000);
    let expected = query(&ctx, "SELECT count(*) AS n, sum(id) AS s, count(name) AS c FROM t").await;
    assert_eq!(
        query(&ctx, "SELECT count(*) AS n, sum(id) AS s, count(name) AS c FROM s").await,
        expected
    );

    // A partition that fails leaves no file of the others.
    let sql = "INSERT INTO s SELECT 1 / (id - 199999), name FROM t";
    assert!(ctx.sql(sql).await.unwrap().collect().await.is_err());
    let files = || {
        let files = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some()).count()
    };
    for _ in 0..100 {
        if files() == committed {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(files(), committed);
    assert_eq!(
        query(&ctx, "SELECT count(*) AS n, sum(id) AS s, count(name) AS c FROM s").await,
        expected
    );
}

#[tokio::test]
async fn an_insert_is_one_commit() {
    let folder = tempfile::tempdir().unwrap();
    let ctx = new_table(folder.path()).await;
    assert_eq!(
        query(&ctx, "SELECT count(*) FROM t").await,
        query(&ctx, "SELECT 0 AS \"count(*)\"").await
    );
    run(&ctx, INSERT).await.unwrap();
    let first = commits(folder.path());
    run(&ctx, INSERT).await.unwrap();
    assert_eq!(commits(folder.path()), first + 1);
    let sums = "count(*) AS n, sum(id) AS i, sum(price) AS p, min(name) AS m";
    let found =
        query(&ctx, &format!("SELECT code, {sums} FROM t GROUP BY code ORDER BY code")).await;
    let twice = "(SELECT * FROM source UNION ALL SELECT * FROM source)";
    let expected =
        format!("SELECT code % 5 AS code, {sums} FROM {twice} GROUP BY code % 5 ORDER BY code");
    assert_eq!(found, query(&ctx, &expected).await);
    // The same table, by what is in the folder.
    let location = folder.path().display();
    let again = format!("CREATE EXTERNAL TABLE u STORED AS TREVNI_DATASET LOCATION '{location}/t'");
    run(&ctx, &again).await.unwrap();
    assert_eq!(
        found,
        query(&ctx, &format!("SELECT code, {sums} FROM u GROUP BY code ORDER BY code")).await
    );
}

#[tokio::test]
async fn overwriting_replaces_all_rows() {
    let folder = tempfile::tempdir().unwrap();
    let ctx = new_table(folder.path()).await;
    run(&ctx, INSERT).await.unwrap();
    run(&ctx, "INSERT OVERWRITE t VALUES (7, 'one', 1.5, 3)").await.unwrap();
    let one = query(&ctx, "SELECT * FROM t").await;
    assert!(one.contains("| 7  | one  | 1.5   | 3    |"), "{one}");
    assert_eq!(one.lines().count(), 5);
}

#[tokio::test]
async fn a_failed_insert_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let ctx = new_table(folder.path()).await;
    run(&ctx, INSERT).await.unwrap();
    let before = (commits(folder.path()), query(&ctx, "SELECT count(*) FROM t").await);
    let failing = "INSERT INTO t SELECT id, name, price, 10 / (2999 - id) FROM source";
    assert!(run(&ctx, failing).await.is_err());
    assert_eq!((commits(folder.path()), query(&ctx, "SELECT count(*) FROM t").await), before);
}

#[tokio::test]
async fn files_are_pruned_by_partitions_and_by_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let ctx = new_table(folder.path()).await;
    run(&ctx, INSERT).await.unwrap();
    // Files are not split, so that each is pruned once.
    run(&ctx, "SET datafusion.execution.target_partitions = 1").await.unwrap();
    for (condition, pruned) in [("code = 3", 4), ("id > 2998", 4), ("id > 5000", 5), ("true", 0)] {
        let sql = format!("EXPLAIN ANALYZE SELECT name FROM t WHERE {condition}");
        let plan = pushdown::explain(&ctx, &sql).await;
        let text = format!("files_pruned={pruned}");
        assert!(plan.contains(&text) || pruned == 0 && !plan.contains("files_pruned"), "{plan}");
    }
}

#[tokio::test]
async fn a_folder_without_commits_needs_columns() {
    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().display();
    let sql = format!("CREATE EXTERNAL TABLE t STORED AS TREVNI_DATASET LOCATION '{location}/t'");
    let error = run(&session(), &sql).await.unwrap_err().to_string();
    assert!(error.contains("not a data set; columns make a new one"), "{error}");
}

#[tokio::test]
async fn a_copy_is_one_commit() {
    let folder = tempfile::tempdir().unwrap();
    let (ctx, path) = (session(), folder.path().join("set"));
    expect(&ctx, "source", &rows(0..1000));
    let copy = format!(
        "COPY (SELECT id, name, code % 5 AS code FROM source) TO '{}/' STORED AS TREVNI_DATASET
         PARTITIONED BY (code) OPTIONS ('format.codec' 'zstd')",
        path.display()
    );
    for commits in 1..3 {
        assert!(query(&ctx, &copy).await.contains("1000"));
        let table = trevni::dataset::Dataset::open(&path).unwrap();
        assert_eq!((table.rows(), table.commit()), (1000 * commits, Some(commits)));
        assert_eq!(table.partitions()[0].name(), "code");
    }
    let sql =
        format!("CREATE EXTERNAL TABLE s STORED AS TREVNI_DATASET LOCATION '{}'", path.display());
    query(&ctx, &sql).await;
    let sql = "SELECT code, 2 * count(*) AS n, 2 * sum(id) AS ids FROM (SELECT id, code % 5 AS code FROM source)
        GROUP BY code ORDER BY code";
    let found = "SELECT code, count(*) AS n, sum(id) AS ids FROM s GROUP BY code ORDER BY code";
    assert_eq!(query(&ctx, found).await, query(&ctx, sql).await);

    // What fails leaves nothing.
    let copy = copy.replace("SELECT id,", "SELECT 1 / (id - 999) AS id,");
    assert!(ctx.sql(&copy).await.unwrap().collect().await.is_err());
    assert_eq!(trevni::dataset::Dataset::open(&path).unwrap().rows(), 2000);
}
