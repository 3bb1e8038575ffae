//! The parsed document, walked key by key into tables of known keys: everything unknown and everything of the wrong type
//! is reported here, with its place. What the values mean is not looked at.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key_reader::{expected, fits, kind};
use super::keys::{KEYS, Key, LATER, Section, Shape, of};
use crate::model::{AskShape, ProviderKind, Source};
use super::mistake::Mistakes;
use super::redact::is_secret_name;
use super::suggest::nearest;
use super::value::{Given, Origin, Table, Value};

/// The file, section by section.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// `[service]`.
    pub(super) service: Table,
    /// Each of `[providers.NAME]`.
    pub(super) providers: Vec<Provider>,
    /// `[database]`.
    pub(super) database: Table,
    /// `[scheduler]`.
    pub(super) scheduler: Table,
    /// `[retention]`.
    pub(super) retention: Table,
    /// `[web]`.
    pub(super) web: Table,
    /// `[defaults]`.
    pub(super) defaults: Table,
    /// Each of `[[topics]]`.
    pub(super) topics: Vec<Table>,
    /// Each of `[[reports]]`.
    pub(super) reports: Vec<Table>,
    /// Each of `[[channels]]`.
    pub(super) channels: Vec<Table>,
    /// Each of `[[exports]]`.
    pub(super) exports: Vec<Table>,
    /// Each of `[[alerts]]`.
    pub(super) alerts: Vec<Table>,
    /// Whether topics were written, however wrongly.
    pub(super) topics_attempted: bool,
    /// Whether the syntax is so broken that what is missing says nothing.
    pub(super) broken: bool,
}

/// One of `[providers.NAME]`.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) name: Source,
    /// What it is; none when that is wrong, which was reported.
    pub(super) kind: Option<&'static ProviderKind>,
    pub(super) table: Table,
}

/// Parses and walks the text. With syntax errors that concern one value each, the rest is walked all the same; with
/// others (a header cut off, a list never closed) what follows would be misread, and only they are reported.
pub(super) fn walk(mistakes: &mut Mistakes<'_>) -> Document {
    let text = mistakes.text().as_str();
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut document = Document { broken: !errors.is_empty(), ..Document::default() };
    if !errors.is_empty() {
        if super::syntax::report(mistakes, root.get_ref(), errors) {
            return document;
        }
        mistakes.quiet_lines_of_errors();
    }
    if let Some((name, value)) = root.get_ref().iter().find(|(name, _)| name.get_ref() == "providers") {
        document.providers = providers(mistakes, name, value, document.broken);
    }
    let known = std::mem::take(&mut document.providers);
    for (name, value) in root.get_ref() {
        match name.get_ref().as_ref() {
            "providers" => {}
            "service" => document.service = one(mistakes, Section::Service, "service", name, value),
            "database" => document.database = one(mistakes, Section::Database, "database", name, value),
            "scheduler" => document.scheduler = one(mistakes, Section::Scheduler, "scheduler", name, value),
            "retention" => document.retention = one(mistakes, Section::Retention, "retention", name, value),
            "web" => document.web = one(mistakes, Section::Web, "web", name, value),
            "defaults" => document.defaults = one_asking(mistakes, Section::Topic, "defaults", name, value, &known),
            "topics" => {
                document.topics_attempted |= !matches!(value.get_ref(), DeValue::Array(list) if list.is_empty());
                many_asking(mistakes, Section::Topic, "topic", name, value, &mut document.topics, &known);
            }
            "reports" => many(mistakes, Section::Report, "report", name, value, &mut document.reports),
            "channels" => many(mistakes, Section::Channel, "channel", name, value, &mut document.channels),
            "exports" => many(mistakes, Section::Export, "export", name, value, &mut document.exports),
            "alerts" => many(mistakes, Section::Alert, "alert", name, value, &mut document.alerts),
            unknown => {
                let (hint, meant) = unknown_section(unknown);
                document.topics_attempted |= meant == Some("topics");
                if meant == Some("service") {
                    document.service.attempted.push("base_url");
                }
                mistakes.at(&name.span(), format!("unknown key `{unknown}`"), hint);
            }
        }
    }
    document.providers = known;
    document
}

