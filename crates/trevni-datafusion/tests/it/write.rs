//! `COPY TO` and `INSERT INTO`.

use trevni::FileReader;

use super::*;

#[tokio::test]
async fn copies_have_the_rows_and_the_codec() -> Result {
    let folder = tempfile::tempdir()?;
    let ctx = session();
    expect(&ctx, "expected", &rows(0..30_000));
    let path = folder.path().join("out.trv");
    let sql = format!(
        "COPY (SELECT * FROM expected ORDER BY id) TO '{}' STORED AS TREVNI OPTIONS ('format.codec' 'pack')",
        path.display()
    );
    assert!(query(&ctx, &sql).await.contains("30000"));
    let file = FileReader::try_new(std::fs::File::open(&path)?)?;
    assert_eq!((file.rows(), file.header().codec(0)?), (30_000, Codec::Pack));
    ctx.register_trevni("t", path.to_str().unwrap()).await?;
    let sql = "SELECT * FROM expected EXCEPT SELECT * FROM t";
    assert_eq!(ctx.sql(sql).await?.count().await?, 0);
    Ok(())
}

#[tokio::test]
async fn inserts_add_files_and_partitions_are_folders() -> Result {
    let folder = tempfile::tempdir()?;
    let ctx = session();
    expect(&ctx, "expected", &rows(0..5000));
    let path = folder.path().display();
    let sql = format!(
        "CREATE EXTERNAL TABLE t (id BIGINT, name TEXT) STORED AS TREVNI PARTITIONED BY (name) LOCATION '{path}/'"
    );
    ctx.sql(&sql).await?;
    for half in ["id < 2500", "id >= 2500"] {
        let sql = format!(
            "INSERT INTO t SELECT id, name FROM expected WHERE name IS NOT NULL AND {half}"
        );
        ctx.sql(&sql).await?.collect().await?;
    }
    assert!(folder.path().join("name=elm").is_dir());
    let sql = "SELECT id, name FROM expected WHERE name IS NOT NULL ORDER BY id";
    let found = query(&ctx, "SELECT id, name FROM t ORDER BY id").await;
    assert_eq!(found, query(&ctx, sql).await);
    let elms = "SELECT count(*) FROM t WHERE name = 'elm' AND id > 100";
    assert_eq!(query(&ctx, elms).await, query(&ctx, &elms.replace(" t ", " expected ")).await);
    Ok(())
}

#[tokio::test]
async fn a_folder_is_a_table_of_its_files() -> Result {
    let folder = tempfile::tempdir()?;
    let ctx = session();
    expect(&ctx, "expected", &rows(0..5000));
    let path = folder.path().display();
    let copy = format!("COPY expected TO '{path}/files/' STORED AS TREVNI");
    ctx.sql(&copy).await?.collect().await?;
    std::fs::write(folder.path().join("files/README"), "no rows")?;
    ctx.sql(&format!("CREATE EXTERNAL TABLE t STORED AS TREVNI LOCATION '{path}/files/'")).await?;
    let (found, sql) = ("SELECT * FROM t ORDER BY id", "SELECT * FROM expected ORDER BY id");
    assert_eq!(query(&ctx, found).await, query(&ctx, sql).await);
    Ok(())
}

#[tokio::test]
async fn wrong_options_are_errors() -> Result {
    let ctx = session();
    for (options, expected) in
        [("'format.codec' 'brotli'", "brotli"), ("'format.colour' 'red'", "colour")]
    {
        let sql =
            format!("COPY (VALUES (1)) TO '/tmp/never.trv' STORED AS TREVNI OPTIONS ({options})");
        let error = match ctx.sql(&sql).await {
            Ok(frame) => frame.collect().await.unwrap_err(),
            Err(e) => e,
        };
        assert!(error.to_string().contains(expected), "{error}");
    }
    Ok(())
}

/// Returns the files in a folder that a table of it would have.
fn visible(folder: &std::path::Path) -> usize {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "trv")).count()
}

#[tokio::test]
async fn a_copy_that_fails_or_is_cancelled_leaves_no_file() -> Result {
    let folder = tempfile::tempdir()?;
    let ctx = session();
    expect(&ctx, "source", &rows(0..100_000));
    let path = folder.path().join("out.trv");
    let copy = format!("COPY (SELECT 1 / (id - 99000) AS n FROM source) TO '{}'", path.display());
    assert!(ctx.sql(&copy).await?.collect().await.is_err());
    assert_eq!(visible(folder.path()), 0);

    // The rows of generate_series do not end while the copy runs.
    let copy = format!(
        "COPY (SELECT value, value % 977 AS k FROM generate_series(1, 100000000000)) TO '{}'",
        path.display()
    );
    let running = tokio::spawn(ctx.sql(&copy).await?.collect());
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!running.is_finished());
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(visible(folder.path()), 0);
    Ok(())
}
