//! Walks the parsed document key by key into tables of known keys. Unknown keys and wrong types are reported here with
//! their place. Values are interpreted elsewhere.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key_reader::kind;
use super::walk::{Name, Providers, many, many_with_providers, one, one_with_providers, sections_of};
use crate::config::keys::{Section, of};
use crate::config::mistakes::mistake::Mistakes;
use crate::config::mistakes::suggest::{nearest, other_name};
use crate::config::providers::provider_tables::{Provider, kind_of};
use crate::config::values::value::Table;
use crate::model::{ProviderKind, Source, excerpt};

/// The name of the sections of providers in messages.
const PROVIDERS: &str = "providers.NAME";

/// The file, section by section.
#[derive(Debug, Default)]
pub(in crate::config) struct Document {
    /// `[service]`.
    pub(in crate::config) service: Table,
    /// Each of `[providers.NAME]`.
    pub(in crate::config) providers: Vec<Provider>,
    /// `[database]`.
    pub(in crate::config) database: Table,
    /// `[scheduler]`.
    pub(in crate::config) scheduler: Table,
    /// `[retention]`.
    pub(in crate::config) retention: Table,
    /// `[web]`.
    pub(in crate::config) web: Table,
    /// `[defaults]`.
    pub(in crate::config) defaults: Table,
    /// Each of `[[topics]]`.
    pub(in crate::config) topics: Vec<Table>,
    /// Each of `[[reports]]`.
    pub(in crate::config) reports: Vec<Table>,
    /// Each of `[[channels]]`.
    pub(in crate::config) channels: Vec<Table>,
    /// Each of `[[exports]]`.
    pub(in crate::config) exports: Vec<Table>,
    /// Each of `[[alerts]]`.
    pub(in crate::config) alerts: Vec<Table>,
    /// Whether topics were written, even if wrongly.
    pub(in crate::config) topics_attempted: bool,
    /// Sections that could not be read, all or in part: misspelt ones by the name that was probably meant.
    pub(in crate::config) unread: Vec<&'static str>,
    /// Whether the syntax is so broken that missing keys mean nothing.
    pub(in crate::config) broken: bool,
}

/// Parses and walks the text. If syntax errors concern only single values, the rest is walked too. After other errors
/// (a header cut off, a list never closed) the rest would be misread, so only the errors are reported.
pub(in crate::config) fn walk(mistakes: &mut Mistakes<'_>) -> Document {
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
        let are_all = matches!(value.get_ref(), DeValue::Table(all) if all.len() == document.providers.len());
        document.unread.extend((!are_all).then_some(PROVIDERS));
    }
    let misspelt = root.get_ref().iter().any(|(name, value)| {
        name.get_ref() != "providers" && unknown_section(name.get_ref(), value.get_ref()).1 == Some(PROVIDERS)
    });
    document.unread.extend(misspelt.then_some(PROVIDERS));
    let read = std::mem::take(&mut document.providers);
    let known = Providers { list: &read, more: document.has_unread_providers() };
    let (mut misplaced, no_providers) = (Vec::new(), read.is_empty() && !known.more);
    // Free each part after walking it: with many topics the parsed text is the largest part.
    for (name, value) in root.into_inner() {
        let (name, value) = (&name, value);
        if let Some(list) = ["topics", "channels"].into_iter().find(|list| name.get_ref() == list) {
            document.unread.extend((!is_list_of_sections(value.get_ref())).then_some(list));
        }
        match name.get_ref().as_ref() {
            "providers" => {}
            "service" => document.service = one(mistakes, Section::Service, "service", name, &value),
            "database" => document.database = one(mistakes, Section::Database, "database", name, &value),
            "scheduler" => document.scheduler = one(mistakes, Section::Scheduler, "scheduler", name, &value),
            "retention" => document.retention = one(mistakes, Section::Retention, "retention", name, &value),
            "web" => document.web = one(mistakes, Section::Web, "web", name, &value),
            "defaults" => {
                document.defaults = one_with_providers(mistakes, Section::Topic, "defaults", name, &value, known);
            }
            "topics" => {
                document.topics_attempted |= !matches!(value.get_ref(), DeValue::Array(list) if list.is_empty());
                many_with_providers(mistakes, Section::Topic, "topic", name, value, &mut document.topics, known);
            }
            "reports" => many(mistakes, Section::Report, "report", name, value, &mut document.reports),
            "channels" => many(mistakes, Section::Channel, "channel", name, value, &mut document.channels),
            "exports" => many(mistakes, Section::Export, "export", name, value, &mut document.exports),
            "alerts" => many(mistakes, Section::Alert, "alert", name, value, &mut document.alerts),
            unknown => {
                let (hint, suggestion) = unknown_section(unknown, value.get_ref());
                document.topics_attempted |= suggestion == Some("topics");
                document.unread.extend(suggestion);
                misplaced.extend(of(Section::Service).filter(|key| key.name == unknown).map(|key| key.name));
                mistakes.at(&name.span(), format!("unknown key `{unknown}`"), hint);
            }
        }
    }
    // Keys of [service] above its header were reported; they are not missing. With providers, a file needs no such section.
    document.service.attempted.extend(misplaced.into_iter().filter(|_| no_providers));
    document.providers = read;
    document.forget_defaults();
    document
}

