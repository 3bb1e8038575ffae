//! The pages: `serve` shows them beside a daemon or without one and only reads; `run` serves them beside its loop, where
//! they hold up no slot. What they show is `web`'s.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::args::Common;
use super::context::{Context, env};
use super::{Exit, Failure, ids, journal, output};
use crate::config::{self, Config};
use crate::model::Clock;
use crate::store::{self, Store};
use crate::vitals::Vitals;
use crate::web::{self, Access, Site};

/// `serve`
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to listen on; port 0 takes a free one [default: [web] listen, else 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    /// The present, for tests and rehearsals
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// Where the pages are when nobody says otherwise.
const LISTEN: ([u8; 4], u16) = ([127, 0, 0, 1], 8080);

/// Time between two tries to listen, in `run`.
const AGAIN: Duration = Duration::from_secs(10);

pub(super) async fn run(common: &Common, args: &ServeArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let settings = settings(&context.config)?;
    let database = context.store_settings(false);
    let (store, exports) = (Store::open_to_read(&database).await?, Store::open_to_read(&database).await?);
    journal::refuse_older(&store).await?;
    let listen = args.listen.or(context.config.web.listen).unwrap_or_else(|| LISTEN.into());
    let mut ends = super::signals::Ends::listen();
    let vitals = Arc::new(Vitals::without_loop((context.clock)()));
    let site = Site::new(store, exports, database, settings, vitals, Arc::clone(&context.clock));
    let running = web::start(site, listen).await.map_err(|e| Failure::usage(e.message, e.hint))?;
    output::text(&format!("http://{}\n", running.address))?;
    output::note("pages of what is stored, for reading only; stop with Ctrl-C");
    ends.next().await;
    running.stop().await;
    Ok(Exit::Ok)
}

/// What the configuration says of the pages; the token is read here.
pub(super) fn settings(config: &Config) -> Result<web::Settings, Failure> {
    let place = &config.web.token;
    let access = if place.is_none() {
        None
    } else {
        let token = config::read_secret("token of the pages", place, &env);
        let token = token.map_err(|e| Failure::usage(e.message, e.hint))?;
        let short = |text: &str| Failure::usage(text, "make one: openssl rand -hex 24");
        Some(Access::by(token).map_err(short)?)
    };
    Ok(web::Settings {
        access,
        hosts: config.web.hosts.clone(),
        limits: config.service.limits(),
        acts: None,
        hint: crate::search::hint_of,
        reports: config.reports.clone(),
    })
}

/// The pages of a daemon, if it is to have any. They have a store of their own; where they cannot be served, the log says
/// so and runs go on.
pub(super) struct Beside {
    listen: SocketAddr,
    settings: web::Settings,
    database: store::Settings,
    clock: Clock,
}

impl Beside {
    pub(super) fn of(context: &Context) -> Result<Option<Self>, Failure> {
        let Some(listen) = context.config.web.listen else { return Ok(None) };
        let database = context.store_settings(false);
        let settings = web::Settings { acts: Some(ids::run_id), ..settings(&context.config)? };
        Ok(Some(Self { listen, settings, database, clock: Arc::clone(&context.clock) }))
    }

    /// Serves until the stop.
    pub(super) fn begin(self, vitals: Arc<Vitals>, stop: CancellationToken) -> JoinHandle<()> {
        tokio::spawn(async move {
            let running = loop {
                match self.start(&vitals).await {
                    Ok(running) => break running,
                    Err((text, hint)) => tracing::error!(hint, "no pages: {text}; trying again"),
                }
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(AGAIN) => {}
                }
            };
            tracing::info!(url = format!("http://{}", running.address), "pages");
            stop.cancelled().await;
            running.stop().await;
        })
    }

    async fn start(&self, vitals: &Arc<Vitals>) -> Result<web::Running, (String, String)> {
        let store = Store::open(&self.database).await.map_err(|e| (e.text, e.hint))?;
        // Exports change nothing, and may take all connections they have.
        let exports = match Store::open_to_read(&self.database).await {
            Ok(exports) => exports,
            Err(error) => {
                store.close().await;
                return Err((error.text, error.hint));
            }
        };
        let site = Site::new(
            store.clone(),
            exports.clone(),
            self.database.clone(),
            self.settings.clone(),
            Arc::clone(vitals),
            Arc::clone(&self.clock),
        );
        match web::start(site, self.listen).await {
            Ok(running) => Ok(running),
            Err(error) => {
                exports.close().await;
                store.close().await;
                Err((error.message, error.hint))
            }
        }
    }
}
