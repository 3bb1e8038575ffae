//! `token share`: a link that shows one topic, or one report, until it expires.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::open_store::{LINK, open_with_time};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::ids;
use crate::cli::wiring::options::Common;
use crate::model::{EditionRow, LinkRow, SharedKind, secret_hash};
use crate::schedule::parse_duration;
use crate::store::Store;

/// The longest lifetime of a link.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);
/// Reports read per page when searching for the latest of a name.
const PAGE: u32 = 200;

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub struct TokenShareArgs {
    /// Topic to show
    #[arg(long, value_name = "ID", group = "what")]
    pub topic: Option<String>,
    /// Report to show: the latest of this name, or NAME@SLOT
    #[arg(long, value_name = "NAME", group = "what")]
    pub report: Option<String>,
    /// How long it is valid: 8h, 7d, up to 366d
    #[arg(long = "for", value_name = "DURATION")]
    pub length: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &TokenShareArgs) -> Result<Exit, Failure> {
    let length = parse_duration(&args.length).map_err(|wrong| Failure::usage(wrong.message, wrong.hint))?;
    if length.is_zero() || length > LONGEST {
        return Err(Failure::usage("--for is out of range", "use up to 366 days: 8h, 7d, 30d"));
    }
    let context = Context::load(common, args.at.as_deref())?;
    let random = || ids::secret().map_err(|_| Failure::usage("the system returned no random bytes", "try again"));
    let (secret, other) = (random()?, random()?);
    let (store, now) = open_with_time(&context, args.at.as_deref()).await?;
    let (kind, of) = match (&args.topic, &args.report) {
        (Some(topic), _) => {
            context.check_topics(std::slice::from_ref(topic))?;
            (SharedKind::Topic, topic.clone())
        }
        (None, report) => (SharedKind::Report, run_of(&context, &store, report.as_deref().unwrap_or("")).await?),
    };
    let letters = other.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase());
    let link = LinkRow {
        id: format!("{LINK}{}", letters.take(8).collect::<String>()),
        kind,
        of,
        hash: secret_hash(&secret),
        made_at: now,
        expires_at: now.plus(length),
        withdrawn_at: None,
    };
    let kept = store.add_link(&link).await;
    store.close().await;
    kept?;
    let web = &context.config.web;
    let path = match web.hosts.first().filter(|_| web.https) {
        Some(host) => format!("https://{host}/shared/{secret}"),
        None => format!("/shared/{secret}"),
    };
    if args.json {
        output::json(&json!({ "link": link, "path": path }))?;
        return Ok(Exit::Ok);
    }
    output::text(&format!("{path}\n"))?;
    if path.starts_with('/') {
        output::print_stderr("put the address of your pages before it");
    }
    output::print_stderr(&format!("{} shows {} until {}", link.id, link.shows(), output::format_time(link.expires_at)));
    Ok(Exit::Ok)
}

/// Returns the run that made a report: the latest of a name, or that of a slot.
async fn run_of(context: &Context, store: &Store, named: &str) -> Result<String, Failure> {
    let unknown = || {
        if context.config.reports.iter().any(|report| report.name == named) {
            let text = format!("no run has created the report `{named}` yet");
            return Failure::usage(
                text,
                "only reports created on schedule, or with \"Run now\" on /jobs, can be shared: those of `topicwatch report` are not kept",
            );
        }
        let text = format!("there is no report `{}`", output::truncate(named, 120));
        Failure::usage(text, "the page /files lists the reports created so far; NAME is a name from [[reports]]")
    };
    let edition = if named.contains('@') {
        store.output_of_run(&format!("report:{named}")).await?
    } else {
        latest(store, named).await?
    };
    let edition = edition.filter(|edition| edition.kind == "report").ok_or_else(unknown)?;
    let Some(page) = edition.files.iter().find(|file| file.path.to_ascii_lowercase().ends_with(".html")) else {
        let hint = "give the report the format \"html\"";
        return Err(Failure::usage(format!("{} has no HTML page to show", edition.run), hint));
    };
    if page.replaced {
        let hint = "share the latest: --report NAME";
        return Err(Failure::usage(format!("the page of {} was replaced by a later run", edition.run), hint));
    }
    Ok(edition.run)
}

async fn latest(store: &Store, name: &str) -> Result<Option<EditionRow>, Failure> {
    let (job, mut before) = (format!("report:{name}"), None);
    loop {
        let page = store.list_outputs(Some("report"), before.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(None) };
        before = Some(crate::store::RunCursor { at: last.made_at, run: last.run.clone() });
        if let Some(edition) = page.into_iter().find(|edition| edition.name == job) {
            return Ok(Some(edition));
        }
    }
}
