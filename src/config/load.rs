//! Loads the configuration: finds, reads and walks the file, applies the overrides, and returns either a [`Config`] or
//! everything that is wrong.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::file::discover::{LoadRequest, display_path, find};
use super::file::document::{Document, walk};
use super::file::text::{NotText, Text};
use super::keys::Section;
use super::mistakes::location::one_line;
use super::mistakes::mistake::{Mistake, Mistakes};
use super::mistakes::render::render;
use super::sections::{alerts, budgets, exports, reports, retention, schedule_keys, service, storage, web};
use super::settings::prices;
use super::values::scalars::format_rate;
use super::{
    Config, Effective, ProviderConfig, ServiceConfig, Target, WebConfig, channels, environment, providers, topics,
};
use crate::export::ExportSpec;
use crate::model::{
    AlertSpec, ChannelSpec, PingSpec, ReportSpec, ServiceLimits, Source, Topic, TopicLimits, shell_word,
};

/// Why no configuration was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadError {
    /// There is no file in any of the places.
    NotFound {
        /// The places that were searched.
        searched: Vec<PathBuf>,
    },
    /// The file cannot be read as text.
    Unreadable {
        path: PathBuf,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The file has mistakes; never empty, in file order.
    Mistakes(Vec<Mistake>),
}

impl LoadError {
    /// Formats everything that is wrong for a terminal `width` columns wide; ends with a line break.
    #[must_use]
    pub fn render(&self, color: bool, width: usize) -> String {
        let plain = |message: String, hint: String| {
            let mistake = Mistake {
                severity: super::Severity::Error,
                file: String::new(),
                place: None,
                message: one_line(&message),
                hint: one_line(&hint),
            };
            render(&[mistake], color, width)
        };
        match self {
            Self::NotFound { searched } => {
                let places: Vec<String> = searched.iter().map(|path| describe_place(path)).collect();
                let message = format!("no configuration found; looked for {}", places.join(", "));
                let hint = match searched.as_slice() {
                    // The only place is one that was named; `init` alone writes another file.
                    [named] => {
                        let file = shell_word(&named.to_string_lossy());
                        format!("is the path right? `topicwatch init {file}` writes an annotated file there")
                    }
                    _ => "`topicwatch init` writes an annotated jobs.toml; --config names another file".to_owned(),
                };
                plain(message, hint)
            }
            Self::Unreadable { path, message, hint } => plain(format!("{} {message}", path.display()), hint.clone()),
            Self::Mistakes(mistakes) => render(mistakes, color, width),
        }
    }
}

/// Formats a place that was searched. This user may not be allowed to see a file there, as with a packaged service.
fn describe_place(path: &Path) -> String {
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            format!("{} (this user may not look there)", path.display())
        }
        _ => path.display().to_string(),
    }
}

impl std::fmt::Display for LoadError {
    /// One line each.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mistakes(mistakes) => {
                for (n, mistake) in mistakes.iter().enumerate() {
                    if n > 0 {
                        f.write_str("\n")?;
                    }
                    write!(f, "{mistake}")?;
                }
                Ok(())
            }
            other => f.write_str(other.render(false, 100).trim_end()),
        }
    }
}

impl std::error::Error for LoadError {}

/// Finds, reads and checks the configuration. Writes no files.
///
/// # Errors
/// See [`LoadError`].
pub fn load(request: &LoadRequest<'_>) -> Result<Config, LoadError> {
    let file = find(request).map_err(|searched| LoadError::NotFound { searched })?;
    let name = display_path(&file, &request.cwd);
    let text = Text::read(&file, &name).map_err(|not_text| unreadable(&file, not_text))?;
    check(&text, &file, request)
}

/// Returns the hash of the file's current text; `None` if it cannot be read. If it equals [`Config::digest`], the file
/// need not be loaded again, which with many topics takes seconds and a hundred megabytes.
#[must_use]
pub fn digest(request: &LoadRequest<'_>) -> Option<blake3::Hash> {
    let file = find(request).ok()?;
    let text = Text::read(&file, &display_path(&file, &request.cwd)).ok()?;
    Some(blake3::hash(text.as_str().as_bytes()))
}

fn unreadable(file: &Path, NotText { message, hint }: NotText) -> LoadError {
    LoadError::Unreadable { path: file.to_owned(), message, hint }
}

