//! The shown parts of an item.

/// The shown parts of an item.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct ItemExcerpt {
    /// The item's key.
    pub key: String,
    /// The address, if it may be a link.
    pub link: Option<String>,
    pub author: Option<String>,
    /// The title, or else the text, on one line and cut.
    pub words: String,
}
