//! `[[topics]]` over `[defaults]`: each topic as it will run. `scalars` reads single values, `schedule_keys` schedules.

mod calls;
mod filter_keys;

use std::collections::HashMap;

use super::file::discover::LoadRequest;
use super::file::document::Document;
use super::file::key_reader::Reader;
use super::keys::Section;
use super::mistakes::fault::Fault;
use super::mistakes::mistake::Mistakes;
use super::providers::provider_tables::Provider;
use super::providers::{NoQuery, QueryContext};
use super::sections::schedule_keys::{Schedules, SearchReach};
use super::values::names::slug;
use super::values::scalars::{budget, check_plain, flag, plain_text, text, texts};
use super::values::template::{TemplateError, fill};
use super::values::value::{ConfigValue, Origin, Table, Value};
use crate::model::{
    AiQuery, AiWhen, PingSpec, SocialOperation, SocialQuery, Source, Topic, TopicLimits, Unscheduled, WebOperation,
    WebQuery, Window, excerpt,
};
use crate::search::Dialect;

/// The longest query in characters; services refuse longer ones.
const LONGEST_QUERY: usize = 2_000;
/// The longest prompt in characters.
const LONGEST_PROMPT: usize = 8_000;
const LONGEST_TITLE: usize = 200;

/// Reads all topics. Mistakes are reported; a topic with a mistake is left out.
pub(super) fn read(
    document: &Document,
    dialect: Option<Dialect>,
    absent: bool,
    request: &LoadRequest<'_>,
    pings: &mut Vec<PingSpec>,
    mistakes: &mut Mistakes<'_>,
) -> Vec<Topic> {
    let schedules = Schedules::new(request.now);
    let mut room = TopicReader {
        dialect,
        absent,
        providers: &document.providers,
        more_providers: document.has_unread_providers(),
        schedules,
        broken: document.broken,
        pings: Vec::new(),
    };
    if !document.defaults.values.is_empty() {
        room.check_defaults(&document.defaults, mistakes);
    }
    if document.topics.is_empty() && !document.broken && !document.topics_attempted && !request.without_topics {
        let end = mistakes.text().as_str().trim_end().len();
        let hint = "add one: [[topics]], and below it id = \"acme\" and query = \"acme\"";
        mistakes.at(&(end..end), "there is no topic", hint);
    }
    let mut ids: HashMap<String, usize> = HashMap::new();
    let mut topics = Vec::with_capacity(document.topics.len());
    for table in &document.topics {
        let topic = room.topic(table, &document.defaults, mistakes);
        if let Some(ConfigValue { value: Value::Text(id), origin: Origin::File { value, .. } }) = table.values.get("id")
        {
            let line = mistakes.text().line(value.start);
            if let Some(first) = ids.get(id) {
                let hint = format!("the first is on line {first}; findings are stored by id: choose another");
                mistakes.at(value, format!("another topic already has the id {id:?}"), hint);
            } else {
                ids.insert(id.clone(), line);
            }
        }
        topics.extend(topic);
    }
    pings.extend(room.pings);
    topics
}

struct TopicReader<'d> {
    dialect: Option<Dialect>,
    /// Whether there is no `[service]`.
    absent: bool,
    providers: &'d [Provider],
    /// Whether there are others that could not be read.
    more_providers: bool,
    schedules: Schedules,
    broken: bool,
    pings: Vec<PingSpec>,
}

