//! What other programs export of what they watch: OPML of feed readers, changedetection.io's list or backup, urlwatch's
//! `urls.yaml`. Text in, feeds out, as topics in TOML. It reads no file and knows no configuration.

mod changedetection;
mod entry;
mod opml;
mod topics;
mod urlwatch;

pub use entry::{Entry, MOST, Unreadable};
pub use topics::{Known, Made, topics};

/// Longest file in bytes.
pub const LONGEST: u64 = 5_000_000;

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Opml,
    Changedetection,
    Urlwatch,
}

impl Format {
    /// Every format by its name.
    pub const ALL: [(&'static str, Self); 3] =
        [("opml", Self::Opml), ("changedetection", Self::Changedetection), ("urlwatch", Self::Urlwatch)];

    /// By what stands in it.
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

/// The entries of a file.
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
            "names no address",
            "is it the export of a feed reader, changedetection.io or urlwatch?",
        ));
    }
    if all.len() > MOST {
        return Err(Unreadable::new(format!("names more than {MOST} addresses"), "split it"));
    }
    Ok(all)
}