impl Document {
    /// Whether there are providers that could not be read, which was reported: then any name may be one of theirs.
    pub(in crate::config) fn has_unread_providers(&self) -> bool {
        self.unread.contains(&PROVIDERS)
    }

    /// Marks all keys of misspelt sections as written wrongly: it is not known which of them were left out.
    fn forget_defaults(&mut self) {
        let Self { service, database, scheduler, retention, web, defaults, providers, unread, .. } = self;
        for (name, section, table) in [
            ("service", Section::Service, service),
            ("database", Section::Database, database),
            ("scheduler", Section::Scheduler, scheduler),
            ("retention", Section::Retention, retention),
            ("web", Section::Web, web),
            ("defaults", Section::Topic, defaults),
        ] {
            if !unread.contains(&name) {
                continue;
            }
            table
                .attempted
                .extend(of(section).filter(|key| name != "defaults" || key.has_default_section()).map(|key| key.name));
            if name == "defaults" {
                for provider in providers.iter() {
                    let keys = provider.kind.iter().flat_map(|kind| kind.asks);
                    table.attempted_asks.extend(keys.map(|key| (provider.name, key.name)));
                }
            }
        }
    }
}

/// Whether a value is a list of sections. Others are reported where the list is walked.
fn is_list_of_sections(value: &DeValue<'_>) -> bool {
    matches!(value, DeValue::Array(list) if list.iter().all(|one| matches!(one.get_ref(), DeValue::Table(_))))
}

/// Walks all of `[providers]`.
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
    let (mut all, mut is_nameless) = (Vec::new(), false);
    for (name, value) in entries {
        let written = name.get_ref();
        if !matches!(value.get_ref(), DeValue::Table(_)) {
            // All keys directly under [providers] are one mistake.
            if !is_nameless {
                let hint = "write [providers.NAME], with a name that you choose, and the keys below it";
                mistakes.at(&name.span(), format!("`providers.{}` is not a section", excerpt(written)), hint);
            }
            is_nameless = true;
            continue;
        }
        let taken =
            written == "service" || of(Section::Topic).any(|key| key.name.split('.').next() == Some(written.as_ref()));
        let hint = "choose another name: 1 to 24 of a-z, 0-9, - and _, beginning with a letter";
        let Some(source) = Source::parse(written).filter(|source| !source.is_service() && !taken) else {
            let why =
                if taken || Source::parse(written).is_some() { "is a reserved name" } else { "is not a valid name" };
            mistakes.at(&name.span(), format!("{:?} {why}", excerpt(written)), hint);
            continue;
        };
        let table = one(mistakes, Section::Provider, "providers", name, value);
        let kind = kind_of(&table, source, broken, mistakes);
        all.push(Provider { name: source, kind, table });
    }
    all
}

/// Returns what to write instead of an unknown section, and the section that was probably meant.
fn unknown_section(name: &str, value: &DeValue<'_>) -> (String, Option<&'static str>) {
    const NEAR: [(&str, &str); 19] = [
        ("service", "service"),
        ("providers", PROVIDERS),
        ("provider", PROVIDERS),
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
    if let Some(hint) = other_name(name) {
        return (hint.to_owned(), None);
    }
    // A key with a value is no section: `schedule` does not mean [scheduler].
    let is_value = !matches!(value, DeValue::Table(_) | DeValue::Array(_));
    if let (true, Some(sections)) = (is_value, sections_of(name)) {
        return (format!("`{name}` belongs under {sections}"), None);
    }
    let near = nearest(name, NEAR.iter().map(|(word, _)| *word));
    if let Some((_, section)) = NEAR.iter().find(|(word, _)| Some(*word) == near) {
        let listed = matches!(*section, "topics" | "reports" | "channels" | "exports" | "alerts");
        let header = if listed { format!("[[{section}]]") } else { format!("[{section}]") };
        return (format!("did you mean `{header}`?"), Some(*section));
    }
    if has_kind_of_provider(value) {
        return (format!("did you mean `[providers.{}]`?", excerpt(name)), Some(PROVIDERS));
    }
    match sections_of(name) {
        Some(sections) => (format!("`{name}` belongs under {sections}"), None),
        None => (
            "the sections are [service], [providers.NAME], [database], [scheduler], [retention], [web], [defaults], [[topics]], [[reports]], [[channels]], \
             [[exports]] and [[alerts]]"
                .to_owned(),
            None,
        ),
    }
}

/// Whether a value is a section with the kind of a provider.
fn has_kind_of_provider(value: &DeValue<'_>) -> bool {
    let DeValue::Table(entries) = value else { return false };
    entries.iter().any(|(name, value)| {
        let kind = value.get_ref().as_str().filter(|_| name.get_ref() == "kind");
        kind.is_some_and(|kind| ProviderKind::named(kind).is_some())
    })
}
