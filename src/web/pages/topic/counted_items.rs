//! The items behind a number of a topic: what is new since an instant, what counts in a span of days, the items of a
//! term or a theme, and those that an alert counted. The addresses of these lists are made here, too.

use maud::{Markup, html};

use super::item_query::{FILE_PARAMETERS, ITEMS};
use crate::compare::{TermsOptions, TopicTerms, alert_item_keys, terms_between};
use crate::draw::format::{self, at_least_noun};
use crate::model::{AlertRun, ItemRow, Span, Time, Topic, TopicCard};
use crate::schedule::parse_instant;
use crate::store::RunItems;
use crate::web::access::access_rule::out_of_scope;
use crate::web::access::visitor::Visitor;
use crate::web::layout::{Page, moment};
use crate::web::page_request::{PageRequest, link};
use crate::web::pages::items::item::seen;
use crate::web::pages::items::item_view;
use crate::web::pages::runs::findings;
use crate::web::problem::Problem;
use crate::web::site::Site;

/// The most items of a list.
const MOST: u32 = 50_000;
/// The span of terms on a topic's page, in milliseconds.
pub(in crate::web::pages) const DAY: i64 = 86_400_000;
/// How many days back these lists go: everything since then may have to be read.
const MOST_DAYS: i64 = 70;

/// Parameters that choose one of these lists, each with the one that it takes besides.
const CHOICES: [(&str, Option<&str>); 6] = [
    ("new_since", None),
    ("baseline_since", None),
    ("from", Some("until")),
    ("term", Some("until")),
    ("theme", Some("until")),
    ("alert", Some("run")),
];

/// Which items are listed.
enum Counted {
    New { since: Time, baseline: bool },
    Days(Span),
    Term { term: String, until: Time },
    Theme { name: String, until: Time },
    Alert { name: String, run: String },
}

/// A list, and what it holds.
struct Listed {
    keys: Vec<String>,
    words: Markup,
}

/// The address of what is new since an instant, or of a baseline.
pub(in crate::web::pages) fn new_since(topic: &str, since: Time, baseline: bool) -> String {
    let name = if baseline { "baseline_since" } else { "new_since" };
    link(&format!("/topics/{topic}"), [(name, since.to_string().as_str())])
}

/// The address of what counts in a span of days.
pub(in crate::web::pages) fn of_days(topic: &str, span: Span) -> String {
    let (from, until) = (span.from.to_string(), span.until.to_string());
    link(&format!("/topics/{topic}"), [("from", from.as_str()), ("until", until.as_str())])
}

/// The address of the items of a term of the day that ends at an instant.
pub(in crate::web::pages) fn of_term(topic: &str, term: &str, until: Time) -> String {
    link(&format!("/topics/{topic}"), [("term", term), ("until", until.to_string().as_str())])
}

/// The address of the items of a theme of the day that ends at an instant.
pub(in crate::web::pages) fn of_theme(topic: &str, name: &str, until: Time) -> String {
    link(&format!("/topics/{topic}"), [("theme", name), ("until", until.to_string().as_str())])
}

/// The address of the items that an alert counted at a run.
pub(in crate::web::pages) fn of_alert(topic: &str, alert: &str, run: &str) -> String {
    link(&format!("/topics/{topic}"), [("alert", alert), ("run", run)])
}

