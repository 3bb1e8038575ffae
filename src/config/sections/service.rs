//! `[service]`: where searches go, how, how often and at what price.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use url::{Host, Url};

use crate::budget::Prices;
use crate::config::file::key_reader::Reader;
use crate::config::keys::Section;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::names::{variable_name, word};
use crate::config::values::paths::plain_path;
use crate::config::values::scalars::{budget, bytes, dollars, duration, not_a_url, rate, text};
use crate::config::values::value::Table;
use crate::config::{ServiceConfig, Target};
use crate::model::{DESEARCH_URL, Login};
use crate::search::{Dialect, Rate};

/// Reads the section. Returns `None` if something in it is wrong, which is reported. With `broken`, missing keys are
/// not reported.
pub(in crate::config) fn read(
    table: &Table,
    dir: &Path,
    broken: bool,
    absent: bool,
    mistakes: &mut Mistakes<'_>,
) -> Option<ServiceConfig> {
    let reader = Reader { section: Section::Service, tables: &[table] };
    let dialect = reader.choice(mistakes, "dialect", Dialect::parse);
    let target = match reader.written("base_url") {
        Some(_) => reader.read(mistakes, "base_url", |value| target(&text(value)?, None)),
        None if dialect == Some(Dialect::Desearch) => Url::parse(DESEARCH_URL).ok().map(Target::Url),
        None if absent => Some(Target::Absent),
        None => {
            // One of the dialects needs none.
            if !broken && dialect.is_some() && !table.was_written("base_url") {
                missing(table, mistakes);
            }
            None
        }
    };
    let seconds = Duration::from_secs;
    let platform = reader.read(mistakes, "platform", |value| word(value, "_-"));
    if let (Some(Dialect::Desearch), Some(setting)) = (dialect, reader.written("platform")) {
        let fault = Fault::new("is never sent in dialect \"desearch\"", "remove it");
        mistakes.fault("platform", &setting.origin, fault);
    }
    let api_key_env = reader.read(mistakes, "api_key_env", variable_name);
    let api_key_file = reader
        .written("api_key_file")
        .map(|_| reader.read(mistakes, "api_key_file", plain_path).map(|path| dir.join(path)));
    let call_timeout = reader.read(mistakes, "call_timeout", |v| duration(v, seconds(1), seconds(3_600)));
    let max_concurrent = reader.count(mistakes, "max_concurrent");
    let rate_limit = rate_limit(&reader, target.as_ref(), mistakes);
    let max_tries = reader.count(mistakes, "max_tries");
    let max_response_bytes = reader.read(mistakes, "max_response_bytes", |v| bytes(v, 1_000, 1_000_000_000));
    let max_calls_per_day = reader.count(mistakes, "max_calls_per_day");
    let budget_per_day = reader.written("budget_per_day").map(|_| reader.read(mistakes, "budget_per_day", budget));
    let mut price = |name: &str| reader.read(mistakes, name, dollars);
    let (social, web, ai) = (price("prices.social"), price("prices.web"), price("prices.ai"));

    Some(ServiceConfig {
        target: target?,
        dialect: dialect?,
        platform: platform?,
        api_key_env: api_key_env?,
        api_key_file: match api_key_file {
            Some(path) => Some(path?),
            None => None,
        },
        call_timeout: call_timeout?,
        max_concurrent: max_concurrent?,
        rate_limit: rate_limit?,
        max_tries: max_tries?,
        max_response_bytes: max_response_bytes?,
        max_calls_per_day: max_calls_per_day?,
        budget_per_day: match budget_per_day {
            Some(budget) => Some(budget?),
            None => None,
        },
        prices: Prices { social: social?, web: web?, ai: ai?, providers: std::collections::BTreeMap::new() },
    })
}

/// Returns the dialect for sections that depend on it; `None` if it is wrong, which [`read`] reports.
pub(in crate::config) fn dialect(table: &Table) -> Option<Dialect> {
    let reader = Reader { section: Section::Service, tables: &[table] };
    reader.value_or_default("dialect").and_then(|setting| Dialect::parse(&text(&setting.value).ok()?))
}

