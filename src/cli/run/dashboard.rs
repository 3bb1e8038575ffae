//! The daemon's dashboard: served in its own task, so that it delays no slot, and updated when the configuration
//! changes. `web` makes the pages.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::cli::run::editor::Editor;
use crate::cli::run::serve;
use crate::cli::terminal::failure::Failure;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::ids;
use crate::cli::wiring::options::Common;
use crate::config::Config;
use crate::model::Clock;
use crate::process_status::ProcessStatus;
use crate::store::{self, Store};
use crate::web::{self, Site};

/// Time between two attempts to listen.
const AGAIN: Duration = Duration::from_secs(10);

/// The pages of a daemon, if it serves any. They have a store of their own. If they cannot be served, this is logged
/// and runs continue.
pub(in crate::cli) struct Dashboard {
    listen: SocketAddr,
    settings: watch::Sender<Arc<web::Settings>>,
    database: store::Settings,
    clock: Clock,
    /// The options that named the file, and its path.
    common: Common,
    file: PathBuf,
}

impl Dashboard {
    pub(in crate::cli) fn of(context: &Context, common: &Common) -> Result<Option<Self>, Failure> {
        let Some(listen) = context.config.web.listen else { return Ok(None) };
        let database = context.store_settings(false);
        let settings = watch::Sender::new(Arc::new(settings(&context.config, listen)?));
        let (common, file) = (common.clone(), context.config.file.clone());
        Ok(Some(Self { listen, settings, database, clock: Arc::clone(&context.clock), common, file }))
    }

    /// Returns what a reload uses to update the pages, if the daemon serves any.
    pub(in crate::cli) fn follower(pages: Option<&Self>) -> SettingsUpdater {
        SettingsUpdater { served: pages.map(|pages| (pages.listen, pages.settings.clone())) }
    }

    /// Serves until stopped. `works_on` is the daemon's own store: the pages also show whether it can write.
    pub(in crate::cli) fn spawn(
        self,
        process_status: Arc<ProcessStatus>,
        works_on: Store,
        stop: CancellationToken,
    ) -> JoinHandle<()> {
        tokio::spawn(async move {
            let running = loop {
                match self.start(&process_status, &works_on).await {
                    Ok(running) => break running,
                    Err((text, hint)) => tracing::error!(hint, "pages cannot be served: {text}; trying again"),
                }
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(AGAIN) => {}
                }
            };
            tracing::info!(url = format!("http://{}", running.address), "serving pages");
            stop.cancelled().await;
            running.stop().await;
        })
    }

    async fn start(
        &self,
        process_status: &Arc<ProcessStatus>,
        works_on: &Store,
    ) -> Result<web::Running, (String, String)> {
        let store = Store::open(&self.database).await.map_err(|e| (e.text, e.hint))?.sharing_refused_writes(works_on);
        // Exports only read, and may use all connections of their own store.
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
            self.settings.subscribe(),
            Arc::clone(process_status),
            Arc::clone(&self.clock),
            ids::token(),
        );
        let editor = Editor::new(&self.common, &self.file, Arc::clone(&self.clock), store.clone(), true);
        let site = site.with_jobs_file(Arc::new(editor));
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

/// Applies a changed configuration to the pages: token, names and limits. The address stays as it was.
pub(in crate::cli) struct SettingsUpdater {
    served: Option<(SocketAddr, watch::Sender<Arc<web::Settings>>)>,
}

impl SettingsUpdater {
    /// Reads the page settings of a configuration. Fails if they would open the pages to strangers.
    pub(in crate::cli) fn read(&self, config: &Config) -> Result<Option<web::Settings>, Failure> {
        let Some((listen, _)) = &self.served else { return Ok(None) };
        let settings = settings(config, *listen)?;
        if !listen.ip().is_loopback() && settings.access.is_none() {
            return Err(Failure::usage(
                format!(
                    "without a token the pages on {listen} would show everything to anyone who can reach this machine"
                ),
                "keep a token ([web] token_env or token_file), or restart to listen on 127.0.0.1",
            ));
        }
        Ok(Some(settings))
    }

    /// Applies the settings to every later request, and warns if the address would have changed.
    pub(in crate::cli) fn replace(&self, config: &Config, settings: Option<web::Settings>) {
        let wanted = config.web.listen;
        let (now, then) = match (&self.served, wanted) {
            (None, None) => return,
            (None, Some(then)) => ("no pages are served".to_owned(), format!("[web] listen is now {then}")),
            (Some((now, _)), then) => (
                format!("the pages stay at {now}"),
                then.map_or_else(
                    || "[web] listen was removed".to_owned(),
                    |then| format!("[web] listen is now {then}"),
                ),
            ),
        };
        if wanted != self.served.as_ref().map(|(listen, _)| *listen) {
            tracing::warn!(hint = "restart to change where pages are served", "{then}, but {now}");
        }
        if let (Some((_, in_force)), Some(settings)) = (&self.served, settings) {
            in_force.send_replace(Arc::new(settings));
        }
    }
}

fn settings(config: &Config, listen: SocketAddr) -> Result<web::Settings, Failure> {
    let edit = config.web.may_edit(listen);
    Ok(web::Settings { acts: Some(ids::run_id), edit, ..serve::settings(config)? })
}
