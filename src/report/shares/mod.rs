//! Shares: of each topic in what a group found, now and over time, and of each source in what a topic found.

pub(super) mod share_of_voice;
pub(super) mod source_shares;
pub(super) mod voice_parts;
pub(super) mod voice_sources;
