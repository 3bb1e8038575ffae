//! The facts of a report as plain values, the same for each format. `gather` computes them, and
//! docs/explanation/report.md defines each.

pub use super::changes::change_facts::{ChangeFacts, EditFacts, GoneFacts};
use super::comparison::calendar::CalendarFacts;
use super::comparison::measures::{EarlierDay, FoundBy, ToneFacts, WhyFacts};
pub use super::items::item_excerpt::ItemExcerpt;
use crate::compare::{Citations, Relevance, TopicTerms};
use crate::insight::SourceSilence;
pub use crate::insight::daily::HoleFacts;
use crate::insight::daily::{Campaign, GapReason, ItemCounts, Rise, Share, Tally, ToneCounts, UsualRange};
use crate::model::{Kind, Micros, Source, Span, Time, Tone};

/// The facts of one topic.
#[derive(Debug, Clone, serde::Serialize)]
pub struct TopicFacts {
    pub id: String,
    pub title: String,
    /// Start of its first run that brought results; `None` before there was one.
    pub began: Option<Time>,
    /// Start of its first run that searched, with or without results.
    pub searched_since: Option<Time>,
    /// Whether it was ever run.
    pub tried: bool,
    /// Whether `began` is in the period: everything is new, and nothing can be compared.
    pub first_day: bool,
    /// Whether `began` is after the period: what is known of the period was found later.
    pub unwatched: bool,
    /// If `unwatched`: whether it was searched by the end of the period, but without any results yet.
    pub unanswered: bool,
    /// The period's items.
    pub period: ItemCounts,
    /// The items that the share of voice counts, if not all.
    #[serde(skip)]
    pub voice: Option<ItemCounts>,
    /// Whether full replies left a hole in the period, so that there may be more.
    pub saturated: bool,
    /// Whether more than a little at the end of a day was not covered yet, so that there may be more.
    pub unseen: bool,
    /// The searched share of the part for which searches were due, counting full replies; 1 if this is not known.
    #[serde(skip)]
    pub searched_share: f64,
    /// Whether over 2 % of that part was not covered; unlike above, time for which posts were indexed too late counts.
    pub partly_uncovered: bool,
    /// Why a source whose searches show a moment may have missed items, although another source answered, if so.
    #[serde(skip)]
    pub unchecked: Option<GapReason>,
    /// Whether a web search returned its maximum number of pages.
    pub full_pages: bool,
    /// For a day, that a source whose searches see a moment answered fewer of them than usual, if so.
    #[serde(skip)]
    pub few_answers: Option<String>,
    /// Items first seen in the period but older than it. They count on their own days.
    pub earlier: u64,
    /// The number of these that are older than the search asked for.
    pub outside: u64,
    /// Items hidden by the topic's filter. They are in no figure.
    pub filtered: u64,
    /// Whether items wait to be compared with others. Each of them counts as unique.
    pub uncompared: bool,
    /// Items of the period and of the days shown before it that the filter cannot judge, since their text was pruned.
    pub unjudged: u64,
    /// Changes of known items and of queries.
    pub changes: Option<ChangeFacts>,
    /// When the query changed, within the days of the charts.
    pub query_changed_at: Vec<Time>,
    /// When the current query began, if the query changed. Only days since then are compared.
    pub asked_since: Option<Time>,
    /// When the topic last got or lost a source, if it did. Only days with the same sources are compared.
    pub sources_since: Option<Time>,
    /// Sources that answer but have fallen silent or stale.
    pub silences: Vec<SourceSilence>,
    /// The usual number for such a day; `None` if there are too few days to compare with.
    pub usual: Option<UsualRange>,
    /// The number of comparable earlier days, if they are too few.
    pub comparable: usize,
    /// The day before, and the same weekday of the week before.
    #[serde(rename = "beside")]
    pub earlier_days: Vec<EarlierDay>,
    /// For a report of a week or a month: the one before, and its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calendar: Option<CalendarFacts>,
    /// How many posts hold no word of the question.
    pub relevance: Relevance,
    /// The share of the period that searches covered, 0..1, as far as any was due; `None` if the searches were pruned.
    pub covered: Option<f64>,
    /// The number of answers in the period, for a topic whose searches all look at a moment.
    pub checks: Option<u64>,
    /// The share covered, counting what was not covered yet as uncovered.
    #[serde(skip)]
    pub covered_in_all: f64,
    /// Milliseconds just before searches that do not count as covered: posts from then may have been indexed later.
    pub late_ms: i64,
    /// The end of the period that is not covered yet: no search was due, and the next one looks back over it.
    pub open: Option<Span>,
    /// The days of the charts, ending with that of the report; for a week or month, all of its days.
    pub days: Vec<DayFacts>,
    /// Uncovered gaps within these days.
    pub holes: Vec<HoleFacts>,
    /// The tone of the period's items.
    pub tone: ToneFacts,
    /// Explanations of an unusual number or tone.
    pub why: WhyFacts,
    /// The last answer.
    pub answer: Option<AnswerFacts>,
    /// Posts with the most reactions first. Indexes into `rows`, as in the next lists.
    pub top_posts: Vec<usize>,
    /// Pages with the most reactions, or the latest if no reactions are known.
    pub top_pages: Vec<usize>,
    /// The fastest growing items, of any age.
    pub rising: Vec<Rising>,
    /// Items with the lowest scores.
    pub negative: Vec<usize>,
    /// Items with the highest scores.
    pub positive: Vec<usize>,
    pub campaigns: Vec<Copies>,
    /// Terms that are news, and themes.
    pub terms: TopicTerms,
    /// Hosts of pages.
    pub domains: Vec<Tally>,
    pub authors: Vec<Tally>,
    /// Which source found what.
    #[serde(skip_serializing_if = "FoundBy::is_hidden")]
    pub found_by: FoundBy,
    /// How the sources did.
    pub sources: Vec<SourceFacts>,
    /// The cost of the period's searches; `None` if they were pruned without being counted before.
    pub cost: Option<Micros>,
    /// The remaining data of pruned searches, if any of the period were pruned.
    pub not_kept: Option<PrunedPeriod>,
    /// From when on all searches are kept, if this is after the start of the charts.
    pub kept_from: Option<Time>,
    /// The items named in any list, and as many others of the period as there is room for.
    pub rows: Vec<RowFacts>,
    /// The number of the period's items that are not in `rows`.
    pub rows_left_out: u64,
    /// Whether the days of the charts have more items than are read.
    pub cut: bool,
    /// Whether this affects the period itself: all its figures are too low, and nothing is compared.
    pub period_cut: bool,
    /// Whether the reactions of any item are known from two sightings. If not, none can be called rising or not.
    pub risers_compared: bool,
    /// Whether the period has more sightings with reactions than are compared. The latest were compared.
    pub risers_cut: bool,
    /// Whether sightings were pruned that would have been compared for rising items.
    pub risers_pruned: bool,
    /// Whether the period has more searches than are read. The latest were read, and the cost is theirs.
    pub searches_cut: bool,
    /// A note on data of the charts' days that was pruned.
    pub pruned: Option<String>,
    /// How much of the cost was assumed from a price; `None` if some searches were pruned.
    #[serde(rename = "assumed_usd")]
    pub assumed: Option<Micros>,
    /// The sources that the topic had only in a part of the period, and when.
    #[serde(skip)]
    pub part_time: Vec<(Source, Vec<Span>)>,
    /// The number of pages first seen in the period, near-copies included; `top_pages` are the first of them.
    pub new_pages: u64,
}

