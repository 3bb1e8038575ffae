//! The figures of a daily report: local days, counts, shares with confidence intervals, usual values, near-copy
//! campaigns, rising items and links. Pure: it reads no clock and no database; `report` selects the items.

mod all_sources;
mod calendar;
mod calendar_weeks;
mod campaigns;
mod counts;
mod effects;
mod hole_facts;
mod links;
mod moments;
mod rising;
mod search_coverage;
mod share;
mod source_changes;
mod unchecked;
mod uncovered;
mod usual;
mod usual_share;

pub use calendar::{Day, date_of, day_of, days, is_whole_days, start_of_day, window_before, windows_at_any_hour};
pub use calendar_weeks::{CalendarPeriod, CalendarUnit};
pub use campaigns::{Campaign, campaigns};
pub use counts::{ItemCounts, Tally, ToneCounts, count_items, count_tones, scorer_of, tally, top_authors};
pub use hole_facts::HoleFacts;
pub use links::{extract_links, without_last_word};
pub use rising::{Rise, any_comparable, rising_items};
pub use search_coverage::{COVERED, SearchCoverage};
pub use share::{Share, share};
pub use source_changes::{FindingSources, SourceHistory, finding_sources, sources_in_common};
pub use unchecked::{Answered, Answers};
pub use uncovered::{GapReason, is_more_than_little};
pub use usual::{MIN_DAYS, UsualRange, usual_range};
pub use usual_share::{MIN_SAMPLES, UsualShare, usual_share};
