//! What can be said to `export`. The help texts are the reference, as those in `args` are.

use std::path::PathBuf;

use clap::Args;

/// `export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Which rows
    #[arg(long, value_name = "WHAT", default_value = "items", value_parser = ["items", "sightings", "new", "runs", "searches", "answers", "daily", "changes"])]
    pub what: String,
    /// How they are written [default: by the ending of --out, else csv]; atom is a feed of what is new in one topic
    #[arg(long, value_name = "FORMAT", value_parser = ["csv", "jsonl", "xlsx", "atom"])]
    pub format: Option<String>,
    /// CSV for programs (RFC 4180), or for spreadsheets (byte order mark, ids as text, formulas guarded)
    #[arg(long, value_name = "PROFILE", default_value = "machine", value_parser = ["machine", "excel"])]
    pub profile: String,
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Only topics with this tag (repeat for more)
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Only what this source showed (repeat for more)
    #[arg(long, value_name = "SOURCE", value_parser = ["social", "web", "ai"])]
    pub source: Vec<String>,
    /// At or after: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago; of changes also a run, or `last-report`
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Before (same forms)
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only items that sound like this (repeat for more)
    #[arg(long, value_name = "TONE", value_parser = ["negative", "neutral", "positive"])]
    pub tone: Vec<String>,
    /// Only items first seen at or after, and not older than their topic's window then
    #[arg(long, value_name = "TIME")]
    pub new_since: Option<String>,
    /// Only items by this handle (repeat for more)
    #[arg(long, value_name = "HANDLE")]
    pub author: Vec<String>,
    /// Only items with these words: all of them, "a phrase", begin*, -not
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub search: Option<String>,
    /// Only runs with numbers above A up to B (`seq` of the views), in that order
    #[arg(long, value_name = "A..B")]
    pub seq: Option<String>,
    /// Whose days `daily` tells of [default: UTC]
    #[arg(long, value_name = "ZONE")]
    pub timezone: Option<String>,
    /// Items and sightings that their topic's filter hides: all rows, without them, or only them
    #[arg(long, value_name = "WHAT", default_value = "keep", value_parser = ["keep", "hide", "only"])]
    pub filtered: String,
    /// File to replace as a whole (packed when it ends in .gz), or - for stdout; its ending names the format
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
    /// Compare a file of [[exports]] with its manifest and with the database, and write nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "what", "format", "profile", "topic", "tag", "source", "since", "until", "tone", "new_since", "author", "search", "seq",
        "timezone", "filtered", "out",
    ])]
    pub verify: Option<PathBuf>,
}
