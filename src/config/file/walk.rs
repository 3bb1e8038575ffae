//! Walks one section of the file: known keys go into its table, all others are reported.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key_reader::{expected, fits, kind};
use crate::config::channels::channel_keys::foreign;
use crate::config::keys::{KEYS, Key, Section, of};
use crate::config::mistakes::mistake::Mistakes;
use crate::config::mistakes::other_words::key_of_word;
use crate::config::mistakes::redact::is_secret_name;
use crate::config::mistakes::suggest::{nearest, other_name};
use crate::config::providers::provider_tables::Provider;
use crate::config::values::value::{ConfigValue, Origin, Table, Value};
use crate::model::{ChannelKind, KINDS, Login, ProviderKind};

/// Returns the sections in which a key or a group of keys belongs, as a list in a sentence.
pub(super) fn sections_of(name: &str) -> Option<String> {
    let is_group = |key: &Key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let mut sections: Vec<String> = Vec::new();
    for key in KEYS.iter().filter(|key| key.name == name || is_group(key)) {
        let section = key.section.as_str();
        let header = match key.section {
            Section::Topic | Section::Report | Section::Channel | Section::Export | Section::Alert => {
                format!("[[{section}]]")
            }
            _ => format!("[{section}]"),
        };
        if sections.contains(&header) {
            continue;
        }
        sections.push(header);
        sections.extend(key.has_default_section().then(|| "[defaults]".to_owned()));
    }
    let last = sections.pop()?;
    Some(if sections.is_empty() { last } else { format!("{} or {last}", sections.join(", ")) })
}

/// The providers under whose names a section may have keys.
#[derive(Clone, Copy)]
pub(super) struct Providers<'p> {
    pub(super) list: &'p [Provider],
    /// Whether the file has others that could not be read, which was reported.
    pub(super) more: bool,
}

impl Providers<'_> {
    /// For sections without such keys.
    const NONE: Self = Self { list: &[], more: false };
}

/// Walks a section that occurs once; `heading` is its header's name.
pub(in crate::config) fn one(
    mistakes: &mut Mistakes<'_>,
    section: Section,
    heading: &'static str,
    name: &Name<'_>,
    value: &Spanned<DeValue<'_>>,
) -> Table {
    one_with_providers(mistakes, section, heading, name, value, Providers::NONE)
}

/// Like [`one`], for a section that may have keys of providers.
pub(super) fn one_with_providers(
    mistakes: &mut Mistakes<'_>,
    section: Section,
    heading: &'static str,
    name: &Name<'_>,
    value: &Spanned<DeValue<'_>>,
    providers: Providers<'_>,
) -> Table {
    let mut table = Table { header: Some(value.span()), ..Table::default() };
    let keys: Vec<_> = of(section).filter(|key| heading != "defaults" || key.has_default_section()).collect();
    match value.get_ref() {
        DeValue::Table(entries) => {
            Walk { section, keys, heading, mistakes, providers }.entries("", entries, &mut table);
        }
        other => {
            let hint = format!("write [{heading}] on a line of its own, keys below it");
            mistakes.at(&name.span(), format!("`{heading}` is a section, found {}", kind(other)), hint);
            table.attempted = keys.iter().map(|key| key.name).collect();
        }
    }
    table
}

/// Walks a section that may occur several times; `one` is the word for one of them.
pub(in crate::config) fn many(
    mistakes: &mut Mistakes<'_>,
    section: Section,
    one: &str,
    name: &Name<'_>,
    value: Spanned<DeValue<'_>>,
    tables: &mut Vec<Table>,
) {
    many_with_providers(mistakes, section, one, name, value, tables, Providers::NONE);
}

/// Like [`many`], for a section that may have keys of providers.
pub(super) fn many_with_providers(
    mistakes: &mut Mistakes<'_>,
    section: Section,
    one: &str,
    name: &Name<'_>,
    value: Spanned<DeValue<'_>>,
    tables: &mut Vec<Table>,
    providers: Providers<'_>,
) {
    let heading = section.as_str();
    let hint = format!("write [[{heading}]] on a line of its own before each {one}");
    let list = match value.into_inner() {
        DeValue::Array(list) => list,
        other => {
            mistakes.at(&name.span(), format!("`{heading}` is a list of sections, found {}", kind(&other)), hint);
            return;
        }
    };
    tables.reserve(list.len());
    for entry in list {
        let DeValue::Table(entries) = entry.get_ref() else {
            mistakes.at(&entry.span(), format!("a {one} is a section, found {}", kind(entry.get_ref())), &hint);
            continue;
        };
        let mut table = Table { header: Some(entry.span()), ..Table::default() };
        Walk { section, keys: of(section).collect(), heading, mistakes, providers }.entries("", entries, &mut table);
        tables.push(table);
    }
}

/// Returns the value of a key.
fn value_of<'e, 'i>(entries: &'e DeTable<'i>, name: &str) -> Option<&'e DeValue<'i>> {
    entries.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value.get_ref())
}

