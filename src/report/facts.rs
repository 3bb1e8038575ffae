//! What a report says, before anybody writes it down: plain values, the same for each format. How they are worked out is
//! `gather`'s, and docs/explanation/report.md defines each.

use super::calendar::CalendarFacts;
use super::measures::{Beside, FoundBy, ToneFacts, WhyFacts};
use crate::compare::{Cited, Relevance, TopicTerms};
pub use crate::insight::daily::HoleFacts;
use crate::insight::daily::{Campaign, Counted, Rise, Share, Sounds, Tally, Usual};
use crate::insight::{Illness, Piece};
use crate::model::{Kind, Micros, Source, Span, Time, Tone};

/// One topic's part.
#[derive(Debug, Clone, serde::Serialize)]
pub struct TopicFacts {
    pub id: String,
    pub title: String,
    /// Begin of its first run that brought anything; `None` before there was one.
    pub began: Option<Time>,
    /// Begin of its first run that searched, whether it brought anything or not.
    pub searched_since: Option<Time>,
    /// Whether it was run at all.
    pub tried: bool,
    /// Whether `began` lies in the period: everything is new, and nothing can be compared.
    pub first_day: bool,
    /// Whether it lies after the period: what is known of it was found later.
    pub unwatched: bool,
    /// Of these, whether it was searched in the period or before: nothing had been answered yet.
    pub unanswered: bool,
    /// The period's items.
    pub period: Counted,
    /// Whether full replies left a hole in the period: there may be more.
    pub saturated: bool,
    /// Whether more than a little at the end of its days was not looked at yet: there may be more.
    pub unseen: bool,
    /// Whether a web search returned as many pages as it may.
    pub full_pages: bool,
    /// First seen in the period, but older than it; they count on their own days.
    pub earlier: u64,
    /// Of these, older than the search asked for.
    pub outside: u64,
    /// Hidden by the topic's filter: not in any figure.
    pub filtered: u64,
    /// Of the period's items, those that the filter cannot judge, since their words were pruned.
    pub unjudged: u64,
    /// What became of what was known: edited, gone, queries that changed.
    pub changes: Option<ChangeFacts>,
    /// When another query began, in the days of the charts.
    pub asked_anew: Vec<Time>,
    /// Since when it is asked what it is asked now, where that was something else earlier in the days that are compared:
    /// only days since then are.
    pub asked_since: Option<Time>,
    /// Sources that are answered but have fallen silent or stale.
    pub ill: Vec<Illness>,
    /// What is usual for such a day; `None` where there is too little to compare with.
    pub usual: Option<Usual>,
    /// Earlier days that can be compared with, where they are too few.
    pub comparable: usize,
    /// The day before, and the same weekday of the week before.
    pub beside: Vec<Beside>,
    /// Of a report of a week or a month: the one before, and its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calendar: Option<CalendarFacts>,
    /// Posts that hold no word of the question.
    pub relevance: Relevance,
    /// Part of the period that searches covered, 0..1, as far as any was due; `None` where they were pruned.
    pub covered: Option<f64>,
    /// Answers in the period of a topic whose searches all look at a moment.
    pub checks: Option<u64>,
    /// The same with what was not looked at yet.
    #[serde(skip)]
    pub covered_in_all: f64,
    /// Milliseconds of the period just before searches, which are not claimed: posts of then may have been indexed later.
    pub late_ms: i64,
    /// The end of the period that was not looked at yet: no search was due, and the next one looks back over it.
    pub open: Option<Span>,
    /// The days of the charts, the last one that of the report; of a week or month all of its days.
    pub days: Vec<DayFacts>,
    /// Stretches inside these days that nothing covered.
    pub holes: Vec<HoleFacts>,
    /// How the period's items sound.
    pub tone: ToneFacts,
    /// What explains an unusual number or tone.
    pub why: WhyFacts,
    /// The last answer.
    pub answer: Option<AnswerFacts>,
    /// Most reactions first.
    pub top_posts: Vec<usize>,
    /// Pages with most reactions, or the latest where none are known.
    pub top_pages: Vec<usize>,
    /// Fastest growing, of any age.
    pub rising: Vec<Rising>,
    /// Items of the lowest scores.
    pub negative: Vec<usize>,
    /// Items of the highest scores.
    pub positive: Vec<usize>,
    pub campaigns: Vec<Copies>,
    /// Terms that are news, and themes.
    pub terms: TopicTerms,
    /// Hosts of pages.
    pub domains: Vec<Tally>,
    pub authors: Vec<Tally>,
    /// Which sources found what.
    #[serde(skip_serializing_if = "FoundBy::is_untold")]
    pub found_by: FoundBy,
    /// How the sources did.
    pub sources: Vec<SourceFacts>,
    /// What the period's searches cost; `None` where that was pruned and nobody counted it before.
    pub cost: Option<Micros>,
    /// What is left of searches that were pruned, if any of the period were.
    pub not_kept: Option<NotKept>,
    /// Of the days of the charts, from when on all searches are there.
    pub kept_from: Option<Time>,
    /// The period's items that are named anywhere, and as many others as there is room for.
    pub rows: Vec<RowFacts>,
    /// Of the period, not among the rows.
    pub rows_left_out: u64,
    /// Whether there were more items in the charts' days than are read.
    pub cut: bool,
    /// Whether the period itself lies in what was not read: all its figures are too low, and nothing is compared.
    pub period_cut: bool,
    /// There were more sightings with reactions in the period than are compared; the latest were.
    pub risers_cut: bool,
    /// There were more searches in the period than are read; the latest were, and the cost is theirs.
    pub searches_cut: bool,
    /// What pruning took of the charts' days, in words.
    pub pruned: Option<String>,
}

