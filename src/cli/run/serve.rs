//! `serve`: the dashboard of a database that it only reads, with or without a daemon. It changes `jobs.toml` only if
//! `[web] edit = true` is written. `dashboard` has the daemon's own;
//! `web` makes the pages.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::sync::watch;

use crate::cli::run::editor::Editor;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::environment::env;
use crate::cli::wiring::options::{Common, listen_address};
use crate::cli::wiring::{ids, journal};
use crate::config::{self, Config};
use crate::process_status::ProcessStatus;
use crate::store::{Store, StoreError, StoreErrorKind};
use crate::web::{self, Access, Site};

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to listen on; port 0 picks a free port [default: [web] listen, else 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    pub listen: Option<SocketAddr>,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// Time between two checks that the database is still in its place.
const LOOK: Duration = Duration::from_secs(1);

/// The default address of the pages.
const LISTEN: ([u8; 4], u16) = ([127, 0, 0, 1], 8080);

pub(in crate::cli) async fn run(common: &Common, args: &ServeArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let mut settings = settings(&context.config)?;
    let database = context.store_settings(false);
    let (store, exports) = (Store::open_to_read(&database).await?, Store::open_to_read(&database).await?);
    journal::reject_older_database(&store).await?;
    let listen = args.listen.or(context.config.web.listen).unwrap_or_else(|| LISTEN.into());
    // Only if it is written: `serve` is for reading.
    settings.edit = context.config.web.edit == Some(true);
    let edits = settings.edit;
    let mut ends = crate::cli::terminal::signals::StopSignals::listen();
    let process_status = Arc::new(ProcessStatus::without_loop((context.clock)()));
    let (_, settings) = watch::channel(Arc::new(settings));
    let clock = Arc::clone(&context.clock);
    let editor = Editor::new(common, &context.config.file, Arc::clone(&clock), store.clone(), false);
    let site = Site::new(store.clone(), exports, database, settings, process_status, clock, ids::token());
    let site = site.with_jobs_file(Arc::new(editor));
    let running = web::start(site, listen).await.map_err(|e| Failure::usage(e.message, e.hint))?;
    output::text(&format!("http://{}\n", running.address))?;
    output::print_stderr(if edits {
        "serving pages that can edit the topics file ([web] edit = true); stop with Ctrl-C"
    } else {
        "serving pages, read-only; stop with Ctrl-C"
    });
    let ended = tokio::select! {
        () = ends.next() => Ok(Exit::Ok),
        lost = wait_until_replaced(&store) => Err(lost.into()),
    };
    running.stop().await;
    ended
}

/// Waits until the address no longer names the database that is shown.
pub(in crate::cli) async fn wait_until_replaced(store: &Store) -> StoreError {
    loop {
        tokio::time::sleep(LOOK).await;
        if let Err(error) = store.check_file()
            && error.kind == StoreErrorKind::Replaced
        {
            return error;
        }
    }
}

/// Returns the page settings of the configuration, with the token.
pub(in crate::cli) fn settings(config: &Config) -> Result<web::Settings, Failure> {
    let place = &config.web.token;
    let access = if place.is_none() {
        None
    } else {
        let token = config::read_secret("token of the pages", place, &env);
        let token = token.map_err(|e| Failure::usage(e.message, e.hint))?;
        let short = |text: &str| Failure::usage(text, "create one: openssl rand -hex 24");
        Some(Access::by(token).map_err(short)?)
    };
    Ok(web::Settings {
        access,
        hosts: config.web.hosts.clone(),
        https: config.web.https,
        limits: config.day_limits(),
        acts: None,
        edit: false,
        hint: crate::search::hint_for_stored_failure,
        feeds: config
            .providers
            .iter()
            .filter(|one| one.kind.needs == "urls")
            .map(|one| one.name.provider().to_owned())
            .collect(),
        reports: config.reports.clone(),
        tags: config.topics.iter().map(|topic| (topic.id.clone(), topic.tags.clone())).collect(),
    })
}