/// All of `[providers]`.
fn providers(
    mistakes: &mut Mistakes<'_>,
    name: &Name<'_>,
    value: &Spanned<DeValue<'_>>,
    broken: bool,
) -> Vec<Provider> {
    let DeValue::Table(entries) = value.get_ref() else {
        let hint = "write [providers.NAME] on a line of its own, keys below it";
        mistakes.at(&name.span(), format!("`providers` is a section, found {}", kind(value.get_ref())), hint);
        return Vec::new();
    };
    let mut all = Vec::new();
    for (name, value) in entries {
        let written = name.get_ref();
        let taken = written == "service" || of(Section::Topic).any(|key| key.name.split('.').next() == Some(written.as_ref()));
        let hint = "choose another: 1 to 24 of a-z, 0-9, - and _, beginning with a letter";
        let Some(source) = Source::parse(written).filter(|source| !source.is_service() && !taken) else {
            let shown: String = written.chars().take(60).collect();
            let why = if taken || Source::parse(written).is_some() { "is the name of something else" } else { "is no name" };
            mistakes.at(&name.span(), format!("{shown:?} {why}"), hint);
            continue;
        };
        let table = one(mistakes, Section::Provider, "providers", name, value);
        let kind = super::providers::kind_of(&table, source, broken, mistakes);
        all.push(Provider { name: source, kind, table });
    }
    all
}

/// What to write instead of an unknown section, and the one that was probably meant.
fn unknown_section(name: &str) -> (String, Option<&'static str>) {
    const NEAR: [(&str, &str); 19] = [
        ("service", "service"),
        ("providers", "providers.NAME"),
        ("provider", "providers.NAME"),
        ("database", "database"),
        ("scheduler", "scheduler"),
        ("retention", "retention"),
        ("web", "web"),
        ("defaults", "defaults"),
        ("default", "defaults"),
        ("topics", "topics"),
        ("topic", "topics"),
        ("reports", "reports"),
        ("report", "reports"),
        ("channels", "channels"),
        ("channel", "channels"),
        ("exports", "exports"),
        ("export", "exports"),
        ("alerts", "alerts"),
        ("alert", "alerts"),
    ];
    if LATER.contains(&name) {
        return ("not available in this version".to_owned(), None);
    }
    let near = nearest(name, NEAR.iter().map(|(word, _)| *word));
    if let Some((_, meant)) = NEAR.iter().find(|(word, _)| Some(*word) == near) {
        let listed = matches!(*meant, "topics" | "reports" | "channels" | "exports" | "alerts");
        let header = if listed { format!("[[{meant}]]") } else { format!("[{meant}]") };
        return (format!("did you mean `{header}`?"), Some(*meant));
    }
    match KEYS.iter().find(|key| key.name == name) {
        Some(key) => (format!("`{name}` belongs under {}", home(key)), None),
        None => (
            "the file has [service], [providers.NAME], [database], [scheduler], [retention], [web], [defaults], [[topics]], [[reports]], [[channels]], \
             [[exports]] and [[alerts]]"
                .to_owned(),
            None,
        ),
    }
}

fn home(key: &Key) -> String {
    match key.section {
        Section::Topic if key.has_default_section() => "[[topics]] or [defaults]".to_owned(),
        Section::Topic | Section::Report | Section::Channel | Section::Export | Section::Alert => {
            format!("[[{}]]", key.section.as_str())
        }
        section => format!("[{}]", section.as_str()),
    }
}

/// A section written once; `shown` is its header's name.
fn one(
    mistakes: &mut Mistakes<'_>,
    section: Section,
    shown: &'static str,
    name: &Name<'_>,
    value: &Spanned<DeValue<'_>>,
) -> Table {
    one_asking(mistakes, section, shown, name, value, &[])
}

/// The same, where providers may be asked.
fn one_asking(
    mistakes: &mut Mistakes<'_>,
    section: Section,
    shown: &'static str,
    name: &Name<'_>,
    value: &Spanned<DeValue<'_>>,
    providers: &[Provider],
) -> Table {
    let mut table = Table { header: Some(value.span()), ..Table::default() };
    let keys: Vec<_> = of(section).filter(|key| shown != "defaults" || key.has_default_section()).collect();
    match value.get_ref() {
        DeValue::Table(entries) => Walk { section, keys, shown, mistakes, providers }.entries("", entries, &mut table),
        other => {
            let hint = format!("write [{shown}] on a line of its own, keys below it");
            mistakes.at(&name.span(), format!("`{shown}` is a section, found {}", kind(other)), hint);
            table.attempted = keys.iter().map(|key| key.name).collect();
        }
    }
    table
}

