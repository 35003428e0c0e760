//! Queries over files and folders.

use super::*;

/// Queries over a table `t`, each with one answer.
const QUERIES: [&str; 16] = [
    "SELECT count(*) FROM t",
    "SELECT * FROM t ORDER BY id LIMIT 20",
    "SELECT min(id), max(id), min(name), max(name), min(day), count(day), sum(price) FROM t",
    "SELECT id, name FROM t WHERE id BETWEEN 700 AND 720 ORDER BY id",
    "SELECT name, count(*), sum(code) FROM t GROUP BY name ORDER BY name",
    "SELECT id FROM t WHERE name = 'cedar' AND code > 990 ORDER BY id",
    "SELECT id FROM t WHERE name IS NULL AND day IS NULL ORDER BY id",
    "SELECT get_field(s, 'x') AS x, id FROM t WHERE get_field(s, 'x') = 999 ORDER BY id",
    "SELECT id + code AS sum FROM t WHERE id % 997 = 3 ORDER BY sum",
    "SELECT count(*) FROM t WHERE price < 100.5 OR name LIKE 'b%'",
    "SELECT id FROM t WHERE id IN (5, 50, 5000, 50000) ORDER BY id",
    "SELECT id FROM t WHERE day > DATE '1972-09-01' AND price > 9000 ORDER BY id",
    "SELECT id, price FROM t ORDER BY price DESC LIMIT 5",
    "SELECT a.id FROM t a JOIN t b ON a.id = b.code WHERE b.id < 500 ORDER BY a.id, b.id LIMIT 30",
    "SELECT count(*) FROM t WHERE id < 0",
    "SELECT 1 FROM t WHERE id = 3",
];

async fn compare(ctx: &SessionContext, batch: &RecordBatch) {
    let memory = session();
    expect(&memory, "t", batch);
    for sql in QUERIES {
        let expected = query(&memory, sql).await;
        assert_eq!(query(ctx, sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn text_is_read_as_views_and_written_as_strings() {
    let ctx = session();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.trv");
    write(&path, &rows(0..100), Codec::Pack);
    for (views, data_type) in [(true, DataType::Utf8View), (false, DataType::Utf8)] {
        query(&ctx, &format!("SET trevni.view_types = {views}")).await;
        let frame = ctx.read_trevni(path.to_str().unwrap()).await.unwrap();
        let field = frame.schema().field_with_unqualified_name("name").unwrap();
        assert_eq!(field.data_type(), &data_type);
        let batches = frame.collect().await.unwrap();
        assert_eq!(batches[0].column_by_name("name").unwrap().data_type(), &data_type);
    }
    query(&ctx, "SET trevni.view_types = true").await;
    ctx.register_trevni("t", path.to_str().unwrap()).await.unwrap();
    let copy = folder.path().join("copy.trv");
    query(&ctx, &format!("COPY t TO '{}' STORED AS TREVNI", copy.display())).await;
    let file = std::fs::File::open(&copy).unwrap();
    let builder = trevni::arrow::ArrowReaderBuilder::try_new(file).unwrap();
    assert_eq!(builder.schema().field_with_name("name").unwrap().data_type(), &DataType::Utf8);
}

#[tokio::test]
async fn a_file_answers_as_memory_does() -> Result {
    let folder = tempfile::tempdir()?;
    let batch = rows(0..100_000);
    for codec in [Codec::Snappy, Codec::Pack, Codec::PackZstd] {
        let path = folder.path().join("t.trv");
        write(&path, &batch, codec);
        for (pushdown, pruning) in [(true, true), (true, false), (false, false)] {
            let ctx = session();
            ctx.sql(&format!("SET trevni.pushdown_filters = {pushdown}")).await?;
            ctx.sql(&format!("SET trevni.pruning = {pruning}")).await?;
            let sql =
                format!("CREATE EXTERNAL TABLE t STORED AS TREVNI LOCATION '{}'", path.display());
            ctx.sql(&sql).await?;
            compare(&ctx, &batch).await;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_folder_is_one_table() -> Result {
    let folder = tempfile::tempdir()?;
    for (i, part) in [0..40_000, 40_000..40_001, 40_001..100_000].into_iter().enumerate() {
        write(&folder.path().join(format!("{i}.trv")), &rows(part), Codec::Pack);
    }
    let ctx = session();
    ctx.register_trevni("t", folder.path().to_str().unwrap()).await?;
    compare(&ctx, &rows(0..100_000)).await;
    let frame = ctx.read_trevni(folder.path().to_str().unwrap()).await?;
    assert_eq!(frame.count().await?, 100_000);
    Ok(())
}

/// Files of earlier schemas: a column that is missing is null, and one of another type is cast.
#[tokio::test]
async fn schemas_evolve() -> Result {
    let folder = tempfile::tempdir()?;
    let batch = rows(0..10);
    write(&folder.path().join("0.trv"), &batch.project(&[1])?, Codec::Snappy);
    write(&folder.path().join("1.trv"), &batch.project(&[0, 1])?, Codec::Snappy);
    let ctx = session();
    let sql = format!(
        "CREATE EXTERNAL TABLE t (id BIGINT, code BIGINT, extra TEXT) STORED AS TREVNI LOCATION '{}'",
        folder.path().display()
    );
    ctx.sql(&sql).await?;
    let found = query(&ctx, "SELECT count(*), count(id), count(extra), sum(code) FROM t").await;
    let sum: i64 = (0..10).map(|n| 2 * (n * n % 7919 % 1000)).sum();
    assert!(
        found.contains(&format!("| 20       | 10          | 0              | {sum} ")),
        "{found}"
    );
    let found = query(&ctx, "SELECT count(*) FROM t WHERE id IS NULL AND code >= 0").await;
    assert!(found.contains("| 10 "), "{found}");
    Ok(())
}

#[tokio::test]
async fn damaged_files_are_errors() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("t.trv");
    write(&path, &rows(0..50_000), Codec::Snappy);
    let ctx = session();
    ctx.register_trevni("t", path.to_str().unwrap()).await?;
    let mut bytes = std::fs::read(&path)?;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&path, bytes)?;
    let error = ctx.sql("SELECT * FROM t").await?.collect().await.unwrap_err().to_string();
    assert!(error.contains("t.trv"), "{error}");
    std::fs::write(&path, "no columns here")?;
    let error = ctx.read_trevni(path.to_str().unwrap()).await.unwrap_err().to_string();
    assert!(error.contains("not a Trevni file"), "{error}");
    Ok(())
}

/// A table may declare columns not to be null that are nullable in its files.
#[tokio::test]
async fn columns_are_as_the_table_declares_them() {
    let (ctx, folder) = (session(), tempfile::tempdir().unwrap());
    let path = folder.path().join("t.trv");
    write(&path, &rows(0..100), Codec::Snappy);
    for (column, nulls) in [("id BIGINT NOT NULL", false), ("name VARCHAR NOT NULL", true)] {
        let sql = format!(
            "CREATE OR REPLACE EXTERNAL TABLE t ({column}) STORED AS TREVNI LOCATION '{}'",
            path.display()
        );
        query(&ctx, &sql).await;
        let result = ctx.sql("SELECT * FROM t").await.unwrap().collect().await;
        match nulls {
            false => assert!(!result.unwrap()[0].schema().field(0).is_nullable()),
            true => {
                let error = result.unwrap_err().to_string();
                assert!(error.contains("t.trv") && error.contains("non-nullable"), "{error}");
            }
        }
    }
}
