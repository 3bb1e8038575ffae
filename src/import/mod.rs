//! Imports what other programs watch: OPML of feed readers, changedetection.io's list or backup, urlwatch's
//! `urls.yaml`. It turns text into topics with feeds, in TOML. It reads no file and knows no configuration.

mod changedetection;
mod entry;
mod opml;
mod topics;
mod urlwatch;

pub use entry::{Entry, MOST, Unreadable};
pub use topics::{ExistingEntries, ImportResult, topics};

/// The largest file, in bytes.
pub const LONGEST: u64 = 5_000_000;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Opml,
    Changedetection,
    Urlwatch,
}

impl Format {
    /// Every format with its name.
    pub const ALL: [(&'static str, Self); 3] =
        [("opml", Self::Opml), ("changedetection", Self::Changedetection), ("urlwatch", Self::Urlwatch)];

    /// Detects the format by the content.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('<') {
            return Some(Self::Opml);
        }
        if text.starts_with('{') || text.starts_with("http://") || text.starts_with("https://") {
            return Some(Self::Changedetection);
        }
        let key = |line: &str| ["url:", "navigate:", "name:", "---"].iter().any(|key| line.starts_with(key));
        text.lines().any(key).then_some(Self::Urlwatch)
    }
}

/// Returns the entries of a file.
///
/// # Errors
/// [`Unreadable`] when it is not in the format, or names nothing.
pub fn entries(text: &str, format: Format) -> Result<Vec<Entry>, Unreadable> {
    let text = text.trim_start_matches('\u{feff}');
    let all = match format {
        Format::Opml => opml::entries(text)?,
        Format::Changedetection => changedetection::entries(text)?,
        Format::Urlwatch => urlwatch::entries(text),
    };
    if all.is_empty() {
        return Err(Unreadable::new(
            "contains no URLs",
            "is it the export of a feed reader, changedetection.io or urlwatch?",
        ));
    }
    if all.len() > MOST {
        return Err(Unreadable::new(format!("contains more than {MOST} URLs"), "split it"));
    }
    Ok(all)
}
