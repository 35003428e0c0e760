//! Containers of the Blosc family as tables.

use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::ipc::reader::FileReader;

use super::*;

/// Returns the rows that the reference has read.
fn expected(path: &std::path::Path) -> RecordBatch {
    let file = std::fs::File::open(path).unwrap();
    let reader = FileReader::try_new(file, None).unwrap();
    let schema = reader.schema();
    let batches: Vec<_> = reader.collect::<Result<_, _>>().unwrap();
    concat_batches(&schema, &batches).unwrap()
}

#[tokio::test]
async fn containers_are_tables() {
    let folder = trevni_testing::data::workspace().join("testdata/blosc");
    for name in ["bcolz/dtype_be_i4", "bcolz/trim_leftover_exact", "bcolz121/dtype_M8_D"] {
        let ctx = session();
        let location = folder.join(name);
        let create = "CREATE EXTERNAL TABLE t STORED AS BLOSC LOCATION";
        query(&ctx, &format!("{create} '{}'", location.display())).await;
        let expected = expected(&folder.join(format!("{name}.arrow")));
        let table = ctx.table("t").await.unwrap();
        assert_eq!(table.schema().fields().len(), expected.num_columns(), "{name}");
        let rows = table.collect().await.unwrap();
        let rows = concat_batches(&rows[0].schema(), &rows).unwrap();
        for (column, expected) in rows.columns().iter().zip(expected.columns()) {
            assert_eq!(column, expected, "{name}");
        }
        let first = rows.schema().field(0).name().clone();
        let counted = query(&ctx, &format!("SELECT count(\"{first}\") AS n FROM t")).await;
        let n = expected.num_rows() - expected.column(0).null_count();
        assert!(counted.contains(&format!("| {n} ")), "{name}: {counted}");
        let limited = ctx.sql("SELECT * FROM t LIMIT 2").await.unwrap().count().await.unwrap();
        assert_eq!(limited, expected.num_rows().min(2), "{name}");
    }
}

#[tokio::test]
async fn what_is_no_container_is_an_error() {
    let ctx = session();
    for (sql, text) in [
        ("STORED AS BLOSC LOCATION '/missing.bcolz'", "No such file"),
        ("(a INT) STORED AS BLOSC LOCATION '/missing.bcolz'", "are those that it has"),
        ("STORED AS BLOSC LOCATION '/x' OPTIONS ('format.a' 'b')", "no option of BLOSC"),
    ] {
        let e = ctx.sql(&format!("CREATE EXTERNAL TABLE t {sql}")).await.unwrap_err();
        assert!(e.to_string().contains(text), "{sql}: {e}");
    }
}