pub(in crate::config) type Name<'i> = Spanned<std::borrow::Cow<'i, str>>;

/// The state of the walk through one section.
struct Walk<'w, 't> {
    section: Section,
    keys: Vec<&'static Key>,
    heading: &'static str,
    mistakes: &'w mut Mistakes<'t>,
    providers: Providers<'w>,
}

impl Walk<'_, '_> {
    fn entries(&mut self, prefix: &str, entries: &DeTable<'_>, table: &mut Table) {
        for (name, value) in entries {
            let path =
                if prefix.is_empty() { name.get_ref().to_string() } else { format!("{prefix}.{}", name.get_ref()) };
            let provider =
                self.providers.list.iter().find(|one| prefix.is_empty() && one.name.as_str() == name.get_ref());
            if let Some(provider) = provider {
                provider.read_topic_keys(value, table, self.mistakes);
            } else if let Some(key) = self.keys.iter().copied().find(|key| key.name == path) {
                self.read_key(key, name.span(), value, table);
            } else if self.is_group(&path) {
                match value.get_ref() {
                    DeValue::Table(inner) => self.entries(&path, inner, table),
                    other => {
                        let hint = format!("write one of its keys: {}", self.members(&path));
                        let message = format!("`{path}` is a group of keys, found {}", kind(other));
                        self.mistakes.at(&value.span(), message, hint);
                    }
                }
            } else if prefix.is_empty() && self.providers.more && matches!(value.get_ref(), DeValue::Table(_)) {
                // The keys of a provider whose section could not be read.
            } else {
                let provider = self.near_provider(name.get_ref(), value.get_ref()).filter(|_| prefix.is_empty());
                let (hint, suggestion) = match provider {
                    Some(provider) => {
                        let asks = provider.kind.iter().flat_map(|kind| kind.asks);
                        table.attempted_asks.extend(asks.map(|key| (provider.name, key.name)));
                        (format!("did you mean `{}`?", provider.name), None)
                    }
                    None => self.hint(&path, name.get_ref(), entries),
                };
                table.attempted.extend(suggestion);
                let message = format!("unknown key `{path}` in [{}]", self.heading);
                self.mistakes.at(&name.span(), message, hint);
            }
        }
    }

    fn read_key(&mut self, key: &'static Key, at: Range<usize>, value: &Spanned<DeValue<'_>>, table: &mut Table) {
        let (found, span) = (value.get_ref(), value.span());
        if !fits(key.shape, found) {
            let (wanted, example) = expected(key.shape, found);
            let found = match found {
                DeValue::Array(list) => list
                    .iter()
                    .find(|element| !matches!(element.get_ref(), DeValue::String(_)))
                    .map_or_else(|| "a list".to_owned(), |e| format!("a list containing {}", kind(e.get_ref()))),
                other => kind(other).to_owned(),
            };
            let message = format!("`{}` takes {wanted}, found {found}", key.name);
            self.mistakes.at(&span, message, format!("write {} = {example}", key.name));
            table.attempted.push(key.name);
            return;
        }
        let origin = Origin::File { key: at, value: span };
        match Value::of(found) {
            Some(Ok(value)) => {
                table.values.insert(key.name, ConfigValue { value, origin });
            }
            Some(Err(fault)) => {
                self.mistakes.fault(key.name, &origin, fault);
                table.attempted.push(key.name);
            }
            None => {}
        }
    }

    /// Returns the provider that was meant by the name of a group of keys.
    fn near_provider(&self, name: &str, value: &DeValue<'_>) -> Option<&Provider> {
        let DeValue::Table(_) = value else { return None };
        let groups = self.keys.iter().filter_map(|key| Some(key.name.split_once('.')?.0));
        let near = nearest(name, groups.chain(self.providers.list.iter().map(|one| one.name.as_str())))?;
        self.providers.list.iter().find(|one| one.name.as_str() == near)
    }

