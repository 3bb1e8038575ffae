//! `report`: writes the report of one day to a file or stdout. Its content is made in `report`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::files::{Protected, Replacement};
use crate::model::{ReportFormat, ReportSpec, ReportWindow, Span, Time};
use crate::report::{self, Report};

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A report from the configuration [default: every topic, in UTC]
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID", conflicts_with = "name")]
    pub topic: Vec<String>,
    /// Local day to report on: 2026-03-11 [default: the last complete day]
    #[arg(long, value_name = "DATE")]
    pub date: Option<String>,
    /// Time zone of the days
    #[arg(long, value_name = "ZONE", default_value = "UTC", conflicts_with = "name")]
    pub timezone: String,
    /// File to write (.html or .md), or - for stdout [default: the report's path, or topicwatch-DATE.html]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Open it in the browser
    #[arg(long)]
    pub open: bool,
    /// Use this time as now, for tests and rehearsals
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &ReportArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let now = (context.clock)();
    let topics = context.topics(&args.topic)?;
    crate::schedule::check_zone(&args.timezone).map_err(|wrong| Failure::usage(wrong.message, wrong.hint))?;
    let mut spec = match &args.name {
        None => everything(args),
        Some(name) => named(&context, name)?,
    };
    if args.date.is_some() {
        spec.window = ReportWindow::Day;
    }
    let store = context.store_to_read().await?;
    let last = store.cursor(&spec.job()).await?;
    let span = span(&spec, args.date.as_deref(), now, last.map(|cursor| cursor.at))?;
    let made = report::make(&store, &spec, &topics, span, last.map(|cursor| cursor.seq), now).await?;
    store.close().await;
    if args.out.as_deref() == Some(Path::new("-")) {
        if args.open {
            return Err(Failure::usage("--open needs a file", "leave --out - out"));
        }
        output::text(&made.html())?;
        return Ok(Exit::Ok);
    }
    let files = match &args.out {
        Some(path) => vec![(format_of(path)?, path.clone())],
        None => report::paths(&spec, &span),
    };
    if args.out.is_none()
        && let Some(folder) = files.first().and_then(|(_, path)| path.parent())
    {
        std::fs::create_dir_all(folder).map_err(|error| Failure::unwritable(folder, &error))?;
    }
    let protected = context.protected();
    for (format, path) in &files {
        write(&made, *format, path, &protected)?;
        if !common.quiet {
            let sandbox = if made.sandbox { "SANDBOX: " } else { "" };
            output::note(&format!(
                "{sandbox}{} written to {}",
                made.date,
                output::visible(&path.display().to_string())
            ));
        }
    }
    match files.first() {
        Some((_, path)) if args.open => open(path),
        _ => Ok(Exit::Ok),
    }
}

/// A report of everything that is watched, without any of the file's.
fn everything(args: &ReportArgs) -> ReportSpec {
    ReportSpec {
        name: "everything".to_owned(),
        title: "Daily report".to_owned(),
        topics: args.topic.clone(),
        tags: Vec::new(),
        schedule: None,
        timezone: args.timezone.clone(),
        window: ReportWindow::Day,
        formats: vec![ReportFormat::Html],
        path: "topicwatch-{date}".to_owned(),
        group: None,
        channels: Vec::new(),
    }
}

/// A report of the file; an unknown name is a mistake with its nearest neighbour.
fn named(context: &Context, name: &str) -> Result<ReportSpec, Failure> {
    let reports = &context.config.reports;
    reports.iter().find(|report| report.name == name).cloned().ok_or_else(|| {
        let names: Vec<&str> = reports.iter().map(|report| report.name.as_str()).collect();
        let mut unknown = context.unknown("report", name, &names);
        unknown.hint.push_str("; without a name every topic is reported");
        unknown
    })
}

fn span(spec: &ReportSpec, date: Option<&str>, now: Time, last: Option<Time>) -> Result<Span, Failure> {
    let Some(text) = date else { return Ok(report::span_of(spec, now, last)) };
    let date = text.parse::<jiff::civil::Date>().ok().and_then(|date| report::at_date(spec, date));
    let span = date.ok_or_else(|| {
        Failure::usage(
            format!("--date: `{}` is no day in {}", output::brief(text, 40), spec.timezone),
            "write 2026-03-11",
        )
    })?;
    if span.from > now {
        return Err(Failure::usage(format!("{} has not begun yet", output::brief(text, 40)), "choose an earlier day"));
    }
    Ok(span)
}

fn format_of(path: &Path) -> Result<ReportFormat, Failure> {
    match path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase).as_deref() {
        Some("html" | "htm") => Ok(ReportFormat::Html),
        Some("md" | "markdown") => Ok(ReportFormat::Markdown),
        _ => Err(Failure::usage(
            format!("--out: what to write into {} is not clear", output::visible(&path.display().to_string())),
            "end the name in .html or .md",
        )),
    }
}

fn write(made: &Report, format: ReportFormat, path: &Path, protected: &Protected) -> Result<(), Failure> {
    let unwritable = |error: std::io::Error| Failure::unwritable(path, &error);
    let text = match format {
        ReportFormat::Html => made.html(),
        ReportFormat::Markdown => made.markdown(),
    };
    let mut file = Replacement::create(path, protected).map_err(unwritable)?;
    file.write_all(text.as_bytes()).map_err(unwritable)?;
    file.commit().map_err(unwritable)
}

/// Hands the file to whatever shows files on this machine.
fn open(path: &Path) -> Result<Exit, Failure> {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match std::process::Command::new(opener).arg(&whole).status() {
        Ok(status) if status.success() => Ok(Exit::Ok),
        _ => Err(Failure::new(
            Exit::Unexpected,
            format!("{opener} could not show it"),
            format!("open {} yourself", output::visible(&whole.display().to_string())),
        )),
    }
}