/// Checks text that was read already, as if it were in `file`.
///
/// # Errors
/// [`LoadError::Mistakes`], and [`LoadError::Unreadable`] for lines of more than 64 KiB.
pub fn load_text(text: &str, file: &Path, request: &LoadRequest<'_>) -> Result<Config, LoadError> {
    check(&Text::new(display_path(file, &request.cwd), text), file, request)
}

fn check(text: &Text, file: &Path, request: &LoadRequest<'_>) -> Result<Config, LoadError> {
    text.check_lines().map_err(|not_text| unreadable(file, not_text))?;
    let dir = request.cwd.join(file).parent().map_or_else(|| request.cwd.clone(), Path::to_path_buf);
    let mut mistakes = Mistakes::new(text);
    let mut document = walk(&mut mistakes);
    for (section, table) in [
        (Section::Service, &mut document.service),
        (Section::Database, &mut document.database),
        (Section::Scheduler, &mut document.scheduler),
        (Section::Retention, &mut document.retention),
        (Section::Web, &mut document.web),
    ] {
        environment::apply_overrides(section, table, request, &dir, &mut mistakes);
    }
    let built = build(&document, &dir, request, &mut mistakes);
    let service = built.as_ref().map(|built| &built.0).filter(|service| service.target != Target::Absent);
    let key_variable = service.map(|service| service.api_key_env.as_str());
    let lists = built.iter().map(|built| &built.6);
    let mut named: Vec<&str> = lists.flat_map(|lists| &lists.channels).flat_map(channels::variables).collect();
    let providers = built.iter().flat_map(|built| &built.6.providers);
    named.extend(providers.filter_map(|provider| provider.key_env.as_deref()));
    named.extend(built.iter().filter_map(|built| built.4.token.variable.as_deref()));
    let pings = built.iter().flat_map(|built| &built.6.pings);
    named.extend(pings.filter_map(|ping| ping.url_variable.as_deref()));
    environment::warn_of_typos(request, key_variable, &named, &mut mistakes);

    let failed = mistakes.any_error();
    let (mut errors, notices) = mistakes.finish();
    let Some((service, database, scheduler, retention, web, topics, lists)) = built.filter(|_| !failed) else {
        if errors.is_empty() {
            // This should be unreachable. Even so, a lost configuration must not look like a valid one.
            let mut unknown = Mistakes::new(text);
            unknown.error_without_place("the configuration cannot be used", "please report this file as a bug");
            errors = unknown.finish().0;
        }
        return Err(LoadError::Mistakes(errors));
    };
    let effective = effective(&document, &service, &database.url, text);
    let warnings = notices.iter().map(ToString::to_string).collect();
    let digest = blake3::hash(text.as_str().as_bytes());
    let file = file.to_owned();
    let Lists { providers, reports, channels, exports, alerts, pings } = lists;
    Ok(Config {
        file,
        service,
        providers,
        database,
        scheduler,
        retention,
        topics,
        reports,
        channels,
        exports,
        alerts,
        pings,
        web,
        warnings,
        notices,
        effective,
        digest,
    })
}

type Built = (
    ServiceConfig,
    super::DatabaseConfig,
    super::SchedulerConfig,
    super::RetentionConfig,
    WebConfig,
    Vec<Topic>,
    Lists,
);

/// The sections that may occur several times, except topics.
struct Lists {
    providers: Vec<ProviderConfig>,
    reports: Vec<ReportSpec>,
    channels: Vec<ChannelSpec>,
    exports: Vec<ExportSpec>,
    alerts: Vec<AlertSpec>,
    pings: Vec<PingSpec>,
}

