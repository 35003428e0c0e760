//! A scheduler and an executor in this process.

use ballista::prelude::SessionConfigExt;
use trevni::FileReader;
use trevni::dataset::Dataset;
use trevni_datafusion::SessionContextExt;

use super::*;

async fn session() -> SessionContext {
    let mut config = trevni_ballista::session_config()
        .with_target_partitions(3)
        .with_ballista_standalone_parallelism(2);
    config.options_mut().optimizer.repartition_file_min_size = 1;
    trevni_ballista::standalone(config).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn csv_is_copied_and_queried() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let expected = tpch::in_memory(0.01);
    tpch::write_csv(&expected, path).await;
    let ctx = session().await;
    for table in tpch::TABLES {
        query(&ctx, &tpch::csv_table(&expected, path, table).await).await;
        let to = path.join(format!("{table}.trv"));
        let copy = format!(
            "COPY (SELECT * FROM {table}_csv) TO '{}' STORED AS TREVNI OPTIONS ('format.codec' 'pack')",
            to.display()
        );
        query(&ctx, &copy).await;
        let file = FileReader::try_new(std::fs::File::open(&to).unwrap()).unwrap();
        let codec = file.header().metadata.get("trevni.codec");
        assert_eq!(codec, Some(b"pack".as_slice()), "{table}");
        query(
            &ctx,
            &format!("CREATE EXTERNAL TABLE {table} STORED AS TREVNI LOCATION '{}'", to.display()),
        )
        .await;
    }
    for (number, sql) in tpch::queries() {
        assert_eq!(query(&ctx, sql).await, query(&expected, sql).await, "query {number}");
    }
    let plan = query(&ctx, &format!("EXPLAIN {}", tpch::queries()[2].1)).await;
    assert!(plan.contains("file_type=trevni, predicate="), "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_set_is_written_by_tasks_and_committed_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let ctx = session().await;
    // Several files, so that there are several tasks.
    let here = SessionContext::new();
    here.register_trevni_format().unwrap();
    for part in 0..4 {
        let (first, last) = (part * 50_000, part * 50_000 + 49_999);
        let copy = format!(
            "COPY (SELECT value AS id, value % 7 AS k FROM generate_series({first}, {last})) TO '{}' STORED AS TREVNI",
            path.join(format!("in/{part}.trv")).display()
        );
        query(&here, &copy).await;
    }
    let source = path.join("in/").display().to_string();
    query(&ctx, &format!("CREATE EXTERNAL TABLE source STORED AS TREVNI LOCATION '{source}'"))
        .await;
    let set = path.join("set");
    let create = format!(
        "CREATE EXTERNAL TABLE s (id BIGINT, k BIGINT) STORED AS TREVNI_DATASET PARTITIONED BY (k) LOCATION '{}'",
        set.display()
    );
    query(&ctx, &create).await;
    let plan = query(&ctx, "EXPLAIN INSERT INTO s SELECT id, k FROM source").await;
    assert!(plan.contains("DatasetWriteExec"), "{plan}");
    assert!(query(&ctx, "INSERT INTO s SELECT id, k FROM source").await.contains("200000"));
    let dataset = Dataset::open(&set).unwrap();
    assert_eq!((dataset.rows(), dataset.commit()), (200_000, Some(1)));
    let sql = "SELECT k, count(*) AS n, sum(id) AS ids FROM source GROUP BY k ORDER BY k";
    assert_eq!(query(&ctx, &sql.replace("source", "s")).await, query(&ctx, sql).await);

    let copy = format!(
        "COPY (SELECT id, k FROM source) TO '{}/' STORED AS TREVNI_DATASET PARTITIONED BY (k) OPTIONS ('format.codec' 'zstd')",
        path.join("copy").display()
    );
    query(&ctx, &copy).await;
    let copied = Dataset::open(path.join("copy")).unwrap();
    assert_eq!((copied.rows(), copied.commit()), (200_000, Some(1)));

    // A task that fails, in the middle of the rows: the set stays as it is.
    let insert = "INSERT INTO s SELECT 1 / (id - 150000), k FROM source";
    assert!(try_query(&ctx, insert).await.unwrap_err().to_string().to_lowercase().contains("zero"));
    assert_eq!(Dataset::open(&set).unwrap().rows(), 200_000);
}