/// A section written any number of times; `one` is what each of it is.
fn many(
    mistakes: &mut Mistakes<'_>,
    section: Section,
    one: &str,
    name: &Name<'_>,
    value: &Spanned<DeValue<'_>>,
    tables: &mut Vec<Table>,
) {
    many_asking(mistakes, section, one, name, value, tables, &[]);
}

/// The same, where providers may be asked.
fn many_asking(
    mistakes: &mut Mistakes<'_>,
    section: Section,
    one: &str,
    name: &Name<'_>,
    value: &Spanned<DeValue<'_>>,
    tables: &mut Vec<Table>,
    providers: &[Provider],
) {
    let shown = section.as_str();
    let hint = format!("write [[{shown}]] on a line of its own before each {one}");
    let DeValue::Array(list) = value.get_ref() else {
        mistakes.at(&name.span(), format!("`{shown}` is a list of sections, found {}", kind(value.get_ref())), hint);
        return;
    };
    for entry in list.iter() {
        let DeValue::Table(entries) = entry.get_ref() else {
            mistakes.at(&entry.span(), format!("a {one} is a section, found {}", kind(entry.get_ref())), &hint);
            continue;
        };
        let mut table = Table { header: Some(entry.span()), ..Table::default() };
        Walk { section, keys: of(section).collect(), shown, mistakes, providers }.entries("", entries, &mut table);
        tables.push(table);
    }
}

type Name<'i> = Spanned<std::borrow::Cow<'i, str>>;

/// The walk through one section.
struct Walk<'w, 't> {
    section: Section,
    keys: Vec<&'static Key>,
    shown: &'static str,
    mistakes: &'w mut Mistakes<'t>,
    /// Under whose names there may be keys.
    providers: &'w [Provider],
}

impl Walk<'_, '_> {
    fn entries(&mut self, prefix: &str, entries: &DeTable<'_>, table: &mut Table) {
        for (name, value) in entries {
            let path =
                if prefix.is_empty() { name.get_ref().to_string() } else { format!("{prefix}.{}", name.get_ref()) };
            let asked = self.providers.iter().find(|one| prefix.is_empty() && one.name.as_str() == name.get_ref());
            if let Some(provider) = asked {
                self.asks(provider, value, table);
            } else if let Some(key) = self.keys.iter().copied().find(|key| key.name == path) {
                self.known(key, name.span(), value, table);
            } else if self.is_group(&path) {
                match value.get_ref() {
                    DeValue::Table(inner) => self.entries(&path, inner, table),
                    other => {
                        let hint = format!("write one of its keys: {}", self.members(&path));
                        let message = format!("`{path}` is a group of keys, found {}", kind(other));
                        self.mistakes.at(&value.span(), message, hint);
                    }
                }
            } else {
                let (hint, meant) = self.hint(&path, name.get_ref());
                table.attempted.extend(meant);
                let message = format!("unknown key `{path}` in [{}]", self.shown);
                self.mistakes.at(&name.span(), message, hint);
            }
        }
    }

    fn known(&mut self, key: &'static Key, at: Range<usize>, value: &Spanned<DeValue<'_>>, table: &mut Table) {
        let (found, span) = (value.get_ref(), value.span());
        if !fits(key.shape, found) {
            let (wanted, example) = expected(key.shape);
            let found = match found {
                DeValue::Array(list) => list
                    .iter()
                    .find(|element| !matches!(element.get_ref(), DeValue::String(_)))
                    .map_or_else(|| "a list".to_owned(), |e| format!("a list holding {}", kind(e.get_ref()))),
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
                table.given.insert(key.name, Given { value, origin });
            }
            Some(Err(fault)) => {
                self.mistakes.fault(key.name, &origin, fault);
                table.attempted.push(key.name);
            }
            None => {}
        }
    }