/// The page, if the address asks for such a list.
pub(in crate::web::pages) async fn show(
    site: &Site,
    card: &TopicCard,
    request: &PageRequest,
) -> Result<Option<Page>, Problem> {
    let Some(counted) = Counted::of(request, site.now())? else { return Ok(None) };
    let skipped = request.word("after", |word| word.parse::<usize>().ok())?.unwrap_or(0);
    let heading = format!("{}: {}", counted.heading(), format::line(&card.title, 120));
    let Listed { mut keys, words } = counted.list(site, card, &request.visitor).await?;
    let more_than_listed = keys.len() > MOST as usize;
    keys.truncate(MOST as usize);
    let path = format!("/topics/{}", card.topic);
    let rest = keys.get(skipped..).unwrap_or_default();
    let (listed, more) = rest.split_at(rest.len().min(ITEMS as usize));
    let mut rows: Vec<ItemRow> = site.store.items_by_key(&card.topic, listed).await?;
    rows.sort_by_key(|row| listed.iter().position(|key| *key == row.key));
    let rows: Vec<ItemRow> = rows.into_iter().filter_map(|row| seen(&request.visitor, row)).collect();
    let main = html! {
        h1 { (heading) " " small.meta { (card.topic) } }
        p { a href=(path) { "Back to the topic" } }
        p.lead role="status" { strong { (at_least_noun(keys.len() as u64, more_than_listed, "item")) } ": " (words) }
        @if rows.is_empty() && skipped > 0 { p { "No more items." } }
        ol.found { @for (place, row) in rows.iter().enumerate() { li id=(format!("i{place}")) data-item tabindex="-1" {
            (item_view::item(row, card.timezone()))
        } } }
        nav.pages aria-label="More items" {
            @if skipped > 0 { a href=(request.with(&path, &[("after", None)])) { "From the beginning" } }
            @if !more.is_empty() { a rel="next" href=(request.with(&path, &[("after", Some((skipped + listed.len()).to_string().as_str()))])) { "More items" } }
        }
    };
    Ok(Some(Page { title: heading, place: "/", live: false, origin: site.origin().await?, main }))
}

impl Counted {
    /// Parses the query of an address; `None` if it asks for the topic's own list.
    fn of(request: &PageRequest, now: Time) -> Result<Option<Self>, Problem> {
        let hint = "Follow a link of a page, or choose in the form of the topic.";
        let chosen = CHOICES.into_iter().find(|(name, _)| request.get(name).is_some());
        let besides = chosen.and_then(|(_, besides)| besides);
        if let Some(lone) =
            ["until", "run"].into_iter().find(|name| request.get(name).is_some() && besides != Some(*name))
        {
            return Err(Problem::bad_request(format!("`{lone}` chooses nothing here"), hint));
        }
        let Some((choice, _)) = chosen else { return Ok(None) };
        if request.given_of(&CHOICES.map(|(name, _)| name)).len() + request.given_of(FILE_PARAMETERS).len() > 1 {
            return Err(Problem::bad_request(format!("`{choice}` cannot be combined with other filters"), hint));
        }
        let instant = |name: &str| {
            let at = request.word(name, |text| parse_instant(text, now))?;
            if at.is_some_and(|at| now.0.saturating_sub(at.0) > MOST_DAYS * DAY) {
                return Err(too_long_ago(name));
            }
            Ok(at)
        };
        let until = instant("until")?.unwrap_or(now);
        let text = request.get(choice).unwrap_or_default().to_owned();
        Ok(Some(match choice {
            "term" => Self::Term { term: text, until },
            "theme" => Self::Theme { name: text, until },
            "alert" => Self::Alert { name: text, run: request.get("run").unwrap_or_default().to_owned() },
            "from" => {
                let from = instant(choice)?.ok_or_else(|| request.invalid(choice))?;
                let end = if request.get("until").is_some() { "`until`" } else { "now" };
                let not_before = || Problem::bad_request(format!("`from` is not before {end}"), hint);
                Self::Days(Span::new(from, until).ok_or_else(not_before)?)
            }
            _ => Self::New { since: instant(choice)?.unwrap_or(now), baseline: choice == "baseline_since" },
        }))
    }

