//! Terms that are news, and themes, as they are shown: plain rows that reports, pages, the API and exports share.

use crate::insight::daily::Share;
use crate::insight::terms::{LEAST_DAYS, MOST_NEWS, NewsTerm, TermItem, Theme};
use crate::insight::why::{DayItems, Term};
use crate::model::{ItemContent, Kind, TermKind, Time, closed_list, format_term, number};
use crate::normalise::safe_link;

closed_list! {
    /// Why no terms are shown, other than that none is news.
    NoTermsReason {
        /// Fewer days before than are needed.
        History = "history",
        /// The query changed in the period.
        Query = "query",
        /// The posts are not about the question.
        Relevance = "relevance",
        /// Not all items of the period were read.
        Cut = "cut",
        /// The period has no items.
        NoItems = "no_items",
        /// The days before are not counted yet, or were counted by another version.
        Uncounted = "uncounted",
    }
}

closed_list! {
    /// The comparison behind terms that stand out.
    ComparedWith {
        /// Days of other topics.
        OtherTopics = "other_topics",
        /// Nothing: these are the terms that most people use.
        Nothing = "nothing",
    }
}

closed_list! {
    /// Why terms that stand out are shown in place of news.
    StandOutReason {
        /// The topic has too few days before the period.
        FewDays = "few_days",
        /// No term is news, but the day is the busiest of all days compared.
        BusiestDay = "busiest_day",
    }
}

/// Terms that stand out of a period. They are never called news.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct StandOutRows {
    pub reason: StandOutReason,
    pub compared_with: ComparedWith,
    /// Texts that they were compared with.
    pub texts: u64,
    /// Texts of the period, and of the busiest day before it; set for `busiest_day`.
    pub texts_now: Option<u64>,
    /// Whether `texts_now` counts a sample, so that the period has more.
    #[serde(skip)]
    pub sampled: bool,
    pub most_texts_before: Option<u64>,
    /// The strongest first. `texts_before` and `expected` are about the texts that they were compared with.
    pub terms: Vec<TermRow>,
}

impl StandOutRows {
    /// The title of the list.
    pub const TITLE: &str = "Terms that stand out";

    /// Says in a sentence or two why they are shown and what they were compared with.
    #[must_use]
    pub fn words(&self) -> String {
        let why = match (self.reason, self.texts_now.zip(self.most_texts_before)) {
            (StandOutReason::BusiestDay, Some((now, most))) => {
                let least = if self.sampled { "at least " } else { "" };
                format!(
                    "The busiest day so far: {least}{} texts, at most {} on an earlier day. ",
                    number(now),
                    number(most)
                )
            }
            (StandOutReason::BusiestDay, None) => "The busiest day so far. ".to_owned(),
            (StandOutReason::FewDays, _) => String::new(),
        };
        let lack = match self.reason {
            StandOutReason::FewDays => ", because the topic has too few days of its own",
            StandOutReason::BusiestDay => "",
        };
        match self.compared_with {
            ComparedWith::OtherTopics => format!(
                "{why}Compared with {} texts of other topics{lack}. These terms include words that always belong to the \
                 topic, so they are not news.",
                number(self.texts)
            ),
            ComparedWith::Nothing => format!(
                "{why}The terms used by the most people. They are compared with no other topic, so they are not news."
            ),
        }
    }
}

/// The terms that are news in a period, and their themes.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct TopicTerms {
    /// The number of earlier days that can be compared with the period.
    pub before_days: u64,
    /// Why no terms are shown, if they are not.
    pub no_terms: Option<NoTermsReason>,
    /// The number of tested terms: those used three times or more in the period and the days before together.
    pub tested: u64,
    /// The most surprising first.
    pub terms: Vec<TermRow>,
    /// The number of further terms that are news but not shown; at most 50 are counted.
    pub more: u64,
    /// The largest first.
    pub themes: Vec<ThemeRow>,
    /// The number of themes that are not shown, and of their items.
    pub more_themes: u64,
    pub more_items: u64,
    /// Items of no theme.
    pub other_items: u64,
    /// Items of the period, and those whose words were read. Where these are fewer, they are a sample of the whole
    /// period, and all counts are those of the sample.
    pub items: u64,
    pub items_read: u64,
    /// Whether only a sample was read.
    pub cut: bool,
    /// Terms that stand out; set if there are too few earlier days, or if no term is news on the busiest day.
    pub stand_out: Option<StandOutRows>,
    /// The terms that are news with their items, for explaining a rise.
    #[serde(skip)]
    pub rises: Vec<TermRise>,
}

/// A term that is news, and which items hold it.
#[derive(Debug, Clone, PartialEq)]
pub struct TermRise {
    /// As it is compared: lower case, without accents; `#tag` and `@name` with their signs.
    pub term: String,
    /// Keys of the period's items that hold it.
    pub keys: Vec<String>,
    /// The number of different texts by different people that contain it, and the number expected from the days before.
    pub texts: u64,
    pub expected: f64,
}

impl TermRise {
    /// Converts it to a possible cause of an unusual figure; `usual` is the usual number of items on such a day.
    #[must_use]
    pub fn as_cause<'a>(&'a self, now: &DayItems<'a>, usual: f64) -> Term<'a> {
        let keys = self.keys.iter().map(String::as_str).collect();
        Term::of(&self.term, keys, (self.expected, self.texts), now, usual)
    }
}

