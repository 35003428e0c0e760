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
