//! A scheduler and two executors, each a process, with an object store. `moto_server` is needed: see the README.

use std::path::Path;
use std::time::Duration;

use super::processes::{Process, Store, executor, scheduler};
use super::*;

struct Cluster {
    folder: tempfile::TempDir,
    store: Store,
    _scheduler: Process,
    executors: Vec<Process>,
    port: u16,
}

impl Cluster {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::start(folder.path());
        let (scheduler, port) = scheduler(folder.path());
        let executors = (0..2).map(|number| executor(folder.path(), number, port)).collect();
        Self { folder, store, _scheduler: scheduler, executors, port }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    async fn session(&self) -> SessionContext {
        let ctx = trevni_ballista::connect(&format!("df://127.0.0.1:{}", self.port)).await.unwrap();
        for setting in [
            format!("s3.endpoint = '{}'", self.store.endpoint),
            "s3.access_key_id = 'id'".to_owned(),
            "s3.secret_access_key = 'secret'".to_owned(),
            "s3.region = 'us-east-1'".to_owned(),
            "s3.allow_http = true".to_owned(),
            "datafusion.execution.target_partitions = 4".to_owned(),
            "datafusion.optimizer.repartition_file_min_size = 1".to_owned(),
        ] {
            query(&ctx, &format!("SET {setting}")).await;
        }
        ctx
    }
}

/// Copies the tables from CSV to the store.
async fn copy_tables(ctx: &SessionContext, expected: &SessionContext, folder: &Path) {
    tpch::write_csv(expected, folder).await;
    for table in tpch::TABLES {
        query(ctx, &tpch::csv_table(expected, folder, table).await).await;
        let to = format!("s3://bucket/tpch/{table}.trv");
        let copy = format!(
            "COPY (SELECT * FROM {table}_csv) TO '{to}' STORED AS TREVNI OPTIONS ('format.codec' 'pack')"
        );
        query(ctx, &copy).await;
        let create = format!("CREATE EXTERNAL TABLE {table} STORED AS TREVNI LOCATION '{to}'");
        query(ctx, &create).await;
    }
}

const ROWS: &str = "SELECT l_returnflag AS flag, count(*) AS n, sum(l_orderkey) AS orders
    FROM lineitem GROUP BY l_returnflag ORDER BY flag";

const CREATE: &str = "CREATE EXTERNAL TABLE items
    (l_orderkey BIGINT, l_partkey BIGINT, l_extendedprice DECIMAL(15, 2), l_comment VARCHAR, l_returnflag VARCHAR)
    STORED AS TREVNI_DATASET PARTITIONED BY (l_returnflag) LOCATION 's3://bucket/items/'";

const INSERT: &str =
    "INSERT INTO items SELECT l_orderkey, l_partkey, l_extendedprice, l_comment, l_returnflag
    FROM lineitem";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs moto_server"]
async fn a_cluster_answers_as_one_process_does() {
    let cluster = Cluster::start();
    let expected = tpch::in_memory(0.05);
    let ctx = cluster.session().await;
    copy_tables(&ctx, &expected, cluster.path()).await;
    for (number, sql) in tpch::queries() {
        assert_eq!(query(&ctx, sql).await, query(&expected, sql).await, "query {number}");
    }
    query(&ctx, CREATE).await;
    query(&ctx, INSERT).await;
    let from_set = ROWS.replace("lineitem", "items");
    assert_eq!(query(&ctx, &from_set).await, query(&expected, ROWS).await);
}

/// An executor is killed at different times of an insert. The rows are there once, or not at all.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs moto_server"]
async fn a_lost_executor_costs_no_rows_and_doubles_none() {
    let mut cluster = Cluster::start();
    let expected = tpch::in_memory(0.05);
    let ctx = cluster.session().await;
    copy_tables(&ctx, &expected, cluster.path()).await;
    query(&ctx, CREATE).await;
    let from_set = ROWS.replace("lineitem", "items");
    let (mut inserted, mut midway) = (0, 0);
    for (at, delay) in [50u64, 150, 300, 600, 1200].into_iter().enumerate() {
        let insert = tokio::spawn({
            let ctx = ctx.clone();
            async move { try_query(&ctx, INSERT).await }
        });
        tokio::time::sleep(Duration::from_millis(delay)).await;
        let (number, was_over) = (at % 2, insert.is_finished());
        midway += usize::from(!was_over);
        cluster.executors[number].kill();
        let result = tokio::time::timeout(Duration::from_secs(120), insert).await;
        let result = result.expect("an answer or an error in two minutes").unwrap();
        let (result_is, when) =
            (result.as_ref().map(|_| ()), if was_over { "after" } else { "before" });
        println!("killed after {delay} ms, {when} the end: {result_is:?}");
        inserted += usize::from(result.is_ok());
        cluster.executors[number] = executor(cluster.path(), number, cluster.port);
        tokio::time::sleep(Duration::from_secs(6)).await;

        let sql = format!(
            "SELECT flag, CAST(n * {inserted} AS BIGINT) AS n, orders * {inserted} AS orders FROM ({ROWS})"
        );
        let expected = match inserted {
            0 => query(&expected, "SELECT 1 WHERE false").await,
            _ => query(&expected, &format!("{sql} ORDER BY flag")).await,
        };
        assert_eq!(query(&ctx, &from_set).await, expected, "killed after {delay} ms");
    }
    assert!(inserted > 0 && midway > 1);
}

/// An executor is killed in the middle of queries: they give the right answer or an error.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs moto_server"]
async fn a_lost_executor_makes_no_wrong_answer() {
    let mut cluster = Cluster::start();
    let expected = tpch::in_memory(0.05);
    let ctx = cluster.session().await;
    copy_tables(&ctx, &expected, cluster.path()).await;
    for (at, (number, sql)) in tpch::queries().into_iter().enumerate() {
        let running = tokio::spawn({
            let ctx = ctx.clone();
            async move { try_query(&ctx, sql).await }
        });
        tokio::time::sleep(Duration::from_millis(200)).await;
        cluster.executors[at % 2].kill();
        let was_over = running.is_finished();
        let result = tokio::time::timeout(Duration::from_secs(120), running).await;
        match result.expect("an answer or an error in two minutes").unwrap() {
            Ok(rows) => assert_eq!(rows, query(&expected, sql).await, "query {number}"),
            Err(e) => println!("query {number}: {e}"),
        }
        println!("query {number}: killed {} the end", if was_over { "after" } else { "before" });
        cluster.executors[at % 2] = executor(cluster.path(), at % 2, cluster.port);
        tokio::time::sleep(Duration::from_secs(6)).await;
    }
}