/// The remaining data of a period whose searches were pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct PrunedPeriod {
    /// The number of runs that searched in it, if they were counted before.
    pub runs: Option<i64>,
}

/// A local day.
#[derive(Debug, Clone, serde::Serialize)]
pub struct DayFacts {
    /// `2026-03-11`.
    pub date: String,
    pub span: Span,
    pub counted: ItemCounts,
    /// The tone of its items.
    #[serde(rename = "sounds")]
    pub tones: ToneCounts,
    /// The share of negative among the scored items.
    pub negative: Option<Share>,
    /// The share of positive among the scored items.
    pub positive: Option<Share>,
    /// The share that searches covered, 0..1, of the time that has passed; `None` if the searches were pruned.
    pub covered: Option<f64>,
    /// How many searches answered, if they cover no time span.
    pub checks: Option<u64>,
    /// Whether there may be more: full replies left a hole, more than a little was not covered, a source was searched
    /// for a part of it only, or not all items were read.
    pub at_least: bool,
    /// Why there may be more from the sources that the topic had.
    #[serde(skip)]
    pub gap_reasons: Vec<GapReason>,
    /// Whether a source was searched for a part of it only.
    #[serde(skip)]
    pub sources_changed: bool,
}

impl TopicFacts {
    /// Returns why there is nothing to report about the period yet, if so.
    pub fn nothing_to_report_reason(&self, timezone: &str) -> Option<String> {
        match self.began {
            None if self.tried => {
                Some("was run, but no run has returned results yet: there is nothing to report".to_owned())
            }
            None => Some("has not been run yet: there is nothing to report".to_owned()),
            Some(began) if self.unwatched => {
                let what = if self.unanswered {
                    "had no results in this period yet. Its first run with results"
                } else {
                    "was not watched yet in this period. Its first run"
                };
                let began = if self.unanswered { began } else { self.searched_since.unwrap_or(began) };
                let began = super::format::date_time(began, timezone);
                let found = if self.period.raw > 0 { "; older items were found later" } else { "" };
                Some(format!("{what} was at {began}{found}"))
            }
            Some(_) => None,
        }
    }