fn build(document: &Document, dir: &Path, request: &LoadRequest<'_>, mistakes: &mut Mistakes<'_>) -> Option<Built> {
    // A file may have only providers. A file that gets its first topics later need not name a service yet.
    let no_topics = request.without_topics && document.topics.is_empty();
    let absent = (!document.providers.is_empty() || document.has_unread_providers() || no_topics)
        && document.service.header.is_none()
        && document.service.values.is_empty()
        && document.service.attempted.is_empty();
    let service = service::read(&document.service, dir, document.broken, absent, mistakes);
    let providers = providers::read(document, dir, mistakes);
    let dialect = service::dialect(&document.service);
    let database = storage::database(&document.database, dir, request, mistakes);
    let scheduler = storage::scheduler(&document.scheduler, database.as_ref(), mistakes);
    let mut pings = Vec::new();
    let topics = topics::read(document, dialect, absent, request, &mut pings, mistakes);
    let channels = channels::read(document, dir, mistakes);
    let output = storage::output_folder(&document.scheduler, dir, mistakes);
    let reports = reports::read(document, &output, request, &mut pings, mistakes);
    let exports = exports::read(document, &output, request, &mut pings, mistakes);
    let of =
        |limits: ServiceLimits| TopicLimits { calls: Some(limits.calls), micros: limits.money.map(|money| money.0) };
    let limits = alerts::Limits {
        service: service.as_ref().filter(|_| !absent).map(|service| of(service.limits())).unwrap_or_default(),
        providers: providers.iter().map(|one| (one.name, of(one.limits()))).collect(),
        prices: service.as_ref().map(|service| least_prices(service, &providers, &topics)).unwrap_or_default(),
    };
    let alerts = alerts::read(document, &limits, mistakes);
    let longest = reports
        .iter()
        .filter_map(|report| report.schedule.as_ref())
        .chain(exports.iter().map(|export| &export.schedule))
        .map(|policy| policy.catch_up_window_ms)
        .chain(schedule_keys::catch_up_windows(document))
        .max();
    let retention = retention::read(&document.retention, longest.unwrap_or(0), mistakes);
    let web = web::read(&document.web, dir, request, mistakes);
    check_sandbox_mix(document, mistakes);
    if let Some(service) = &service {
        budgets::warn_of_small(document, service, &providers, &topics, mistakes);
    }
    budgets::warn_of_alerts_without_limits(document, &alerts, &topics, mistakes);
    let lists = Lists { providers, reports, channels, exports, alerts, pings };
    Some((service?, database?, scheduler?, retention?, web?, topics, lists))
}

/// Returns the expected price of a call of each source that topics use. For a provider, it is that of the topic with
/// the shortest questions and replies: no call is expected to cost less.
fn least_prices(service: &ServiceConfig, providers: &[ProviderConfig], topics: &[Topic]) -> Vec<(Source, i64)> {
    let mut least: BTreeMap<Source, i64> = BTreeMap::new();
    for topic in topics {
        let prices = prices(service, providers, std::slice::from_ref(topic));
        for source in topic.sources() {
            let price = prices.of(source).0;
            least.entry(source).and_modify(|known| *known = price.min(*known)).or_insert(price);
        }
    }
    least.into_iter().collect()
}

/// Reports a mix of sandbox and real providers: invented and real findings are never mixed. Also compares sections in
/// which another key is wrong.
fn check_sandbox_mix(document: &Document, mistakes: &mut Mistakes<'_>) {
    let broken = document.broken;
    let of_providers = document.providers.iter().filter_map(|one| providers::target_of(one, broken));
    let (mut invented, mut real) = (false, false);
    for target in service::target_of(&document.service, broken).into_iter().chain(of_providers) {
        match target {
            Target::Sandbox => invented = true,
            Target::Url(_) => real = true,
            Target::Absent => {}
        }
    }
    if invented && real {
        let last = document.providers.last().and_then(|one| one.table.header.clone()).unwrap_or(0..0);
        let hint = "set base_url = \"sandbox\" for [service] and every provider, or for none";
        mistakes.at(&last, "some providers use the sandbox, and others do not", hint);
    }
}

fn effective(document: &Document, service: &ServiceConfig, database: &str, text: &Text) -> Vec<Effective> {
    let base_url = match &service.target {
        Target::Sandbox => "sandbox".to_owned(),
        Target::Url(url) => url.to_string(),
        Target::Absent => "none".to_owned(),
    };
    let amend = [("base_url", base_url), ("rate_limit", format_rate(service.rate_limit))];
    let mut list = Vec::new();
    if service.target != Target::Absent {
        list.extend(environment::effective(Section::Service, &document.service, &amend, text));
    }
    for provider in &document.providers {
        let name = format!("providers.{}", provider.name);
        list.extend(environment::effective_named(Section::Provider, &name, &provider.table, &[], text));
    }
    let amend = [("url", database.to_owned())];
    list.extend(environment::effective(Section::Database, &document.database, &amend, text));
    list.extend(environment::effective(Section::Scheduler, &document.scheduler, &[], text));
    list.extend(environment::effective(Section::Retention, &document.retention, &[], text));
    list.extend(environment::effective(Section::Web, &document.web, &[], text));
    list
}
