//! The physical codec in another engine: `datafusion-distributed`, with two workers.

use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion_distributed::{
    DistributedExt, SessionStateBuilderExt, Worker, WorkerQueryContext, WorkerResolver,
    display_plan_ascii,
};
use datafusion_proto::physical_plan::DefaultPhysicalExtensionCodec;
use tonic::transport::Server;
use trevni_datafusion::{SessionContextExt, TrevniPhysicalCodec};
use url::Url;

use super::processes::free_port;
use super::*;

struct Workers(Vec<u16>);

impl WorkerResolver for Workers {
    fn get_urls(&self) -> Result<Vec<Url>> {
        let url = |port| Url::parse(&format!("http://127.0.0.1:{port}"));
        let urls: Result<_, _> = self.0.iter().map(url).collect();
        urls.map_err(|e| DataFusionError::External(Box::new(e)))
    }
}

fn codec() -> TrevniPhysicalCodec {
    TrevniPhysicalCodec::new(Arc::new(DefaultPhysicalExtensionCodec {}))
}

async fn worker_session(context: WorkerQueryContext) -> Result<SessionState> {
    Ok(context.builder.with_distributed_user_codec(codec()).build())
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_answer_as_one_process_does() {
    let folder = tempfile::tempdir().unwrap();
    let expected = tpch::in_memory(0.01);
    expected.register_trevni_format().unwrap();
    let ports = vec![free_port(), free_port()];
    for port in &ports {
        let address = ([127, 0, 0, 1], *port).into();
        let worker = Worker::from_session_builder(worker_session).into_worker_server();
        tokio::spawn(Server::builder().add_service(worker).serve(address));
    }
    let state = SessionStateBuilder::new()
        .with_default_features()
        .with_distributed_worker_resolver(Workers(ports))
        .with_distributed_planner()
        .with_distributed_user_codec(codec())
        .with_distributed_file_scan_config_bytes_per_partition(1)
        .unwrap()
        .build();
    let ctx = SessionContext::from(state);
    ctx.register_trevni_format().unwrap();
    for table in tpch::TABLES {
        let path = folder.path().join(format!("{table}.trv")).display().to_string();
        query(&expected, &format!("COPY {table} TO '{path}' STORED AS TREVNI")).await;
        ctx.register_trevni(table, &path).await.unwrap();
    }
    for (number, sql) in tpch::queries() {
        assert_eq!(query(&ctx, sql).await, query(&expected, sql).await, "query {number}");
    }
    let plan = ctx.sql(tpch::queries()[2].1).await.unwrap().create_physical_plan().await.unwrap();
    let plan = display_plan_ascii(&*plan, false);
    assert!(plan.contains("t1: DataSourceExec"), "{plan}");
}