impl TopicTerms {
    /// Returns them as JSON, with `untold`, the former name of `no_terms`, until 1.0.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("untold".to_owned(), serde_json::json!(self.no_terms));
        }
        value
    }

    /// Terms that are not shown, for this reason, of a period with this many items. Their words were not read.
    #[must_use]
    pub fn without_terms(why: NoTermsReason, items: usize) -> Self {
        Self { no_terms: Some(why), items: items as u64, ..Self::default() }
    }

    /// Whether there may be more terms that are news than are counted.
    #[must_use]
    pub fn more_is_least(&self) -> bool {
        self.more + self.terms.len() as u64 >= MOST_NEWS as u64
    }

    /// The sentence that says that only a sample was read; `None` if all items were read.
    #[must_use]
    pub fn sample_words(&self) -> Option<String> {
        let (read, items) = (number(self.items_read), number(self.items));
        self.cut
            .then(|| format!("Only a sample was read, {read} of {items} items: the counts are those of the sample."))
    }

    /// The sentence that says why no terms are shown; `None` if there are terms.
    #[must_use]
    pub fn none_words(&self) -> Option<String> {
        let none = self.no_terms_reason()?;
        let sample = self.sample_words().filter(|_| self.no_terms.is_none() || self.stand_out.is_some());
        Some([Some(none), sample].into_iter().flatten().collect::<Vec<_>>().join(" "))
    }

    fn no_terms_reason(&self) -> Option<String> {
        let days = |many: u64| if many == 1 { "1 day".to_owned() } else { format!("{many} days") };
        match self.no_terms {
            Some(NoTermsReason::History) => {
                let has = if self.before_days == 0 { "none".to_owned() } else { number(self.before_days) };
                Some(format!(
                    "Cannot compare yet: at least {LEAST_DAYS} comparable earlier days are needed, this topic has {has}."
                ))
            }
            Some(NoTermsReason::Query) => Some("Not compared: the query changed in the period.".to_owned()),
            Some(NoTermsReason::Relevance) => Some("Not compared: the posts do not match the query.".to_owned()),
            Some(NoTermsReason::Cut) => Some("Not compared: not all items of the period were read.".to_owned()),
            Some(NoTermsReason::NoItems) => Some("No items in the period.".to_owned()),
            Some(NoTermsReason::Uncounted) => {
                Some("Not compared yet: the days before are counted after the next run.".to_owned())
            }
            None if self.terms.is_empty() => {
                Some(format!("No term is more frequent than expected from the previous {}.", days(self.before_days)))
            }
            None => None,
        }
    }
}

/// A term that is news.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct TermRow {
    /// As it is compared: lower case, without accents; `#tag` and `@name` with their signs.
    pub term: String,
    pub kind: TermKind,
    pub z: f64,
    /// Items of the period that hold it.
    pub items: u64,
    /// People who say it.
    pub authors: u64,
    /// Different texts by different people, day by day: what is compared.
    pub texts: u64,
    /// The same count, over all earlier days.
    pub texts_before: u64,
    /// The count expected in the period from these days.
    pub expected: f64,
    /// Negative among its items that are scored.
    pub negative: Option<Share>,
    pub example: TermSample,
    /// Keys of its items.
    #[serde(skip)]
    pub keys: Vec<String>,
}

impl TermRow {
    pub(in crate::compare) fn of(term: &NewsTerm, example: TermSample, items: &[TermItem]) -> Self {
        Self {
            keys: keys_at(&term.places, items),
            term: format_term(&term.term),
            kind: term.kind,
            z: term.z,
            items: term.items,
            authors: term.voices,
            texts: term.now,
            texts_before: term.before,
            expected: term.expected,
            negative: term.negative,
            example,
        }
    }
}

/// Items that share terms that are news.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ThemeRow {
    /// Its best terms.
    pub name: String,
    pub items: u64,
    pub unique: u64,
    pub authors: u64,
    pub negative: Option<Share>,
    /// Items with one of its terms in the previous period; `None` if the two cannot be compared.
    pub items_before: Option<u64>,
    pub first_at: Time,
    pub first_by: Option<String>,
    pub first_key: String,
    pub post: Option<TermSample>,
    pub page: Option<TermSample>,
    /// Keys of its items.
    #[serde(skip)]
    pub keys: Vec<String>,
}

impl ThemeRow {
    pub(in crate::compare) fn of(
        theme: &Theme,
        first: &TermSample,
        (post, page): (Option<TermSample>, Option<TermSample>),
        items: &[TermItem],
    ) -> Self {
        let names: Vec<String> = theme.terms.iter().map(|term| format_term(term)).collect();
        Self {
            keys: keys_at(&theme.places, items),
            name: names.join(", "),
            items: theme.items,
            unique: theme.unique,
            authors: theme.voices,
            negative: theme.negative,
            items_before: theme.before,
            first_at: first.at,
            first_by: first.author.clone(),
            first_key: first.key.clone(),
            post,
            page,
        }
    }
}

/// The keys of the items at these places.
pub(super) fn keys_at(places: &[usize], items: &[TermItem]) -> Vec<String> {
    places.iter().filter_map(|place| Some(items.get(*place)?.key.clone())).collect()
}

/// An item that is shown for others.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct TermSample {
    pub key: String,
    pub kind: Kind,
    /// The instant it counts at.
    pub at: Time,
    pub author: Option<String>,
    /// Title, or else text.
    pub words: Option<String>,
    /// The address, where it is one that may be a link.
    pub link: Option<String>,
}

impl TermSample {
    pub(in crate::compare) fn of(words: ItemContent, item: &TermItem) -> Self {
        let title_or_text = [words.title, words.text].into_iter().flatten().find(|text| !text.trim().is_empty());
        Self {
            kind: item.kind,
            at: item.at,
            link: words.url.as_deref().and_then(safe_link),
            author: words.author,
            words: title_or_text,
            key: words.key,
        }
    }
}
