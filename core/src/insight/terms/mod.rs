//! Terms that are news, and their themes: what a period's texts say more often than those of the four weeks before. Copies
//! of a text count once, and an author counts once a day. Pure: `normalise::words` extracts the terms of a text, and the
//! caller provides the days before. A period without a past is compared with other topics: such terms stand out, and are
//! never called news.
//!
//! ```text
//! items of a day --DayTerms--> stored bytes: hashes and counts
//! items of a period + days before --rises--> each term with its items, expected count, z --news--> terms that are news
//!                                                                        --themes--> groups of items that share them
//! ```

mod chains;
mod day_terms;
mod log_odds;
mod meaning;
mod news;
mod rises;
mod stand_out;
#[cfg(test)]
mod tests;
mod themes;
mod whole_words;

pub use day_terms::{Basis, DayTerms, TermCounter, speaker_of};
pub use news::{MOST as MOST_NEWS, NewsTerm, news};
pub use rises::{LEAST_VOICES, Rise, RiseInput, TermItem, differs, rises};
pub use stand_out::{BusiestDay, StandOut, busiest_day, stand_out};
pub use themes::{MOST_THEMES, Theme, Themes, themes};
pub use whole_words::complete_words;

/// Local days before a period that are compared with it.
pub const BEFORE: usize = 28;
/// With fewer comparable days, nothing is called news.
pub const LEAST_DAYS: usize = 7;