/// What is known of a period whose searches were pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct NotKept {
    /// Runs that searched in it, where they were counted before.
    pub runs: Option<i64>,
}

/// A local day.
#[derive(Debug, Clone, serde::Serialize)]
pub struct DayFacts {
    /// `2026-03-11`.
    pub date: String,
    pub span: Span,
    pub counted: Counted,
    /// How they sound.
    pub sounds: Sounds,
    /// Negative among the scored.
    pub negative: Option<Share>,
    /// Positive among the scored.
    pub positive: Option<Share>,
    /// Part that searches covered, 0..1, as far as it has passed; `None` where they were pruned.
    pub covered: Option<f64>,
    /// Full replies left a hole, or more than a little of its end was not looked at yet: there may be more.
    pub at_least: bool,
}

/// What became of what was known.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ChangeFacts {
    /// First seen in the first answer to a question, and so no news.
    pub baseline: u64,
    /// Items whose words changed.
    pub edited: u64,
    /// Items that complete searches do not show any more.
    pub gone: u64,
    /// There may be more of both: replies were full, or more happened than is read at once.
    pub at_least: bool,
    /// Only the latest of the period was read.
    pub cut: bool,
    /// Sources of which too few complete searches were made to say what is gone.
    pub gone_unjudged: Vec<Source>,
    /// Whether it was judged for any source.
    pub gone_judged: bool,
    /// Questions that replaced others, in words.
    pub queries: Vec<String>,
    /// The latest edits.
    pub edits: Vec<EditFacts>,
    /// The latest that are gone.
    pub lost: Vec<GoneFacts>,
}

impl TopicFacts {
    /// Why there is nothing to tell of the period yet, if so.
    pub(super) fn not_yet(&self, timezone: &str) -> Option<String> {
        match self.began {
            None if self.tried => {
                Some("was run, but no run has brought anything yet: there is nothing to report".to_owned())
            }
            None => Some("has not been run yet: there is nothing to report".to_owned()),
            Some(began) if self.unwatched => {
                let what = if self.unanswered {
                    "was run, but no run had brought anything yet. The first that did"
                } else {
                    "was not watched yet in this period. Its first run"
                };
                let began = if self.unanswered { began } else { self.searched_since.unwrap_or(began) };
                let began = super::format::when(began, timezone);
                Some(format!("{what} was at {began}; older items were found later"))
            }
            Some(_) => None,
        }
    }