impl TopicReader<'_> {
    /// Reads `[defaults]` as a topic, so that a mistake is found even if every topic overrides it.
    fn check_defaults(&mut self, defaults: &Table, mistakes: &mut Mistakes<'_>) {
        let mut table = Table::default();
        for key in ["id", "query"] {
            let setting = ConfigValue { value: Value::Text("defaults".to_owned()), origin: Origin::Default };
            table.values.insert(key, setting);
        }
        self.topic(&table, defaults, mistakes);
    }

    fn topic(&mut self, table: &Table, defaults: &Table, mistakes: &mut Mistakes<'_>) -> Option<Topic> {
        let tables = [table, defaults];
        let reader = Reader { section: Section::Topic, tables: &tables };
        let header = table.header.clone();
        let id = reader.read(mistakes, "id", slug);
        if let (false, Some(header), false) = (self.broken, &header, table.was_written("id")) {
            let hint = "write id = \"…\": a short, permanent name, for files and the database";
            mistakes.at(header, "this topic has no `id`", hint);
        }
        let title = match reader.written("title") {
            Some(_) => reader.read(mistakes, "title", |value| plain_text(value, LONGEST_TITLE)),
            None => id.clone(),
        };
        let tags = reader.read(mistakes, "tags", |value| texts(value, 32, 64));
        let window = reader.choice(mistakes, "window", Window::parse);
        let query = reader.written("query").map(|_| reader.read(mistakes, "query", |v| plain_text(v, LONGEST_QUERY)));
        let sources = match reader.written("sources") {
            None if self.absent && !reader.was_written("sources") => {
                Some(self.providers.iter().map(|one| one.name).collect())
            }
            _ => reader.read(mistakes, "sources", |value| self.sources(value)),
        };

        let mut query_builder = QueryBuilder {
            reader: &reader,
            query: query.as_ref().and_then(Option::as_deref),
            // A mistake in the query is reported once; the queries built from it are not checked.
            query_wrong: matches!(query, Some(None)) || (query.is_none() && table.was_written("query")),
            title: title.as_deref().unwrap_or(""),
            needing_query: Vec::new(),
        };
        let social = query_builder.social(self.dialect, mistakes);
        let web = query_builder.web(self.dialect, mistakes);
        let ai = query_builder.ai(self.dialect, mistakes);
        let wanted = |source: Source| sources.as_ref().is_some_and(|sources| sources.contains(&source));
        let query_context = QueryContext { tables: &tables, query: query_builder.query, title: query_builder.title };
        let (mut queries, mut incomplete) = (Vec::new(), self.more_providers);
        for name in sources.iter().flatten().filter(|source| !source.is_service()) {
            // A wrong kind was reported.
            let provider = self.providers.iter().find(|one| one.name == *name);
            let Some((provider, kind)) = provider.and_then(|one| Some((one, one.kind?))) else {
                incomplete = true;
                continue;
            };
            match query_context.query(provider, kind, mistakes) {
                Ok(query) => queries.push(query),
                Err(NoQuery::NeedsQuery(_)) if query_builder.query_wrong => incomplete = true,
                Err(NoQuery::NeedsQuery(key)) => query_builder.needing_query.push((*name, key)),
                Err(NoQuery::Reported) => incomplete = true,
                Err(NoQuery::NeedsKey(key)) => {
                    incomplete = true;
                    if let (false, Some(header)) = (self.broken, &header) {
                        let named = id.as_deref().map_or_else(|| "this topic".to_owned(), |id| format!("topic {id:?}"));
                        let hint = format!("write {name}.{key} = …, or choose other `sources`");
                        mistakes.at(header, format!("{named} has no `{name}.{key}`"), hint);
                    }
                }
            }
        }
        let needing_query: Vec<(Source, &str)> =
            query_builder.needing_query.iter().copied().filter(|(source, _)| wanted(*source)).collect();
        if let (false, false, Some(header)) = (self.broken, needing_query.is_empty(), &header) {
            let what = needing_query.iter().map(|(source, _)| source.as_str()).collect::<Vec<_>>().join(", ");
            let keys =
                needing_query.iter().map(|(source, key)| format!("{source}.{key}")).collect::<Vec<_>>().join(", ");
            let named = id.as_deref().map_or_else(|| "this topic".to_owned(), |id| format!("topic {id:?}"));
            let hint = format!("write query = \"…\" (or {keys}), or choose other `sources`");
            mistakes.at(header, format!("{named} has no `query` for: {what}"), hint);
        }

        if let (false, Some(header), Some(sources)) = (self.broken || incomplete, &header, &sources)
            && let Some((message, hint)) = super::providers::answer_conflict(sources, &queries)
        {
            let named = id.as_deref().map_or_else(|| "this topic".to_owned(), |id| format!("topic {id:?}"));
            mistakes.at(header, format!("{named} {message}"), hint);
            incomplete = true;
        }

        let reach = window
            .filter(|_| header.is_some() && wanted(Source::Social))
            .map(|window| SearchReach { window, call: self.dialect.zip(social.as_ref()) });
        let limits = limits(&reader, mistakes);
        let ping = super::sections::pings::read(&reader, &format!("topic:{}", id.as_deref().unwrap_or("id")), mistakes);
        // [defaults] alone is no topic.
        self.pings.extend(ping.filter(|_| header.is_some()));
        let filter = filter_keys::filter(&reader, mistakes);
        let scheduled = reader.written("schedule").is_some() || reader.written("every").is_some();
        let (schedule, unscheduled) = self.schedules.read_topic(&reader, reach, mistakes);
        if scheduled && schedule.is_none() || !needing_query.is_empty() || query_builder.query_wrong || incomplete {
            return None;
        }
        Some(Topic {
            id: id?,
            title: title?,
            tags: tags?,
            window: window?,
            social: if wanted(Source::Social) { Some(social?) } else { None },
            web: if wanted(Source::Web) { Some(web?) } else { None },
            ai: if wanted(Source::Ai) { Some(ai?) } else { None },
            providers: queries,
            // A schedule has both.
            unscheduled: if schedule.is_some() { Unscheduled::default() } else { unscheduled? },
            schedule,
            limits: limits?,
            filter: filter?,
        })
    }

    fn sources(&self, value: &Value) -> Result<Vec<Source>, Fault> {
        let service = Source::SERVICE.iter().filter(|_| !self.absent);
        let known: Vec<Source> = service.copied().chain(self.providers.iter().map(|one| one.name)).collect();
        let Value::List(list) = value else { return Err(Fault::new("takes a list of strings", "")) };
        if list.is_empty() {
            return Err(Fault::new("is empty: nothing would be searched", format!("choose from {}", listed(&known))));
        }
        let mut sources = Vec::new();
        for (element, at) in list {
            let name = text(element)?;
            let here = |fault: Fault| Fault { at: Some(at.clone()), ..fault };
            let of_service = self.absent && Source::SERVICE.iter().any(|one| one.as_str() == name);
            let Some(source) = Source::parse(&name).filter(|source| known.contains(source)) else {
                if self.more_providers && !of_service {
                    continue;
                }
                let hint = match super::mistakes::suggest::nearest(&name, known.iter().map(Source::as_str)) {
                    _ if of_service => "add [service], or remove it".to_owned(),
                    Some(suggestion) => format!("did you mean `{suggestion}`?"),
                    None => format!("it can be {}; others need a [providers.NAME] section", listed(&known)),
                };
                return Err(here(Fault::new(format!("cannot be {:?}", excerpt(&name)), hint)));
            };
            if sources.contains(&source) {
                return Err(here(Fault::new(format!("contains {name:?} twice"), "list it once")));
            }
            sources.push(source);
        }
        Ok(sources)
    }
}