/// Returns where searches go, if that is right by itself; [`read`] reports mistakes. With `broken`, a missing key means
/// nothing.
pub(in crate::config) fn target_of(table: &Table, broken: bool) -> Option<Target> {
    match table.values.get("base_url") {
        Some(setting) => target(&text(&setting.value).ok()?, None).ok(),
        None if broken || table.was_written("base_url") || dialect(table) != Some(Dialect::Desearch) => None,
        None => Url::parse(DESEARCH_URL).ok().map(Target::Url),
    }
}

fn missing(table: &Table, mistakes: &mut Mistakes<'_>) {
    const MESSAGE: &str = "`base_url` is missing in [service]";
    const HINT: &str = "write base_url = \"sandbox\" to try without a key, or the service's address";
    match &table.header {
        Some(header) => mistakes.at(header, MESSAGE, HINT),
        None => mistakes.at(&(0..0), MESSAGE, format!("start the file with the line [service]; below it {HINT}")),
    }
}

/// Reads the rate limit. The sandbox is unlimited unless a rate is written: limiting it protects no one.
fn rate_limit(reader: &Reader<'_>, target: Option<&Target>, mistakes: &mut Mistakes<'_>) -> Option<Option<Rate>> {
    if reader.written("rate_limit").is_none() && target == Some(&Target::Sandbox) {
        return Some(None);
    }
    reader.read(mistakes, "rate_limit", rate)
}

/// Paths of single calls. An address must not end in one.
const OPERATIONS: &[&str] = &[
    "/ai/search/links/web",
    "/ai/search/links/twitter",
    "/ai/search",
    "/web/search",
    "/x/search",
    "/twitter/search",
    "/twitter",
    "/web",
];

/// Returns the call path of the service, or of a provider with this login, in which this path ends.
fn operation_of(path: &str, provider: Option<Login>) -> Option<&'static str> {
    let operations: &[&'static str] = match provider {
        None | Some(Login::Bare) => OPERATIONS,
        Some(Login::Bearer) => &["/chat/completions"],
        Some(_) => &[],
    };
    let path = path.trim_end_matches('/').to_ascii_lowercase();
    operations.iter().find(|operation| path.ends_with(*operation)).copied()
}

/// Parses the address of a provider with this login.
pub(in crate::config) fn address(text: &str, login: Login) -> Result<Target, Fault> {
    target(text, Some(login))
}

/// Parses `base_url`, of [service] or of a provider with this login. Messages do not repeat an address that may hold a
/// secret.
fn target(text: &str, provider: Option<Login>) -> Result<Target, Fault> {
    const HINT: &str = "write \"sandbox\" or an address such as \"https://api.example.com\"";
    if text == "sandbox" {
        return Ok(Target::Sandbox);
    }
    let url = Url::parse(text).map_err(|error| {
        let near = crate::config::mistakes::suggest::nearest(text, ["sandbox"])
            .map(|suggestion| format!("did you mean `{suggestion}`?"));
        Fault::new(not_a_url(error), near.unwrap_or_else(|| HINT.to_owned()))
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Fault::new(format!("cannot use {}:", url.scheme()), HINT));
    }
    if !url.username().is_empty() || url.password().is_some() {
        let hint = match provider {
            None => "keep secrets out of the file: put the key in the environment variable that `api_key_env` names",
            Some(Login::Open) => "remove it: no login is sent to a provider of this kind",
            Some(_) => "keep secrets out of the file: put the key in the environment variable that `key_env` names",
        };
        return Err(Fault::new("contains a user name or a password", hint));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(Fault::new(
            "contains a `?` or `#` part",
            "paths are appended to it: end it with the host or a path",
        ));
    }
    if let Some(path) = operation_of(url.path(), provider) {
        let hint = "remove that: every call adds its own path";
        return Err(Fault::new(format!("ends in {path}, which is the path of one call"), hint));
    }
    let loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => return Err(Fault::new("has no host", HINT)),
    };
    if url.scheme() == "http" && !loopback {
        let hint = "write https://; http:// is allowed only for this machine (localhost, 127.0.0.1, [::1])";
        let what = if provider == Some(Login::Open) { "queries" } else { "the key" };
        return Err(Fault::new(format!("would send {what} unencrypted over the network"), hint));
    }
    Ok(Target::Url(url))
}