    /// Whether there may be more items than are counted.
    #[must_use]
    pub fn may_be_more(&self) -> bool {
        self.saturated || self.unseen
    }

    /// Whether it was asked something else in the period than before: what that found cannot be compared.
    pub(super) fn asked_otherwise(&self) -> bool {
        self.changes.as_ref().is_some_and(|changes| !changes.queries.is_empty())
    }

    /// What is said where not all items were read.
    pub(super) fn cut_words(&self) -> Option<&'static str> {
        match (self.period_cut, self.cut) {
            (true, _) => Some("more items than are read at once: those of the period are incomplete"),
            (false, true) => Some("more items than are read at once: the oldest days are incomplete"),
            (false, false) => None,
        }
    }
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct EditFacts {
    /// The item as it is now.
    pub item: Shown,
    /// When it was seen.
    pub at: Time,
    /// What changed, in words.
    pub diff: Vec<Piece>,
}

/// An item that is gone.
#[derive(Debug, Clone, serde::Serialize)]
pub struct GoneFacts {
    pub item: Shown,
    /// When a search showed it last.
    pub last_seen: Time,
}

/// The last answer.
#[derive(Debug, Clone, serde::Serialize)]
pub struct AnswerFacts {
    /// The run that asked.
    pub run: String,
    pub asked_at: Time,
    pub model: Option<String>,
    pub text: String,
    /// It was cut.
    pub partial: bool,
    /// What it rests on.
    #[serde(flatten)]
    pub cited: Cited,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct Rising {
    /// How it grew.
    #[serde(flatten)]
    pub rise: Rise,
    /// What it is.
    pub item: Shown,
}

/// A campaign with its words.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Copies {
    #[serde(flatten)]
    pub campaign: Campaign,
    /// Its earliest item in the period.
    pub item: Shown,
    /// Row of that item.
    pub row: Option<usize>,
}

/// A source's searches in the period.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SourceFacts {
    pub source: Source,
    /// Searches that were made.
    pub made: u64,
    /// Of these, failed or lost.
    pub failed: u64,
    /// Not made: over quota, interrupted, cancelled.
    pub not_made: u64,
    /// Left out on purpose.
    pub left_out: u64,
    /// State of the last one, and when.
    pub last: String,
    pub last_at: Time,
    /// Whether that was a failure.
    pub fails: bool,
    /// Since when all were answered, if the last one was.
    pub answers_since: Option<Time>,
    /// Whether it was not made for want of quota.
    pub over_quota: bool,
    /// Its error class or reason.
    pub trouble: Option<String>,
    /// Searches that asked about the period, whenever they were made, and were answered with as much as they can be.
    pub saturated: u64,
    /// What they cost.
    pub cost: Micros,
}

/// What is shown of an item.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Shown {
    /// Key shown to users.
    pub key: String,
    /// The address, where it is one that may be a link.
    pub link: Option<String>,
    pub author: Option<String>,
    /// Title, or else text, on one line and cut.
    pub words: String,
}

/// A row of the table at the end of a topic.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RowFacts {
    /// Words and link.
    #[serde(flatten)]
    pub item: Shown,
    /// Post or page.
    pub kind: Kind,
    /// The instant it counts at.
    pub at: Time,
    /// It has no date of its own: `at` is when it was first seen.
    pub undated: bool,
    /// Likes, reposts, replies and quotes; `None` where none is known.
    pub engagement: Option<i64>,
    /// How it sounds.
    pub sound: Option<Tone>,
    pub score: Option<i64>,
    /// Who said so.
    pub scorer: Option<String>,
    /// Key of the item it is a near-copy of, where that is another.
    pub copy_of: Option<String>,
}
