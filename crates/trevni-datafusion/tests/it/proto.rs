//! Plans that are sent to other hosts: they run as they would here, and a write that is repeated is done once.

use datafusion::datasource::file_format::file_type_to_format;
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion_proto::bytes::{
    logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use datafusion_proto::logical_plan::{DefaultLogicalExtensionCodec, LogicalExtensionCodec};
use datafusion_proto::physical_plan::DefaultPhysicalExtensionCodec;
use trevni::FileReader;
use trevni::dataset::Dataset;
use trevni_datafusion::{
    CopyOptionsInFormat, TrevniFormatFactory, TrevniLogicalCodec, TrevniPhysicalCodec,
};

use super::*;

fn logical_codec() -> TrevniLogicalCodec {
    TrevniLogicalCodec::new(Arc::new(DefaultLogicalExtensionCodec {}))
}

fn physical_codec() -> TrevniPhysicalCodec {
    TrevniPhysicalCodec::new(Arc::new(DefaultPhysicalExtensionCodec {}))
}

/// Returns the session of another host: without tables.
fn other_host() -> SessionContext {
    session()
}

fn logical_bytes(plan: &LogicalPlan) -> Vec<u8> {
    logical_plan_to_bytes_with_extension_codec(plan, &logical_codec()).unwrap().to_vec()
}

/// Sends a statement as a logical plan to a host that plans it, and as a physical plan to one that runs it.
async fn sent(ctx: &SessionContext, sql: &str) -> Arc<dyn ExecutionPlan> {
    let logical = ctx.state().create_logical_plan(sql).await.unwrap();
    let logical = ctx.state().optimize(&logical).unwrap();
    let planner = other_host();
    let logical = logical_plan_from_bytes_with_extension_codec(
        &logical_bytes(&logical),
        &planner.task_ctx(),
        &logical_codec(),
    )
    .unwrap();
    let physical = planner.state().create_physical_plan(&logical).await.unwrap();
    again(physical)
}

/// Sends a physical plan to another host.
fn again(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let shown = displayable(&*plan).indent(true).to_string();
    let bytes = physical_plan_to_bytes_with_extension_codec(plan, &physical_codec()).unwrap();
    let context = other_host().task_ctx();
    let plan =
        physical_plan_from_bytes_with_extension_codec(&bytes, &context, &physical_codec()).unwrap();
    assert_eq!(displayable(&*plan).indent(true).to_string(), shown);
    plan
}

async fn run(plan: Arc<dyn ExecutionPlan>) -> String {
    let batches = collect(plan, other_host().task_ctx()).await.unwrap();
    pretty_format_batches(&batches).unwrap().to_string()
}

#[tokio::test]
async fn queries_give_the_rows_that_they_give_here() -> Result {
    let folder = tempfile::tempdir()?;
    let ctx = session();
    let path = folder.path().join("t.trv");
    write(&path, &rows(0..20_000), Codec::Pack);
    ctx.register_trevni("t", path.to_str().unwrap()).await?;
    let parts = folder.path().join("parts").display().to_string();
    for sql in [
        format!(
            "COPY (SELECT id, name FROM t) TO '{parts}/' STORED AS TREVNI PARTITIONED BY (name)"
        ),
        format!(
            "CREATE EXTERNAL TABLE p (id BIGINT, name TEXT) STORED AS TREVNI PARTITIONED BY (name)
             LOCATION '{parts}/'"
        ),
        format!(
            "CREATE EXTERNAL TABLE sorted (id BIGINT) STORED AS TREVNI WITH ORDER (id ASC)
             LOCATION '{}'",
            path.display()
        ),
    ] {
        ctx.sql(&sql).await?.collect().await?;
    }
    for sql in [
        "SELECT * FROM t WHERE price > 4000 AND name <> 'elm' ORDER BY id LIMIT 10",
        "SELECT name, sum(code), count(*) FROM t WHERE day IS NOT NULL GROUP BY name ORDER BY name",
        "SELECT s, id + 1 AS n FROM t WHERE id BETWEEN 100 AND 110 ORDER BY id",
        "SELECT count(*) FROM t a JOIN t b ON a.id = b.code WHERE b.id < 5000",
        "SELECT name, count(*), min(id) FROM p WHERE name <> 'ash' GROUP BY name ORDER BY name",
        "SELECT id FROM sorted ORDER BY id LIMIT 3",
    ] {
        assert_eq!(run(sent(&ctx, sql).await).await, query(&ctx, sql).await, "{sql}");
    }
    Ok(())
}

#[tokio::test]
async fn a_copy_keeps_its_options() -> Result {
    let folder = tempfile::tempdir()?;
    let ctx = session();
    let state = SessionStateBuilder::new_from_existing(ctx.state());
    let state = state.with_analyzer_rule(Arc::new(CopyOptionsInFormat)).build();
    let ctx = SessionContext::new_with_state(state);
    let (from, path) = (folder.path().join("t.trv"), folder.path().join("out.trv"));
    write(&from, &rows(0..5000), Codec::Pack);
    ctx.register_trevni("t", from.to_str().unwrap()).await?;
    let sql = format!(
        "COPY (SELECT id, name FROM t ORDER BY id DESC) TO '{}' STORED AS TREVNI
         OPTIONS ('format.codec' 'zstd', 'format.level' '7')",
        path.display()
    );
    let copied = run(sent(&ctx, &sql).await).await;
    assert!(copied.contains("5000"), "{copied}");
    let file = FileReader::try_new(std::fs::File::open(&path)?)?;
    // That of the file: columns may have another one.
    let codec = file.header().metadata.get("trevni.codec");
    assert_eq!((file.rows(), codec), (5000, Some(b"zstd".as_slice())));

    let plan = ctx.state().create_logical_plan(&sql).await?;
    let LogicalPlan::Copy(copy) = ctx.state().optimize(&plan)? else { panic!("{plan}") };
    let format = file_type_to_format(&copy.file_type)?;
    let format = format.downcast_ref::<TrevniFormatFactory>().unwrap();
    assert_eq!(format.options()["format.level"], "7");
    Ok(())
}

#[tokio::test]
async fn a_write_of_a_data_set_that_is_repeated_is_one_commit() -> Result {
    let folder = tempfile::tempdir()?;
    let ctx = session();
    let path = folder.path().join("t.trv");
    write(&path, &rows(0..200_000), Codec::Pack);
    ctx.register_trevni("t", path.to_str().unwrap()).await?;
    let set = folder.path().join("set");
    let sql = format!(
        "CREATE EXTERNAL TABLE s (id BIGINT, name VARCHAR) STORED AS TREVNI_DATASET
         PARTITIONED BY (name) LOCATION '{}'",
        set.display()
    );
    query(&ctx, &sql).await;
    let plan = sent(&ctx, "INSERT INTO s SELECT id, name FROM t").await;
    assert!(displayable(&*plan).indent(true).to_string().contains("DatasetWriteExec"));
    let twice = again(plan.clone());
    for plan in [plan, twice] {
        assert!(run(plan).await.contains("200000"));
    }
    let table = Dataset::open(&set)?;
    assert_eq!(table.rows(), 200_000);
    let sql = "SELECT name, count(*), sum(id) AS ids FROM t GROUP BY name ORDER BY name";
    let from_set = sql.replace(" t ", " s ");
    assert_eq!(query(&ctx, &from_set).await, query(&ctx, sql).await);
    assert_eq!(run(sent(&ctx, &from_set).await).await, query(&ctx, sql).await);
    let files = std::fs::read_dir(set.join("name=elm"))?.count();
    assert_eq!(files, table.files().filter(|file| file.path().contains("=elm")).count());

    // Another INSERT is another write.
    run(sent(&ctx, "INSERT INTO s SELECT id, name FROM t WHERE id < 10").await).await;
    run(sent(&ctx, "INSERT OVERWRITE s SELECT id, name FROM t WHERE id < 30").await).await;
    assert_eq!(Dataset::open(&set)?.rows(), 30);
    Ok(())
}

#[tokio::test]
async fn damaged_tables_are_errors() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("t.trv");
    write(&path, &rows(0..10), Codec::Null);
    let (ctx, codec, name) = (session(), logical_codec(), "t".into());
    ctx.register_trevni("t", path.to_str().unwrap()).await?;
    let table = ctx.table_provider("t").await?;
    let mut bytes = Vec::new();
    codec.try_encode_table_provider(&name, table.clone(), &mut bytes)?;
    let task = ctx.task_ctx();
    // A table or an error, for each prefix and each other value of each byte.
    let check = |bytes: &[u8]| {
        if let Ok(decoded) = codec.try_decode_table_provider(bytes, &name, table.schema(), &task) {
            assert_eq!(decoded.schema(), table.schema());
        }
    };
    for at in 0..bytes.len() {
        check(&bytes[..at]);
        for flip in 1..=u8::MAX {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            check(&damaged);
        }
    }
    Ok(())
}