/// Builds what each source of a topic is asked.
struct QueryBuilder<'r> {
    reader: &'r Reader<'r>,
    query: Option<&'r str>,
    query_wrong: bool,
    title: &'r str,
    /// Sources that lack the topic's `query`, with the key that needs it.
    needing_query: Vec<(Source, &'static str)>,
}

impl QueryBuilder<'_> {
    fn query_text(&mut self, source: Source, key: &'static str, mistakes: &mut Mistakes<'_>) -> Option<String> {
        let (longest, lines) = if source == Source::Ai { (LONGEST_PROMPT, true) } else { (LONGEST_QUERY, false) };
        let name = &format!("{source}.{key}");
        let setting = self.reader.value_or_default(name)?;
        let template = self.reader.read(mistakes, name, text)?;
        let fault = match fill(&template, self.query, self.title) {
            Ok(filled) => match check_plain(&filled, longest, lines) {
                Ok(()) => return Some(filled),
                Err(fault) => fault,
            },
            Err(TemplateError::Wrong(fault)) => fault,
            Err(TemplateError::NeedsQuery) => {
                if !self.query_wrong {
                    self.needing_query.push((source, key));
                }
                return None;
            }
        };
        mistakes.fault(name, &setting.origin, fault);
        None
    }

    fn social(&mut self, dialect: Option<Dialect>, mistakes: &mut Mistakes<'_>) -> Option<SocialQuery> {
        let reader = self.reader;
        let query = self.query_text(Source::Social, "query", mistakes);
        let operation = reader.choice(mistakes, "social.operation", SocialOperation::parse);
        let limit = calls::social_number(reader, dialect, operation, mistakes);
        Some(SocialQuery { query: query?, operation: operation?, limit: limit? })
    }

    fn web(&mut self, dialect: Option<Dialect>, mistakes: &mut Mistakes<'_>) -> Option<WebQuery> {
        let reader = self.reader;
        let query = self.query_text(Source::Web, "query", mistakes);
        let operation = reader.choice(mistakes, "web.operation", WebOperation::parse);
        let limit = calls::web_number(reader, dialect, operation, mistakes);
        Some(WebQuery { query: query?, operation: operation?, limit: limit? })
    }

    fn ai(&mut self, dialect: Option<Dialect>, mistakes: &mut Mistakes<'_>) -> Option<AiQuery> {
        let reader = self.reader;
        let prompt = self.query_text(Source::Ai, "prompt", mistakes);
        let model_and_order = calls::model_and_order(reader, dialect, mistakes);
        let streaming = reader.read(mistakes, "streaming", flag);
        let when = reader.choice(mistakes, "ai.when", AiWhen::parse);
        let count = calls::ai_count(reader, dialect, mistakes);
        let tools = calls::ai_tools(reader, dialect, mistakes);
        let (model, response_order) = model_and_order?;
        Some(AiQuery {
            prompt: prompt?,
            model,
            response_order,
            streaming: streaming?,
            when: when?,
            count: count?,
            tools: tools?,
        })
    }
}

/// Reads the topic's daily limits; `None` if something in them is wrong.
fn limits(reader: &Reader<'_>, mistakes: &mut Mistakes<'_>) -> Option<TopicLimits> {
    // Both are read first, so that each mistake is reported.
    let calls = reader.written("max_calls_per_day").map(|_| reader.count(mistakes, "max_calls_per_day"));
    let money = reader.written("budget_per_day").map(|_| reader.read(mistakes, "budget_per_day", budget));
    let mut limits = TopicLimits::default();
    if let Some(calls) = calls {
        limits.calls = Some(calls?);
    }
    if let Some(money) = money {
        limits.micros = Some(money?.0);
    }
    Some(limits)
}

/// Formats names as a list in a sentence.
fn listed(all: &[Source]) -> String {
    all.iter().map(|source| format!("{:?}", source.as_str())).collect::<Vec<_>>().join(", ")
}