    /// The heading of the list.
    fn heading(&self) -> &'static str {
        match self {
            Self::New { baseline: false, .. } => "New items",
            Self::New { baseline: true, .. } => "Items of the baseline",
            Self::Days(_) => "Items of a span",
            Self::Term { .. } => "Items with a term",
            Self::Theme { .. } => "Items of a theme",
            Self::Alert { .. } => "Items of an alert",
        }
    }

    async fn list(self, site: &Site, card: &TopicCard, visitor: &Visitor) -> Result<Listed, Problem> {
        let zone = card.timezone();
        let filter = html! { @if card.has_filter() { ", before the topic's filter" } };
        match self {
            Self::New { since, baseline } => {
                let keys = site.store.new_item_keys(&card.topic, since, baseline, MOST + 1).await?;
                let words = html! {
                    "first seen since " (moment(since, zone))
                    @if baseline { ", in a first answer" } @else { ", new: neither of a first answer nor outside the window" }
                    (filter) "."
                };
                Ok(Listed { keys, words })
            }
            Self::Days(span) => {
                let keys = site.store.counted_item_keys(&card.topic, span, MOST + 1).await?;
                let words = html! { "published from " (moment(span.from, zone)) " until " (moment(span.until, zone)) ", or first seen then if that was earlier or there is no date" (filter) "." };
                Ok(Listed { keys, words })
            }
            Self::Term { term, until } => {
                let terms = terms_of(site, card, until, visitor).await?;
                let sample = terms.sample_words();
                let stand_out = terms.stand_out.into_iter().flat_map(|rows| rows.terms);
                let row = terms.terms.into_iter().chain(stand_out).find(|row| row.term == term);
                let words = html! { "with “" bdi { (format::line(&term, 80)) } "”, in the 24 hours before " (moment(until, zone)) ". " @if let Some(sample) = sample { (sample) } };
                Ok(Listed { keys: row.ok_or_else(|| not_counted("term"))?.keys, words })
            }
            Self::Theme { name, until } => {
                let terms = terms_of(site, card, until, visitor).await?;
                let sample = terms.sample_words();
                let row = terms.themes.into_iter().find(|row| row.name == name);
                let words = html! { "of the theme “" bdi { (format::line(&name, 120)) } "”, in the 24 hours before " (moment(until, zone)) ". " @if let Some(sample) = sample { (sample) } };
                Ok(Listed { keys: row.ok_or_else(|| not_counted("theme"))?.keys, words })
            }
            Self::Alert { name, run } => {
                // Alerts are of all topics.
                if !visitor.sees_all() {
                    return Err(out_of_scope());
                }
                let keys = counted_by_alert(site, card, &name, &run).await?;
                let words = html! {
                    "counted by the alert " a href=(link("/alerts", [("alert", name.as_str())])) { (format::line(&name, 64)) }
                    " at " a href=(findings::address(&run, RunItems::Found, None)) { "its run" } ", by the definitions of now."
                };
                Ok(Listed { keys, words })
            }
        }
    }
}

/// The terms and themes of the day that ends at an instant, as the topic's page shows them.
async fn terms_of(site: &Site, card: &TopicCard, until: Time, visitor: &Visitor) -> Result<TopicTerms, Problem> {
    let topic = definition(card)?;
    let span = Span { from: Time(until.0.saturating_sub(DAY)), until };
    let options = TermsOptions { trusting: true, alone: !visitor.sees_all() };
    Ok(terms_between(&site.store, topic, span, options).await?)
}

fn definition(card: &TopicCard) -> Result<&Topic, Problem> {
    card.definition.as_ref().ok_or_else(|| not_counted("definition"))
}

async fn counted_by_alert(site: &Site, card: &TopicCard, name: &str, run: &str) -> Result<Vec<String>, Problem> {
    let spec = site.store.alerts().await?.into_iter().find(|spec| spec.name == name);
    let spec = spec.ok_or_else(|| not_counted("alert"))?;
    let run = site.store.run(run).await?.filter(|run| run.topic.as_ref() == Some(&card.topic));
    let run = run.and_then(|run| {
        let at = run.started_at.or(run.slot)?;
        Some(AlertRun { seq: run.seq?, state: run.state, at, topic: card.topic.clone(), run: run.run })
    });
    let run = run.ok_or_else(|| not_counted("run"))?;
    let keys = alert_item_keys(&site.store, &spec, definition(card)?, &run).await?;
    keys.ok_or_else(|| not_counted("item"))
}

/// The problem that a list would begin or end too long ago.
fn too_long_ago(name: &str) -> Problem {
    let hint = "The API and `topicwatch export` have older items.";
    Problem::bad_request(format!("`{name}` is more than {MOST_DAYS} days ago"), hint)
}

/// The problem that an address names something that is gone.
fn not_counted(what: &str) -> Problem {
    let hint = "It may have been removed or counted again since; the topic's page shows what there is now.";
    Problem { hint: hint.to_owned(), ..Problem::not_found(format!("There is no such {what} here")) }
}
