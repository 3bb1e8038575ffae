//! `[providers.NAME]`: providers other than the search service, and what topics ask them (`NAME.key`). Each kind
//! declares its keys.

pub(super) mod provider_tables;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use url::Url;

use super::file::document::Document;
use super::file::key_reader::Reader;
use super::keys::Section;
use super::mistakes::fault::Fault;
use super::mistakes::mistake::Mistakes;
use super::sections::service::address;
use super::values::names::variable_name;
use super::values::paths::plain_path;
use super::values::scalars::{
    budget, bytes, check_plain, dollars, duration, flag, integer, one_of_names, plain_text, rate, text, texts,
};
use super::values::template::{TemplateError, fill};
use super::values::value::{ConfigValue, Origin, Table, Value};
use super::{ProviderConfig, Target};
use crate::budget::Price;
use crate::model::{
    Login, LookBackKind, Micros, ProviderKind, ProviderQuery, QueryKey, QueryKeyType, QueryValue, ResultKind, Source,
    about_items,
};
use provider_tables::Provider;

/// The longest text of a query, in characters.
const LONGEST: usize = 8_000;

/// The most addresses of a query.
const MOST: usize = 1_000;

/// Reads all providers; mistakes are reported.
pub(super) fn read(document: &Document, dir: &Path, mistakes: &mut Mistakes<'_>) -> Vec<ProviderConfig> {
    document.providers.iter().filter_map(|provider| one(provider, dir, document.broken, mistakes)).collect()
}

fn one(provider: &Provider, dir: &Path, broken: bool, mistakes: &mut Mistakes<'_>) -> Option<ProviderConfig> {
    let reader = Reader { section: Section::Provider, tables: &[&provider.table] };
    let kind = provider.kind?;
    let target = match reader.written("base_url") {
        Some(_) => reader.read(mistakes, "base_url", |value| address(&text(value)?, kind.login)),
        None => match kind.base_url.and_then(|url| Url::parse(url).ok()) {
            Some(url) => Some(Target::Url(url)),
            None => {
                if let (false, Some(header), false) =
                    (broken, &provider.table.header, provider.table.was_written("base_url"))
                {
                    let hint =
                        format!("write base_url = \"https://…\", the address of your {}, or \"sandbox\"", kind.name);
                    mistakes.at(header, format!("provider {} has no `base_url`", provider.name), hint);
                }
                None
            }
        },
    };
    let user = optional(&reader, "user", mistakes, |value| plain_text(value, 200));
    let key_env = optional(&reader, "key_env", mistakes, variable_name);
    let key_file = optional(&reader, "key_file", mistakes, plain_path);
    let has_key = reader.written("key_env").is_some() || reader.written("key_file").is_some();
    if let (Login::Open, true, Some(setting)) =
        (kind.login, has_key, reader.written("key_env").or_else(|| reader.written("key_file")))
    {
        let key = if reader.written("key_env").is_some() { "key_env" } else { "key_file" };
        let fault = Fault::new(format!("is a key for a provider that does not use one ({})", kind.name), "remove it");
        mistakes.fault(key, &setting.origin, fault);
    }
    // Keys that this kind would ignore.
    for (key, used) in [
        ("user", kind.login == Login::Session),
        ("price.tokens", kind.about_items),
        ("allow_private", kind.reach == LookBackKind::Feed),
    ] {
        if let (false, Some(setting)) = (used, reader.written(key)) {
            let fault = Fault::new(format!("has no effect on a provider of kind {}", kind.name), "remove it");
            mistakes.fault(key, &setting.origin, fault);
        }
    }
    let seconds = Duration::from_secs;
    let call_timeout = reader.read(mistakes, "call_timeout", |v| duration(v, seconds(1), seconds(3_600)));
    let max_concurrent = reader.count(mistakes, "max_concurrent");
    let rate_limit = match target {
        Some(Target::Sandbox) if reader.written("rate_limit").is_none() => Some(None),
        _ => reader.read(mistakes, "rate_limit", rate),
    };
    let max_tries = reader.count(mistakes, "max_tries");
    let max_response_bytes = reader.read(mistakes, "max_response_bytes", |v| bytes(v, 1_000, 1_000_000_000));
    let max_calls_per_day = reader.count(mistakes, "max_calls_per_day");
    let budget_per_day = optional(&reader, "budget_per_day", mistakes, budget);
    let mut price = |name: &str| reader.read(mistakes, name, dollars);
    let (result, tokens) = (price("price.result"), price("price.tokens"));
    let priced = ["price.call", "price.result", "price.tokens"].iter().any(|name| reader.written(name).is_some());
    let call = if kind.billed && !priced { search_service_price(kind.brings) } else { price("price.call") };
    let allow_private = reader.read(mistakes, "allow_private", flag);
    Some(ProviderConfig {
        name: provider.name,
        kind,
        target: target?,
        user: user?,
        key_env: key_env?,
        key_file: key_file?.map(|path| dir.join(path)),
        call_timeout: call_timeout?,
        max_concurrent: max_concurrent?,
        rate_limit: rate_limit?,
        max_tries: max_tries?,
        max_response_bytes: max_response_bytes?,
        max_calls_per_day: max_calls_per_day?,
        budget_per_day: budget_per_day?,
        price: Price { call: call?, result: result?, tokens: tokens? },
        allow_private: allow_private?,
    })
}

