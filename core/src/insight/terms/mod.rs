//! Terms that are news, and the themes that they make: what a period's texts say more often than those of the four weeks
//! before. A text counts once however often it was copied, and whoever writes counts once a day however much they write. Pure: what
//! the terms of a text are, `normalise::words` says; where the days before come from, the caller. What has no past is compared with other topics, and told as what stands out, never as news.
//!
//! ```text
//! items of a day --DayTerms--> kept: bytes of hashes and counts
//! items of a period + days before --rises--> each term with its items, what was expected, z --news--> those that are news
//!                                                                            --themes--> groups of items that share them
//! ```

mod kept;
mod news;
mod odds;
mod rises;
mod stand_out;
#[cfg(test)]
mod tests;
mod themes;

pub use kept::{Basis, DayTerms, TermCounter, voice_of};
pub use news::{MOST as MOST_NEWS, NewsTerm, news};
pub use rises::{LEAST_VOICES, Rise, RiseInput, TermItem, rises};
pub use stand_out::{StandOut, stand_out};
pub use themes::{MOST_THEMES, Theme, Themes, themes};

/// Local days before a period that it is compared with.
pub const BEFORE: usize = 28;
/// With fewer of them that can be compared nothing is told.
pub const LEAST_DAYS: usize = 7;
