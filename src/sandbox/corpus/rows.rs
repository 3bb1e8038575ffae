//! Reads one row of a data file as a post or a page. Column names are matched tolerantly; values are cleaned and cut.
//! It opens no file and shifts no time.

use serde_json::{Map, Value};

/// The maximum length of a text, in bytes.
const MAX_TEXT: usize = 8_192;
/// The maximum length of any other value, in bytes.
const MAX_FIELD: usize = 2_048;

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Id,
    Text,
    Title,
    Url,
    Author,
    Date,
    Likes,
    Replies,
    Reposts,
    Lang,
    Other,
}

/// The values of a row. Whether it is a post or a page is not decided yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: Option<String>,
    pub(super) text: Option<String>,
    pub(super) title: Option<String>,
    pub(super) url: Option<String>,
    pub(super) author: Option<String>,
    /// Milliseconds since the epoch, from the date column or from the id.
    pub(super) at: Option<i64>,
    pub(super) likes: Option<u64>,
    pub(super) replies: Option<u64>,
    pub(super) reposts: Option<u64>,
    pub(super) lang: Option<String>,
}

/// Returns the content of a column with this name. Case, white space, `_`, `-` and a byte order mark do not matter.
pub(super) fn parse_column(name: &str) -> Column {
    let folded: String = name
        .trim_start_matches('\u{feff}')
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect();
    match folded.as_str() {
        "id" | "tweetid" | "postid" | "idstr" => Column::Id,
        "text" | "tweet" | "tweettext" | "fulltext" | "posttext" | "body" => Column::Text,
        "title" => Column::Title,
        "url" | "link" => Column::Url,
        "author" | "user" | "username" | "screenname" | "handle" => Column::Author,
        "createdat" | "date" | "timestamp" | "time" | "publishedat" | "publisheddate" => Column::Date,
        "numpoints" | "points" | "likes" | "likecount" | "favoritecount" => Column::Likes,
        "numcomments" | "comments" | "replies" | "replycount" => Column::Replies,
        "retweets" | "reposts" | "retweetcount" => Column::Reposts,
        "lang" | "language" => Column::Lang,
        _ => Column::Other,
    }
}

impl Row {
    /// Stores a cell. The first non-empty cell of a kind wins.
    pub(super) fn set_cell(&mut self, column: Column, cell: &str) {
        let cell = cell.trim();
        if cell.is_empty() {
            return;
        }
        let slot = match column {
            Column::Id => &mut self.id,
            Column::Text => &mut self.text,
            Column::Title => &mut self.title,
            Column::Url => &mut self.url,
            Column::Author => &mut self.author,
            Column::Lang => &mut self.lang,
            Column::Date => {
                self.at = self.at.or_else(|| super::dates::parse(cell));
                return;
            }
            Column::Likes => return set_number(&mut self.likes, cell),
            Column::Replies => return set_number(&mut self.replies, cell),
            Column::Reposts => return set_number(&mut self.reposts, cell),
            Column::Other => return,
        };
        if slot.is_none() {
            let cell = match column {
                Column::Id => cell.trim_matches(['\'', '"']),
                Column::Author => cell.trim_start_matches('@'),
                _ => cell,
            };
            let limit = if column == Column::Text { MAX_TEXT } else { MAX_FIELD };
            // Some databases cannot store NUL. To test that, use the fault `malformed=nul`, not a data file.
            *slot = Some(cell[..cell.floor_char_boundary(limit)].replace('\0', "\u{fffd}"));
        }
    }

    /// Reads a JSON object, whose `user` may itself be an object.
    pub(super) fn from_json(object: &Map<String, Value>) -> Self {
        let mut row = Self::default();
        for (name, value) in object {
            let column = parse_column(name);
            match value {
                Value::String(text) => row.set_cell(column, text),
                Value::Number(number) => row.set_cell(column, &number.to_string()),
                Value::Object(user) if column == Column::Author => {
                    let handle =
                        ["username", "screen_name", "handle", "name"].iter().find_map(|key| user.get(*key)?.as_str());
                    row.set_cell(column, handle.unwrap_or_default());
                }
                _ => {}
            }
        }
        row.with_id_date()
    }

    /// Takes the time from the id when no column has it.
    pub(super) fn with_id_date(mut self) -> Self {
        self.at = self.at.or_else(|| super::dates::of_id(self.id.as_deref()?));
        self
    }

    /// Whether it is a page: it has a title and an address.
    pub(super) fn is_page(&self) -> bool {
        self.title.is_some() && self.url.is_some()
    }

    /// Whether it is a post: it has a text and is no page.
    pub(super) fn is_post(&self) -> bool {
        self.text.is_some() && !self.is_page()
    }
}

fn set_number(slot: &mut Option<u64>, cell: &str) {
    *slot = slot.or_else(|| cell.parse().ok());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_names_are_matched_in_every_spelling() {
        for (name, wanted) in [
            ("\u{feff}id", Column::Id),
            ("Tweet ID", Column::Id),
            ("tweet_id", Column::Id),
            (" Tweet Text", Column::Text),
            (" tweet", Column::Text),
            ("num_points", Column::Likes),
            ("Created_At", Column::Date),
            ("label", Column::Other),
        ] {
            assert_eq!(parse_column(name), wanted, "{name:?}");
        }
    }

    #[test]
    fn a_json_row_keeps_a_long_id_exactly_and_finds_its_user() {
        let text = r#"{"id": 1234567890123456789, "text": "hi", "user": {"username": "ann"}, "likes": 3, "x": [1]}"#;
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let row = Row::from_json(value.as_object().unwrap_or(&Map::new()));
        assert_eq!(row.id.as_deref(), Some("1234567890123456789"));
        assert_eq!((row.author.as_deref(), row.likes), (Some("ann"), Some(3)));
        assert!(row.is_post() && !row.is_page() && row.at.is_some());
    }

    #[test]
    fn quoted_ids_and_long_or_broken_texts_are_cleaned() {
        let mut row = Row::default();
        row.set_cell(Column::Id, "'340000000000000123'");
        row.set_cell(Column::Text, &format!("a\0{}", "é".repeat(10_000)));
        row.set_cell(Column::Text, "second");
        row.set_cell(Column::Likes, "many");
        assert_eq!(row.id.as_deref(), Some("340000000000000123"));
        let text = row.text.clone().unwrap_or_default();
        assert!(text.starts_with("a\u{fffd}é") && text.len() <= MAX_TEXT + 3);
        assert_eq!(row.likes, None);
        assert!(row.with_id_date().at.is_some());
    }
}