/// Returns where the calls of a provider go, if that is right by itself; [`read`] reports mistakes. With `broken`, a
/// missing key means nothing.
pub(super) fn target_of(provider: &Provider, broken: bool) -> Option<Target> {
    let kind = provider.kind?;
    match provider.table.values.get("base_url") {
        Some(setting) => address(&text(&setting.value).ok()?, kind.login).ok(),
        None if broken || provider.table.was_written("base_url") => None,
        None => Url::parse(kind.base_url?).ok().map(Target::Url),
    }
}

/// Returns the search service's default price of a call with this kind of result.
fn search_service_price(brings: ResultKind) -> Option<Micros> {
    let name = match brings {
        ResultKind::Posts => "prices.social",
        ResultKind::Pages => "prices.web",
        ResultKind::Answer => "prices.ai",
    };
    let default = Reader { section: Section::Service, tables: &[] }.value_or_default(name)?;
    dollars(&default.value).ok()
}

/// Reads an optional key; the outer `None` is a fault.
#[expect(clippy::option_option, reason = "left out is no fault")]
fn optional<T>(
    reader: &Reader<'_>,
    key: &str,
    mistakes: &mut Mistakes<'_>,
    parse: impl FnOnce(&Value) -> Result<T, Fault>,
) -> Option<Option<T>> {
    match reader.written(key) {
        None => Some(None),
        Some(_) => reader.read(mistakes, key, parse).map(Some),
    }
}

/// The context for building a query to a provider.
pub(super) struct QueryContext<'a> {
    /// The topic's table, then `[defaults]`.
    pub(super) tables: &'a [&'a Table],
    pub(super) query: Option<&'a str>,
    pub(super) title: &'a str,
}

