//! The content type of a reply. Deployments often leave it out or get it wrong, so it never stops a body from being
//! read. It matters only for bodies that are not clearly JSON or a stream.

/// The content type that a reply states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContentType {
    /// None, plain text, or something as vague.
    #[default]
    Unsaid,
    /// JSON of any kind, also with one value per line.
    Json,
    Events,
    /// A page: HTML or XML.
    Page,
}

impl ContentType {
    /// Reads the content type from the headers of a reply.
    #[must_use]
    pub fn of(headers: &[(String, String)]) -> Self {
        let named = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let kind = named.map_or("", |(_, value)| value.split(';').next().unwrap_or_default().trim());
        let kind = kind.to_ascii_lowercase();
        if kind.contains("json") {
            Self::Json
        } else if kind == "text/event-stream" {
            Self::Events
        } else if kind == "text/html" || kind.ends_with("xml") {
            Self::Page
        } else {
            Self::Unsaid
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_type_is_read_without_its_parameters_and_in_any_case() {
        for (value, media) in [
            ("application/json", ContentType::Json),
            ("Application/JSON; charset=utf-8", ContentType::Json),
            ("application/problem+json", ContentType::Json),
            ("application/x-ndjson", ContentType::Json),
            ("application/jsonl", ContentType::Json),
            ("text/event-stream;charset=UTF-8", ContentType::Events),
            ("text/html; charset=utf-8", ContentType::Page),
            ("application/xhtml+xml", ContentType::Page),
            ("text/plain", ContentType::Unsaid),
            ("text/plain; profile=json", ContentType::Unsaid),
            ("text/markdown", ContentType::Unsaid),
            ("application/octet-stream", ContentType::Unsaid),
            ("", ContentType::Unsaid),
        ] {
            let headers =
                [("x-request-id".to_owned(), "json".to_owned()), ("Content-Type".to_owned(), value.to_owned())];
            assert_eq!(ContentType::of(&headers), media, "{value}");
        }
        assert_eq!(ContentType::of(&[]), ContentType::Unsaid);
    }
}