    /// Whether the query changed in the period, so that results cannot be compared with those before.
    pub(super) fn query_changed(&self) -> bool {
        self.changes.as_ref().is_some_and(|changes| !changes.queries.is_empty())
    }

    /// Whether the topic got or lost a source in the period.
    pub(super) fn sources_changed(&self) -> bool {
        !self.part_time.is_empty()
    }

    /// Returns the number of new pages, and a note how many of them are not listed, if any.
    pub(super) fn new_pages_words(&self) -> (String, Option<String>) {
        let left = self.new_pages.saturating_sub(self.top_pages.len() as u64);
        let more = (left > 0).then(|| format!("and {} more", super::format::number(left)));
        (super::format::at_least(self.new_pages, self.period_cut || self.full_pages), more)
    }

    /// Returns the note that near-copies may still count as unique, if so.
    pub(super) fn uncompared_words(&self) -> Option<&'static str> {
        self.uncompared.then_some("Not every item has been compared yet: there may be fewer unique items")
    }
}

/// The last answer.
#[derive(Debug, Clone, serde::Serialize)]
pub struct AnswerFacts {
    /// The run that asked.
    pub run: String,
    pub asked_at: Time,
    pub model: Option<String>,
    pub text: String,
    /// Whether it was cut off when it came.
    pub partial: bool,
    /// Whether the text here is only its first part.
    pub shortened: bool,
    #[serde(flatten)]
    pub cited: Citations,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct Rising {
    /// How it grew.
    #[serde(flatten)]
    pub rise: Rise,
    pub item: ItemExcerpt,
}

/// A campaign with its text.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Copies {
    #[serde(flatten)]
    pub campaign: Campaign,
    /// Its earliest item in the period, of those that still have their text if there are any.
    pub item: ItemExcerpt,
    /// The row of that item.
    pub row: Option<usize>,
}

impl Copies {
    /// Returns how many authors it has: `5 authors`, `≥ 5 authors`, `authors unknown`.
    pub(super) fn authors_words(&self) -> String {
        match self.campaign.authors {
            0 => super::format::AUTHORS_UNKNOWN.to_owned(),
            many => super::format::at_least_noun(many, self.campaign.authors_at_least, "author"),
        }
    }
}

/// A source's searches in the period.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SourceFacts {
    pub source: Source,
    /// Searches made, failed ones included.
    #[serde(rename = "made")]
    pub searches: u64,
    /// The number of these that failed or were lost.
    pub failed: u64,
    /// Searches not made because of the quota.
    #[serde(rename = "not_made")]
    pub refused_by_quota: u64,
    /// Searches not made for any other reason.
    pub left_out: u64,
    /// Of these, those left out because of a refusal that every call would meet, or because the process stopped.
    #[serde(skip)]
    pub refused: u64,
    /// The state of the last search, and its time.
    pub last: String,
    pub last_at: Time,
    /// Whether the last search failed.
    pub fails: bool,
    /// Since when every search was answered, if the last one was.
    pub answers_since: Option<Time>,
    /// Whether the last search was not made because of the quota.
    pub over_quota: bool,
    /// The error class or reason of the last search.
    pub trouble: Option<String>,
    /// Searches about the period, whenever they were made, with a full reply.
    pub saturated: u64,
    pub cost: Micros,
    /// How much of it was assumed from a price.
    #[serde(rename = "assumed_usd")]
    pub assumed: Micros,
}

/// A row of the table at the end of a topic.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RowFacts {
    /// Its text and link.
    #[serde(flatten)]
    pub item: ItemExcerpt,
    /// Whether it is a post or a page.
    pub kind: Kind,
    /// The instant at which it counts.
    pub at: Time,
    /// Whether it has no date: `at` is then when it was first seen.
    pub undated: bool,
    /// The sum of likes, reposts, replies and quotes; `None` if none is known.
    pub engagement: Option<i64>,
    /// Its tone, if it was scored.
    pub sound: Option<Tone>,
    pub score: Option<i64>,
    /// The scorer of tone and score.
    pub scorer: Option<String>,
    /// The key of the item that it is a near-copy of, if any.
    pub copy_of: Option<String>,
}