    /// What a topic asks a provider.
    fn asks(&mut self, provider: &Provider, value: &Spanned<DeValue<'_>>, table: &mut Table) {
        let name = provider.name;
        // What its keys are is not known when its kind is wrong, which was reported.
        let Some(known) = provider.kind else { return };
        let names: Vec<&str> = known.asks.iter().map(|key| key.name).collect();
        let all = names.iter().map(|key| format!("{name}.{key}")).collect::<Vec<_>>().join(", ");
        let DeValue::Table(entries) = value.get_ref() else {
            let message = format!("`{name}` is a group of keys, found {}", kind(value.get_ref()));
            self.mistakes.at(&value.span(), message, format!("write one of its keys: {all}"));
            return;
        };
        for (at, value) in entries {
            let Some(key) = known.asks.iter().find(|key| key.name == at.get_ref()) else {
                let hint = match nearest(at.get_ref(), names.iter().copied()) {
                    Some(meant) => format!("did you mean `{name}.{meant}`?"),
                    None => format!("its keys are {all}"),
                };
                let shown: String = at.get_ref().chars().take(60).collect();
                self.mistakes.at(&at.span(), format!("{} takes no `{name}.{shown}`", known.name), hint);
                continue;
            };
            let shape = match key.shape {
                AskShape::Text => Shape::Text,
                AskShape::Texts => Shape::Texts,
                AskShape::Count(least, most) => Shape::Integer(least, most),
                AskShape::OneOf(choices) => Shape::OneOf(choices),
            };
            let (found, span) = (value.get_ref(), value.span());
            let (wanted, example) = expected(shape);
            let origin = Origin::File { key: at.span(), value: span.clone() };
            match Value::of(found).filter(|_| fits(shape, found)) {
                Some(Ok(value)) => {
                    table.asks.entry(name).or_default().insert(key.name, Given { value, origin });
                }
                Some(Err(fault)) => self.mistakes.fault(&format!("{name}.{}", key.name), &origin, fault),
                None => {
                    let message = format!("`{name}.{}` takes {wanted}, found {}", key.name, kind(found));
                    self.mistakes.at(&span, message, format!("write {name}.{} = {example}", key.name));
                }
            }
        }
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

    /// What to write instead of an unknown key, and the key that was probably meant.
    fn hint(&self, path: &str, last: &str) -> (String, Option<&'static str>) {
        if self.section == Section::Service && is_secret_name(last) {
            let hint = "keep the key out of the file: put it into the environment variable TOPICWATCH_API_KEY (another \
                        name: `api_key_env`), or into a file that only you may read (`api_key_file`)";
            return (hint.to_owned(), None);
        }
        if self.section == Section::Channel && is_secret_name(last) {
            let hint =
                format!("keep it out of the file: name the environment variable that holds it, {last}_env = \"…\"");
            return (hint, None);
        }
        if LATER.contains(&path) {
            return ("not available in this version".to_owned(), None);
        }
        if let Some(key) = KEYS.iter().find(|key| key.name == path) {
            return (format!("`{path}` belongs under {}", home(key)), None);
        }
        if let Some(meant) = nearest(path, self.keys.iter().map(|key| key.name)) {
            return (format!("did you mean `{meant}`?"), Some(meant));
        }
        let leaf = |key: &&&'static Key| key.name.rsplit('.').next() == Some(last);
        let same: Vec<&'static str> = self.keys.iter().filter(leaf).map(|key| key.name).collect();
        if let Some(meant) = same.first() {
            let names: Vec<String> = same.iter().map(|name| format!("`{name}`")).collect();
            return (format!("did you mean {}?", names.join(" or ")), Some(*meant));
        }
        let group = path.rsplit_once('.').map_or("", |(group, _)| group);
        let hint = if !group.is_empty() && self.is_group(group) {
            format!("its keys are {}", self.members(group))
        } else if self.keys.len() > 16 {
            "the annotated jobs.toml of `topicwatch init` shows every key".to_owned()
        } else {
            let names: Vec<&str> = self.keys.iter().map(|key| key.name).collect();
            format!("keys of [{}]: {}", self.shown, names.join(", "))
        };
        (hint, None)
    }
}
