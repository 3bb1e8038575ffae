//! graphile_worker as an engine, which the project was asked to offer: its tables next to ours, and its worker. A job
//! here is only the id of a run; the ledger knows the rest.

use std::time::Duration;

use graphile_worker::{
    IntoTaskHandlerResult, LocalQueueConfig, RefetchDelayConfig, TaskHandler, WorkerContext, WorkerOptions,
    WorkerRecoveryConfig, WorkerShutdownConfig, WorkerUtils,
};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::store::database::postgres::{self, Pools};
use crate::store::{DeliveredRun, RunHandler};
use crate::store::{StoreError, StoreErrorKind};

/// Connections of the worker, besides those of the store.
const CONNECTIONS: u32 = 4;
/// Longest pause between two polls of the worker, in case a notification is lost.
const POLL: Duration = Duration::from_secs(1);

/// A job: the run to execute.
#[derive(Debug, Serialize, Deserialize)]
struct RunJob {
    run: i64,
}

/// Where jobs are delivered.
#[derive(Clone)]
struct To(RunHandler);

impl std::fmt::Debug for To {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("To")
    }
}

impl TaskHandler for RunJob {
    const IDENTIFIER: &'static str = postgres::JOB;

    async fn run(self, ctx: WorkerContext) -> impl IntoTaskHandlerResult {
        let to = ctx.get_ext::<To>().ok_or_else(|| "no handler accepts jobs here".to_owned())?;
        let (taken, waiting) = oneshot::channel();
        (to.0)(DeliveredRun { run: self.run, taken });
        // A process that stops drops the sender, and the job is delivered again.
        waiting.await.map_err(|_| "the process is stopping".to_owned())
    }
}

/// Migrates the tables, one process at a time, and returns their schema.
pub(in crate::store) async fn prepare(pools: &Pools) -> Result<String, StoreError> {
    let mut connection = pools.reader().await?;
    let mut tx = pools.begin_on(&mut connection).await?;
    let schema: String = sqlx::query_scalar("SELECT current_schema() || '_graphile'").fetch_one(&mut *tx).await?;
    if schema.len() > 63 {
        return Err(StoreError::new(
            StoreErrorKind::Statement,
            format!("the schema of graphile_worker would be named {schema}, which is too long"),
            "choose a [database] schema of at most 54 characters",
        ));
    }
    postgres::lock(&mut tx, 6).await?;
    let pool = connect(pools, 1).await?;
    let migrated = WorkerUtils::new(pool.clone(), schema.as_str()).migrate().await;
    pool.close().await;
    tx.commit().await?;
    migrated.map_err(|error| failed("cannot upgrade its tables", &error))?;
    Ok(schema)
}

/// Runs a worker until `stop` is cancelled or it fails.
pub(in crate::store) async fn serve(
    pools: &Pools,
    handler: RunHandler,
    at_a_time: u32,
    lease: Duration,
    stop: CancellationToken,
) -> Result<(), StoreError> {
    let schema = prepare(pools).await?;
    let pool = connect(pools, CONNECTIONS).await?;
    let at_a_time = at_a_time.max(1) as usize;
    // The worker's own recovery matters only for jobs that it fetched and never delivered.
    let recovery = WorkerRecoveryConfig::default()
        .heartbeat_interval(lease / 3)
        .sweep_interval(lease)
        .sweep_threshold(lease * 2)
        .recovery_delay(Duration::ZERO);
    let shutdown = WorkerShutdownConfig::default()
        .listen_os_shutdown_signals(false)
        .grace_period(Duration::from_secs(1))
        .interrupted_job_retry_delay(Duration::ZERO)
        .shutdown_signal(async move { stop.cancelled().await });
    let options = WorkerOptions::default()
        .pg_pool(pool.clone())
        .schema(schema.as_str())
        .concurrency(at_a_time)
        .poll_interval(POLL)
        .local_queue(
            LocalQueueConfig::default()
                .with_size(at_a_time * 2)
                .with_ttl(lease)
                .with_refetch_delay(RefetchDelayConfig::default().with_duration(Duration::from_millis(100))),
        )
        .worker_recovery(recovery)
        .worker_shutdown(shutdown)
        .add_extension(To(handler))
        .define_job::<RunJob>();
    let ended = async {
        let worker = options.init().await.map_err(|error| failed("it cannot be started", &error))?;
        worker.run().await.map_err(|error| failed("it ended", &error))
    };
    let ended = ended.await;
    pool.close().await;
    ended
}

/// Opens a pool of its own: the worker holds connections for long, and the store's limits are for short statements.
async fn connect(pools: &Pools, connections: u32) -> Result<PgPool, StoreError> {
    let options = (*pools.writer().connect_options()).clone().application_name("topicwatch graphile");
    Ok(PgPoolOptions::new().max_connections(connections).min_connections(0).connect_with(options).await?)
}

fn failed(what: &str, error: &dyn std::fmt::Display) -> StoreError {
    let text = format!("graphile_worker: {what}: {error}");
    StoreError::new(StoreErrorKind::Statement, text.split_whitespace().collect::<Vec<_>>().join(" "), "")
}
