//! `report`: writes the report of a day, week or month to a file or stdout. The module `report` builds its content.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::renamed;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::files::{Protected, Replacement, create_parent_folder};
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
    #[arg(long, value_name = "DATE", group = "period")]
    pub date: Option<String>,
    /// ISO week to report on, Monday to Sunday: 2026-W12
    #[arg(long, value_name = "WEEK", group = "period")]
    pub week: Option<String>,
    /// Month to report on: 2026-03
    #[arg(long, value_name = "MONTH", group = "period")]
    pub month: Option<String>,
    /// Time zone of the days
    #[arg(long, value_name = "ZONE", default_value = "UTC", conflicts_with = "name")]
    pub timezone: String,
    /// File to write (.html or .md), or - for stdout [default: the report's path, or topicwatch-DATE.html]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Open it in the browser
    #[arg(long)]
    pub open: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &ReportArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let now = (context.clock)();
    let topics = context.topics(&args.topic)?;
    crate::schedule::check_zone(&args.timezone).map_err(|wrong| Failure::usage(wrong.message, wrong.hint))?;
    let requested = requested_period(args);
    let mut spec = match &args.name {
        None => report::ad_hoc_spec(
            requested.map_or(ReportWindow::Day, |(window, _)| window),
            args.topic.clone(),
            &args.timezone,
        ),
        Some(name) => find_report(&context, name)?,
    };
    if let Some((window, _)) = requested {
        spec.window = window;
    }
    let store = context.store_to_read().await?;
    renamed(&context, &store, &args.topic).await?;
    let last = store.cursor(&spec.job()).await?;
    let span = span(&spec, requested.map(|(_, name)| name), now, last.map(|cursor| cursor.at))?;
    let mut report = report::make(&store, &spec, &topics, span, last.map(|cursor| cursor.seq), now, false).await?;
    report.ad_hoc = args.name.is_none();
    store.close().await;
    if args.out.as_deref() == Some(Path::new("-")) {
        if args.open {
            return Err(Failure::usage("--open needs a file", "remove --out -, or set a file"));
        }
        output::text(&report.html())?;
        return Ok(Exit::Ok);
    }
    let files = match &args.out {
        Some(path) => vec![(format_of(path)?, path.clone())],
        None => report::paths(&spec, &span),
    };
    if args.out.is_none()
        && let Some((_, path)) = files.first()
    {
        create_parent_folder(path).map_err(|error| Failure::unwritable(path, &error))?;
    }
    let protected = context.protected();
    for (format, path) in &files {
        write(&report, *format, path, &protected)?;
        if !common.quiet {
            let sandbox = if report.sandbox { "SANDBOX: " } else { "" };
            output::print_stderr(&format!(
                "{sandbox}{} written to {}",
                report.date,
                output::escape_control(&path.display().to_string())
            ));
        }
    }
    match files.first() {
        Some((_, path)) if args.open => open_in_browser(path),
        _ => Ok(Exit::Ok),
    }
}

/// Returns the requested day, week or month as it was written.
fn requested_period(args: &ReportArgs) -> Option<(ReportWindow, &str)> {
    let date = args.date.as_deref().map(|date| (ReportWindow::Day, date));
    let week = args.week.as_deref().map(|week| (ReportWindow::Week, week));
    date.or(week).or(args.month.as_deref().map(|month| (ReportWindow::Month, month)))
}

/// Finds a report of the configuration. The error for an unknown name suggests the closest one.
fn find_report(context: &Context, name: &str) -> Result<ReportSpec, Failure> {
    let reports = &context.config.reports;
    reports.iter().find(|report| report.name == name).cloned().ok_or_else(|| {
        let names: Vec<&str> = reports.iter().map(|report| report.name.as_str()).collect();
        let mut unknown = context.unknown("report", name, &names);
        if context.config.topics.iter().any(|topic| topic.id == name) {
            let line = context.command(&format!("report --topic {name}"));
            unknown.hint = format!("`{name}` is a topic: {line}");
        } else {
            unknown.hint.push_str("; without a name, the report covers every topic");
        }
        unknown
    })
}

/// Returns the named period, or the period that the report covers now.
fn span(spec: &ReportSpec, name: Option<&str>, now: Time, last: Option<Time>) -> Result<Span, Failure> {
    let Some(name) = name else { return Ok(report::report_span(spec, now, last)) };
    let (option, example, found) = match spec.window {
        ReportWindow::Week => ("--week", "2026-W12", report::span_of_name(spec, name)),
        ReportWindow::Month => ("--month", "2026-03", report::span_of_name(spec, name)),
        ReportWindow::Day | ReportWindow::SinceLast => {
            let date = name.parse::<jiff::civil::Date>().ok();
            ("--date", "2026-03-11", date.and_then(|date| report::span_of_date(spec, date)))
        }
    };
    let noun = option.trim_start_matches("--").replace("date", "day");
    let span = found.ok_or_else(|| {
        let many = name.get(..4).filter(|year| {
            spec.window == ReportWindow::Week
                && name.len() == 8
                && name.to_uppercase().ends_with("-W53")
                && year.bytes().all(|b| b.is_ascii_digit())
        });
        let hint = match many {
            Some(year) => format!("{year} has 52 weeks"),
            None => format!("write it like {example}"),
        };
        let noun = if noun == "day" { "date" } else { &noun };
        let name = output::truncate(name, 40);
        // Some zones left a day out.
        let exists = noun == "date" && name.parse::<jiff::civil::Date>().is_ok();
        let zone = if exists { format!(" in {}", spec.timezone) } else { String::new() };
        Failure::usage(format!("{option}: `{name}` is not a {noun}{zone}"), hint)
    })?;
    if span.from > now {
        let text = format!("{} has not started yet", output::truncate(name, 40));
        return Err(Failure::usage(text, format!("choose an earlier {noun}")));
    }
    Ok(span)
}

fn format_of(path: &Path) -> Result<ReportFormat, Failure> {
    match path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase).as_deref() {
        Some("html" | "htm") => Ok(ReportFormat::Html),
        Some("md" | "markdown") => Ok(ReportFormat::Markdown),
        _ => Err(Failure::usage(
            format!("--out: {} has no known extension", output::escape_control(&path.display().to_string())),
            "use a name that ends in .html or .md",
        )),
    }
}

fn write(report: &Report, format: ReportFormat, path: &Path, protected: &Protected) -> Result<(), Failure> {
    let unwritable = |error: std::io::Error| Failure::unwritable(path, &error);
    let text = match format {
        ReportFormat::Html => report.html(),
        ReportFormat::Markdown => report.markdown(),
    };
    let mut file = Replacement::create(path, protected).map_err(unwritable)?;
    file.write_all(text.as_bytes()).map_err(unwritable)?;
    file.commit().map_err(unwritable)
}

/// Opens the file with the desktop's default program.
fn open_in_browser(path: &Path) -> Result<Exit, Failure> {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let full_path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match std::process::Command::new(opener).arg(&full_path).status() {
        Ok(status) if status.success() => Ok(Exit::Ok),
        _ => Err(Failure::new(
            Exit::Unexpected,
            format!("{opener} could not open the report"),
            format!("open {} yourself", output::escape_control(&full_path.display().to_string())),
        )),
    }
}