/// Why there is no query.
pub(super) enum NoQuery {
    /// A mistake, which was reported.
    Reported,
    /// The topic's `query` is needed by this key, but missing.
    NeedsQuery(&'static str),
    /// A key of the provider is needed but missing.
    NeedsKey(&'static str),
}

impl QueryContext<'_> {
    /// Builds the topic's query to a provider.
    pub(super) fn query(
        &self,
        provider: &Provider,
        kind: &'static ProviderKind,
        mistakes: &mut Mistakes<'_>,
    ) -> Result<ProviderQuery, NoQuery> {
        let name = provider.name;
        let mut keys = BTreeMap::new();
        let mut wrong = false;
        for key in kind.asks {
            // It was reported; neither its default nor its absence is meant.
            if self.tables.iter().any(|table| table.attempted_asks.contains(&(name, key.name))) {
                wrong = true;
                continue;
            }
            let full = format!("{name}.{}", key.name);
            let written = self.tables.iter().find_map(|table| table.asks.get(&name)?.get(key.name));
            let default = || {
                let value = Value::of_default(key.default?)?;
                Some(ConfigValue { value, origin: Origin::Default })
            };
            let Some(setting) = written.cloned().or_else(default) else { continue };
            match self.value(key, &setting.value, provider.table.was_written("base_url")) {
                Ok(value) => {
                    keys.insert(key.name.to_owned(), value);
                }
                Err(TemplateError::NeedsQuery) => return Err(NoQuery::NeedsQuery(key.name)),
                Err(TemplateError::Wrong(fault)) => {
                    mistakes.fault(&full, &setting.origin, fault);
                    wrong = true;
                }
            }
        }
        if wrong {
            return Err(NoQuery::Reported);
        }
        if !keys.contains_key(kind.needs) {
            return Err(NoQuery::NeedsKey(kind.needs));
        }
        Ok(ProviderQuery { source: name, kind: kind.name.to_owned(), keys })
    }

    /// Reads one key; `has_base` is whether the provider has an address to which others may be relative.
    fn value(&self, key: &QueryKey, value: &Value, has_base: bool) -> Result<QueryValue, TemplateError> {
        let wrong = TemplateError::Wrong;
        match key.shape {
            QueryKeyType::Text => {
                let filled = fill(&text(value).map_err(wrong)?, self.query, self.title)?;
                check_plain(&filled, LONGEST, true).map_err(wrong)?;
                Ok(QueryValue::Text(filled))
            }
            QueryKeyType::Texts => {
                let list = texts(value, MOST, 2_000).map_err(wrong)?;
                if list.is_empty() {
                    return Err(wrong(Fault::new("is empty", "add an entry, or remove the key")));
                }
                if key.name == "urls" {
                    check_urls(&list, has_base).map_err(wrong)?;
                }
                Ok(QueryValue::Texts(list))
            }
            QueryKeyType::Count(least, most) => {
                let number = integer(value, least, most).map_err(wrong)?;
                Ok(QueryValue::Count(u32::try_from(number).unwrap_or(u32::MAX)))
            }
            QueryKeyType::Flag => Ok(QueryValue::Flag(flag(value).map_err(wrong)?)),
            QueryKeyType::OneOf(choices) => Ok(QueryValue::Text(one_of_names(value, &choices()).map_err(wrong)?)),
        }
    }
}

/// Returns why these sources cannot give an answer: a run keeps only one answer, and an answer about items needs a
/// source that finds some.
pub(super) fn answer_conflict(sources: &[Source], queries: &[ProviderQuery]) -> Option<(String, &'static str)> {
    let writes = |source: &&Source| {
        let provider = queries.iter().find(|one| one.source == **source);
        provider.map_or(**source == Source::Ai, |one| one.result_kind() == ResultKind::Answer)
    };
    let answers: Vec<&str> = sources.iter().filter(writes).map(Source::as_str).collect();
    let [first, rest @ ..] = answers.as_slice() else { return None };
    if !rest.is_empty() {
        let hint = "keep one of them; a second topic with the same query can use the other";
        return Some((format!("has two sources that write an answer: {}", answers.join(", ")), hint));
    }
    let writes_about_items = queries.iter().any(|one| one.source.as_str() == *first && about_items(&one.kind));
    let alone = writes_about_items && sources.len() == 1;
    let hint = "add one, such as feeds or a search";
    alone.then(|| (format!("has no source that finds items for {first} to write about"), hint))
}

/// Checks addresses. One without a scheme is relative to the provider's, if that was written; any other must be http or
/// https.
fn check_urls(urls: &[String], has_base: bool) -> Result<(), Fault> {
    for url in urls {
        if !url.contains("://") {
            if url.contains(['?', '#', ' ', ':']) {
                return Err(Fault::new(format!("contains {url:?}, which is not a URL"), "write https://…"));
            }
            if !has_base {
                let message = format!("contains {url:?}, which does not begin with https://");
                return Err(Fault::new(message, "write https://…, or set the provider's `base_url`"));
            }
            continue;
        }
        match Url::parse(url) {
            Ok(parsed) if !matches!(parsed.scheme(), "http" | "https") => {
                return Err(Fault::new(format!("cannot use {}:", parsed.scheme()), "write https://…"));
            }
            Ok(parsed) if !parsed.username().is_empty() || parsed.password().is_some() => {
                return Err(Fault::new(
                    "contains a user name or a password",
                    "feeds that need a login are not supported",
                ));
            }
            Ok(_) => {}
            Err(error) => return Err(Fault::new(format!("contains an invalid URL: {error}"), "write https://…")),
        }
    }
    Ok(())
}
