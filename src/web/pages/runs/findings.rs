//! The items of one run: what its sources showed, what it saw first, and the parts of both. Numbers of runs on all pages
//! link to these lists.

use maud::{Markup, html};

use crate::compare::first_seen;
use crate::draw::format::{count_noun, number};
use crate::model::{Counts, RunRow, SearchRow, Source};
use crate::store::{RunItem, RunItems};
use crate::web::page_request::{PageRequest, link};
use crate::web::pages::items::item::seen;
use crate::web::pages::items::item_view;
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Items on a page.
const ITEMS: i64 = 50;
/// The last page that can be asked for.
const LAST_PAGE: i64 = 10_000;

/// The address of a list of a run's items; of all its sources, or of one.
pub(in crate::web::pages) fn address(run: &str, which: RunItems, source: Option<Source>) -> String {
    let mut parameters = vec![("run", run), ("only", which.as_str())];
    if let Some(source) = &source {
        parameters.push(("source", source.as_str()));
    }
    link("/runs", parameters) + "#findings"
}

/// A number of a run's items as a link to them; plain text if there are none.
pub(in crate::web::pages) fn counted(
    run: &RunRow,
    which: RunItems,
    source: Option<Source>,
    many: i64,
    text: &str,
) -> Markup {
    html! { @if many > 0 && run.seq.is_some() { a href=(address(&run.run, which, source)) { (text) } } @else { (text) } }
}

/// The section of a run's page that lists its items.
pub(in crate::web::pages) async fn section(
    site: &Site,
    run: &RunRow,
    searches: &[SearchRow],
    request: &PageRequest,
) -> Result<Markup, Problem> {
    let which = request.word("only", RunItems::parse)?.unwrap_or(RunItems::Found);
    let source = request.word("source", Source::parse)?;
    let page = request.word("page", |word| word.parse::<i64>().ok().filter(|page| (1..=LAST_PAGE).contains(page)))?;
    if run.topic.is_none() || run.seq.is_none() {
        return Ok(html! {});
    }
    let (store, page) = (&site.store, page.unwrap_or(1));
    let listed = store.count_run_items(&run.run, which, source).await?;
    let mut items = store.run_items(&run.run, which, source, ((page - 1) * ITEMS, ITEMS + 1)).await?;
    let more = i64::try_from(items.len()).is_ok_and(|many| many > ITEMS);
    items.truncate(usize::try_from(ITEMS).unwrap_or(usize::MAX));
    let counts = source.map_or(run.counts, |source| counts_of(run, searches, source));
    let (noun, all) = match which {
        RunItems::Found => ("finding", counts.found.max(listed)),
        // As the run counted them. The list may be longer, since two items may have turned out to be one.
        RunItems::Duplicate if counts.found > 0 => ("finding", counts.duplicate),
        // The source's search was pruned, and its counts with it.
        RunItems::Duplicate => ("finding", listed),
        RunItems::First => ("item", counts.new.max(listed)),
        // As the topic's page counts them. There is no separate count for one source.
        RunItems::New if source.is_none() => {
            let first = first_seen(store, &[run], &[]).await?;
            ("item", first.into_values().map(|one| one.new).sum::<i64>().max(listed))
        }
        RunItems::New | RunItems::Baseline | RunItems::Older => ("item", listed),
    };
    let items = items.into_iter().filter_map(|RunItem { source, row }| Some((source, seen(&request.visitor, row)?)));
    let items: Vec<_> = items.collect();
    Ok(html! { section aria-labelledby="findings" {
        h2 #findings { "What it found" }
        nav.pages aria-label="What is listed" { @for one in RunItems::ALL {
            a href=(address(&run.run, *one, source)) aria-current=[(*one == which).then_some("true")] { (tab(*one)) }
        } }
        p.lead role="status" {
            strong { (count_noun(all.unsigned_abs(), noun)) } @if let Some(source) = source { " of " (source) } ": " (words(which)) "."
        }
        @if all > listed { p.note { (number((all - listed).unsigned_abs())) " not listed: " (unlisted(run, which)) "." } }
        @else if all < listed { p.note { (number((listed - all).unsigned_abs())) " more than the run counted: counted as new at first, until two items turned out to be one." } }
        @if !items.is_empty() { ol.found { @for (place, (source, row)) in items.iter().enumerate() { li id=(format!("i{place}")) data-item tabindex="-1" {
            (item_view::item(row, "UTC"))
            @if let Some(source) = source { p.meta { "shown by " (source) } }
        } } } }
        @if items.is_empty() && page > 1 { p { "No more of these." } }
        nav.pages aria-label="More of these" {
            // A page beyond the last one leads back to the last one.
            @if page > 1 { a href=(to_page(request, (page - 1).min((listed - 1).max(0) / ITEMS + 1))) { "Before these" } }
            @if more { a rel="next" href=(to_page(request, page + 1)) { "More of these" } }
        }
    } })
}

fn to_page(request: &PageRequest, page: i64) -> String {
    let page = page.to_string();
    request.with("/runs", &[("page", Some(page.as_str()))]) + "#findings"
}

/// The ledger's counts of a source.
fn counts_of(run: &RunRow, searches: &[SearchRow], source: Source) -> Counts {
    let search = searches.iter().find(|search| search.source == source && search.attempt == run.attempt);
    search.map_or_else(Counts::default, |search| search.counts)
}

/// The name of a list among the others.
fn tab(which: RunItems) -> &'static str {
    match which {
        RunItems::First => "first seen",
        other => other.as_str(),
    }
}

/// Describes a list.
fn words(which: RunItems) -> &'static str {
    match which {
        RunItems::Found => "everything that was shown; an item counts once for each source that showed it",
        RunItems::Duplicate => "known to the topic, shown by an earlier source of the run, or repeated in the reply",
        RunItems::First => "seen first by this run",
        RunItems::New => "new, which is neither outside the window nor of a first answer",
        RunItems::Baseline => "of a first answer, the baseline",
        RunItems::Older => "seen first by this run, but outside the window",
    }
}

/// Why a list has fewer rows than the ledger counted.
fn unlisted(run: &RunRow, which: RunItems) -> &'static str {
    match which {
        RunItems::Found | RunItems::Duplicate if run.thinned => "they were pruned",
        RunItems::Found | RunItems::Duplicate => {
            "they repeat an item of the same reply, or were pruned, merged or forgotten"
        }
        RunItems::First | RunItems::New | RunItems::Baseline | RunItems::Older => "they were merged or forgotten",
    }
}