    fn is_group(&self, path: &str) -> bool {
        self.keys.iter().any(|key| key.name.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
    }

    fn members(&self, path: &str) -> String {
        let members = self.keys.iter().map(|key| key.name);
        members
            .filter(|name| name.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns what to write instead of an unknown key of a provider whose kind is known, if its kind explains the mistake.
    fn hint_of_kind(&self, path: &str, entries: &DeTable<'_>) -> Option<String> {
        let kind = value_of(entries, "kind").filter(|_| self.section == Section::Provider)?;
        let kind = ProviderKind::named(kind.as_str()?)?;
        if kind.login == Login::Open && is_secret_name(path) {
            return Some(format!("remove it: a provider of kind {} uses no key", kind.name));
        }
        let key = kind.asks.iter().find(|key| key.name == path || key.name.strip_suffix('s') == Some(path))?;
        Some(format!("write it in the topics, under the provider's name: NAME.{} = …", key.name))
    }

    /// Returns the keys that a hint may name: of a channel of a known kind, those of its kind.
    fn keys_to_name(&self, channel: Option<ChannelKind>) -> Vec<&'static Key> {
        let foreign = channel.map_or_else(Vec::new, foreign);
        self.keys.iter().copied().filter(|key| !foreign.contains(&key.name)).collect()
    }

    /// Returns what to write instead of an unknown key, and the key that was probably meant. `entries` are all keys of
    /// its section.
    fn hint(&self, path: &str, last: &str, entries: &DeTable<'_>) -> (String, Option<&'static str>) {
        if let Some(hint) = self.hint_of_kind(path, entries) {
            return (hint, None);
        }
        if self.section == Section::Service && is_secret_name(last) {
            let hint = "keep the key out of the file: put it in the environment variable TOPICWATCH_API_KEY (another \
                        name: `api_key_env`), or in a file that only you can read (`api_key_file`)";
            return (hint.to_owned(), None);
        }
        let channel = value_of(entries, "kind").filter(|_| self.section == Section::Channel);
        let channel = channel.and_then(|kind| ChannelKind::parse(kind.as_str()?));
        let keys = self.keys_to_name(channel);
        let named = |name: &str| keys.iter().map(|key| key.name).find(|key| *key == name);
        let of_channel = || ["password_env", "secret_env", "token_env"].into_iter().find_map(named);
        if let (Some(kind), true) = (channel, is_secret_name(last))
            && of_channel().is_none()
        {
            let hint = format!(
                "remove it: the only secret of kind = \"{kind}\" is the URL; `url_env` keeps it out of the file"
            );
            return (hint, None);
        }
        let secret = match self.section {
            Section::Channel => Some(channel.and_then(|_| of_channel())),
            Section::Provider => Some(Some("key_env")),
            Section::Web => Some(Some("token_env")),
            _ => None,
        };
        if let (Some(usual), true) = (secret, is_secret_name(last)) {
            let own = format!("{last}_env");
            let key = named(&own).or(usual);
            let place = match key {
                Some(key) => format!("{key} = \"…\""),
                None => "in password_env, secret_env or token_env, by kind".to_owned(),
            };
            return (format!("keep it out of the file: name the environment variable that holds it, {place}"), key);
        }
        if let Some(hint) = other_name(path) {
            return (hint.to_owned(), None);
        }
        let has = |name: &str| keys.iter().any(|key| key.name == name);
        if let Some(meant) = key_of_word(self.section, path, |key| has(key) && value_of(entries, key).is_none()) {
            return (format!("did you mean `{meant}`?"), Some(meant));
        }
        if matches!(path, "enabled" | "disabled" | "active") && has("paused") {
            return ("write paused = true to switch it off".to_owned(), None);
        }
        if self.section == Section::Provider && KINDS.iter().flat_map(|kind| kind.asks).any(|key| key.name == path) {
            return (format!("write it in the topics, under the provider's name: NAME.{path} = …"), None);
        }
        let groups = keys.iter().filter_map(|key| Some(key.name.split_once('.')?.0));
        // To a short word, other words are as near as its plural.
        let is_plural = |name: &&str| name.strip_suffix('s') == Some(path) || path.strip_suffix('s') == Some(*name);
        let names = || keys.iter().map(|key| key.name);
        let near = names().find(is_plural).or_else(|| nearest(path, names().chain(groups)));
        match (near, sections_of(path)) {
            (Some(near), None) => return (format!("did you mean `{near}`?"), Some(near)),
            (Some(near), Some(sections)) => {
                return (format!("did you mean `{near}`? `{path}` belongs under {sections}"), Some(near));
            }
            (None, Some(sections)) => return (format!("`{path}` belongs under {sections}"), None),
            (None, None) => {}
        }
        // `[web]` also begins keys of topics, such as `web.limit`.
        let whole = format!("{}.{path}", self.heading);
        if let Some(sections) = sections_of(&whole) {
            return (format!("`{whole}` belongs under {sections}"), None);
        }
        let leaf = |key: &&&'static Key| key.name.rsplit('.').next() == Some(last);
        let same: Vec<&'static str> = keys.iter().filter(leaf).map(|key| key.name).collect();
        if let Some(suggestion) = same.first() {
            let names: Vec<String> = same.iter().map(|name| format!("`{name}`")).collect();
            return (format!("did you mean {}?", names.join(" or ")), Some(*suggestion));
        }
        let group = path.rsplit_once('.').map_or("", |(group, _)| group);
        let hint = if !group.is_empty() && self.is_group(group) {
            format!("its keys are {}", self.members(group))
        } else if keys.len() > 16 {
            "the annotated jobs.toml of `topicwatch init` shows every key".to_owned()
        } else {
            let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
            format!("keys of [{}]: {}", self.heading, names.join(", "))
        };
        (hint, None)
    }
}
