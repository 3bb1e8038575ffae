//! The kinds of rows that can be exported, their columns, and which filters each kind takes. A filter that a kind
//! does not take is refused, never ignored.

use super::column::{Column, Heading, ORIGIN};
use super::columns;
use crate::model::closed_list;
use crate::store::Filter;

/// Version of the columns of all kinds together, raised when a column is added. Columns are never removed, renamed or
/// moved.
pub const SCHEMA: u32 = 7;

closed_list! {
    /// A kind of rows to export.
    ExportKind {
        /// One row per topic and item.
        Items = "items",
        /// One row per run, item and source: the time series.
        Sightings = "sightings",
        /// One row per topic and item, at its first sighting.
        New = "new",
        /// One row per finished run of a topic.
        Runs = "runs",
        /// One row per search of a finished run.
        Searches = "searches",
        /// One row per answer.
        Answers = "answers",
        /// One row per topic and day.
        Daily = "daily",
        /// One row per change between two runs.
        Changes = "changes",
        /// One row per term that is news.
        Terms = "terms",
    }
}

closed_list! {
    /// The filters, by their names on the command line.
    ExportFilter {
        /// Topics by tag.
        Tag = "--tag",
        Source = "--source",
        /// A span of time.
        Time = "--since and --until",
        /// The tone of items.
        Tone = "--tone",
        /// First seen recently.
        NewSince = "--new-since",
        /// The authors of items.
        Author = "--author",
        /// The words of items.
        Search = "--search",
        /// Rows that topics' filters hide.
        Filtered = "--filtered",
        /// A range of the reading order.
        Seq = "--seq",
        /// Posts or pages.
        Kind = "--kind",
        /// The language of items.
        Lang = "--lang",
        /// Items with a mark.
        Marked = "--marked",
        /// Items with a star.
        Starred = "--starred",
        /// Items with a note.
        Noted = "--noted",
    }
}

fn headings<R>(columns: &'static [Column<R>]) -> Vec<&'static Heading> {
    columns.iter().map(|column| &column.heading).chain([&ORIGIN]).collect()
}

impl ExportKind {
    /// The columns, in order.
    #[must_use]
    pub fn columns(self) -> Vec<&'static Heading> {
        match self {
            Self::Items => headings(columns::ITEMS),
            Self::Sightings => headings(columns::SIGHTINGS),
            Self::New => headings(columns::NEW),
            Self::Runs => headings(columns::RUNS),
            Self::Searches => headings(columns::SEARCHES),
            Self::Answers => headings(columns::ANSWERS),
            Self::Daily => headings(columns::DAILY),
            Self::Changes => headings(columns::CHANGES),
            Self::Terms => headings(columns::TERMS),
        }
    }

    /// Describes the rows and their order, as Markdown.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Items => {
                "One row per topic and [item](../explanation/identity.md), as known now; reactions as last seen by any topic. A token \
                 for some topics gets no `revisions`, `cluster`, `starred_at` or `note`. Order: topic, `first_seen`, key."
            }
            Self::Sightings => {
                "One row per run, item and source: the time series. Details and reactions are as known at that moment. Order: start of \
                 the run, run, source (social, web, ai), rank, key."
            }
            Self::New => {
                "One row per topic and item, as known when the topic first saw it; append-only. Order: `first_seen`, \
                 run, key."
            }
            Self::Runs => {
                "One row per finished run of a topic, including missed and skipped slots. Order: start (or slot), run."
            }
            Self::Searches => {
                "One row per search of a finished run, including those of lost attempts. Order: start of the run, run, attempt, source."
            }
            Self::Answers => "One row per run that got an AI answer. Order: start of the run, run.",
            Self::Daily => {
                "One row per day, in UTC or `--timezone`, from a topic's first run to its last, for watched or named topics. \
                 Order: topic, day."
            }
            Self::Changes => {
                "One row per change that `topicwatch diff` shows, for watched or named topics, without what their filters hide. \
                 `--since` (or `--new-since`) works as in `diff`: a run, a time or `last-report`; without it, each topic's last run is \
                 compared with the last earlier one that found something. Order: topic, then new, gone, edited and rising, each as in `diff`."
            }
            Self::Terms => {
                "One row per topic and [term that is news](../explanation/terms.md) in the span, at most ten per topic, highest `z` \
                 first. By default the span is the day up to the topic's last run."
            }
        }
    }

    /// What `--since` and `--until` are compared with.
    #[must_use]
    pub fn time_column(self) -> &'static str {
        match self {
            Self::Items | Self::New => "`first_seen`",
            Self::Sightings => "`seen_at`",
            Self::Answers => "`asked_at`",
            Self::Runs => "`started_at`, else `slot`",
            Self::Searches => "start of its run",
            Self::Daily => "day",
            Self::Changes => "span",
            Self::Terms => "span",
        }
    }

    /// The filters that this kind takes, besides topics.
    #[must_use]
    pub fn supported_filters(self) -> &'static [ExportFilter] {
        use ExportFilter::{
            Author, Filtered, Kind, Lang, Marked, NewSince, Noted, Search, Seq, Source, Starred, Tag, Time, Tone,
        };
        match self {
            Self::Items => {
                &[Tag, Source, Time, Tone, NewSince, Author, Search, Filtered, Kind, Lang, Marked, Starred, Noted]
            }
            Self::New => &[Tag, Source, Time, Tone, NewSince, Author, Search, Filtered, Seq, Kind, Lang],
            Self::Sightings => &[Tag, Source, Time, Tone, Author, Search, Filtered, Seq, Kind, Lang],
            Self::Searches => &[Tag, Source, Time, Seq],
            Self::Runs | Self::Answers => &[Tag, Time, Seq],
            Self::Daily | Self::Terms => &[Tag, Time],
            Self::Changes => &[Tag, Time, NewSince],
        }
    }

    /// Whether rows are only ever added, so that a file can continue where the last one ended.
    #[must_use]
    pub fn is_append_only(self) -> bool {
        matches!(self, Self::Sightings | Self::Searches | Self::Answers | Self::New)
    }

    /// The first filter in use that this kind does not take, and the kinds that take it.
    #[must_use]
    pub fn first_unsupported(self, filter: &Filter, filtered: bool) -> Option<(ExportFilter, Vec<Self>)> {
        let is_in_use = |part: &ExportFilter| match part {
            ExportFilter::Tag => !filter.tags.is_empty(),
            ExportFilter::Source => !filter.sources.is_empty(),
            ExportFilter::Time => filter.since.is_some() || filter.until.is_some(),
            ExportFilter::Tone => !filter.tones.is_empty(),
            ExportFilter::NewSince => filter.new_since.is_some(),
            ExportFilter::Author => !filter.authors.is_empty(),
            ExportFilter::Search => filter.words.is_some(),
            ExportFilter::Filtered => filtered,
            ExportFilter::Seq => filter.seq.is_some(),
            ExportFilter::Kind => !filter.kinds.is_empty(),
            ExportFilter::Lang => !filter.languages.is_empty(),
            ExportFilter::Marked => !filter.marks.is_empty(),
            ExportFilter::Starred => filter.starred,
            ExportFilter::Noted => filter.noted,
        };
        let part =
            *ExportFilter::ALL.iter().find(|part| is_in_use(part) && !self.supported_filters().contains(part))?;
        Some((part, Self::taking(part)))
    }

    /// The kinds that take a filter.
    #[must_use]
    pub fn taking(part: ExportFilter) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|what| what.supported_filters().contains(&part)).collect()
    }
}
