//! Turns a decoded entry into a finding: cleans it, identifies it, and checks it against the window. Adds only data
//! from elsewhere in the entry (id and author from its URL, time from its id).

use std::time::Duration;

use super::identity::{bare_handle, identify, platform_key, post_id, valid_id};
use super::post::{X, post_of_url, snowflake_time};
use super::url::safe_link;
use crate::model::{Finding, Kind, ReplyEntry, Source, Span, Time, WindowFit};

/// How far a publication time may lie in the future and still be in the window, because clocks differ.
pub const FUTURE_SLACK: Duration = Duration::from_secs(600);

/// Whether a publication time lies in the requested span. A span that ends at `asked_at` or later also includes
/// [`FUTURE_SLACK`] after `asked_at`, inclusive.
#[must_use]
pub fn window_fit(published: Option<Time>, asked_at: Time, span: Span) -> WindowFit {
    let ended = |at: Time| if span.until < asked_at { at >= span.until } else { at > asked_at.plus(FUTURE_SLACK) };
    match published {
        None => WindowFit::Undated,
        Some(at) if span.from <= at && !ended(at) => WindowFit::In,
        Some(_) => WindowFit::Outside,
    }
}

/// Makes a finding from an entry of a reply requested at `asked_at`; `None` if the entry cannot be identified.
///
/// Trims texts and drops empty ones; removes the author's `@`; keeps the URL only if it is safe to show. A post takes
/// its id, a missing author and a missing date from its URL or X id. A date from an id is derived, not given by the
/// reply.
#[must_use]
pub fn to_finding(source: Source, found: ReplyEntry, platform: &str, asked_at: Time, span: Span) -> Option<Finding> {
    let mut found = trimmed(found);
    let identity = identify(&found, platform)?;
    if identity.kind == Kind::Post {
        let address = found.url.as_deref().and_then(post_of_url);
        // A page that names a post has no id of its own: web searches may number their results.
        if found.kind == Some(Kind::Page) {
            found.id = None;
        }
        let named = post_id(&found, address.as_ref(), &platform_key(platform));
        if found.published_at.is_none()
            && let Some((on, id)) = &named
            && on == X
        {
            found.published_at = snowflake_time(id, asked_at);
        }
        found.author = found.author.or(address.and_then(|a| a.handle));
        found.id = named.map(|(_, id)| id);
    } else {
        found.id = found.id.filter(|id| valid_id(id).is_some());
    }
    found.url = found.url.as_deref().and_then(safe_link);
    Some(Finding {
        source,
        kind: identity.kind,
        keys: identity.keys,
        strong: identity.strong,
        fit: window_fit(found.published_at, asked_at, span),
        found,
    })
}

/// Trims all texts and drops empty ones. NUL becomes U+FFFD: PostgreSQL refuses it, and with it the whole run.
fn trimmed(found: ReplyEntry) -> ReplyEntry {
    let stored = |text: &str| text.replace('\0', "\u{fffd}");
    let trim = |text: Option<String>| text.map(|t| stored(t.trim())).filter(|t| !t.is_empty());
    ReplyEntry {
        id: trim(found.id),
        url: trim(found.url),
        author: found.author.as_deref().and_then(bare_handle).map(stored),
        author_name: trim(found.author_name),
        title: trim(found.title),
        text: trim(found.text),
        lang: trim(found.lang),
        conversation_id: trim(found.conversation_id),
        ..found
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;
    use crate::model::{LookBack, Window};

    const NOW: Time = Time(1_773_219_600_000);

    fn past(window: Window, at: Time) -> Span {
        LookBack::from(window).span(at)
    }

    fn finding_of(found: ReplyEntry) -> Finding {
        to_finding(Source::Social, found, "X", NOW, past(Window::Past24Hours, NOW)).unwrap()
    }

    #[test]
    fn the_window_includes_its_edges_and_ten_minutes_of_the_future() {
        let day = 24 * 3_600 * 1_000;
        for (ms, expected) in [
            (-day - 1, WindowFit::Outside),
            (-day, WindowFit::In),
            (0, WindowFit::In),
            (600_000, WindowFit::In),
            (600_001, WindowFit::Outside),
        ] {
            assert_eq!(window_fit(Some(Time(NOW.0 + ms)), NOW, past(Window::Past24Hours, NOW)), expected, "{ms}");
        }
        assert_eq!(window_fit(Some(Time(NOW.0 - 6 * day)), NOW, past(Window::Past7Days, NOW)), WindowFit::In);
        assert_eq!(window_fit(None, NOW, past(Window::Past7Days, NOW)), WindowFit::Undated);
        assert_eq!(
            window_fit(Some(Time(i64::MIN)), Time(i64::MIN), past(Window::Past7Days, Time(i64::MIN))),
            WindowFit::In
        );
        assert_eq!(window_fit(Some(Time(i64::MAX)), Time(0), past(Window::Past7Days, Time(0))), WindowFit::Outside);
    }

    #[test]
    fn a_day_that_is_over_ends_with_its_last_millisecond() {
        let yesterday = LookBack::Day(NOW.utc_day() - 1).span(NOW);
        for (at, expected) in [
            (yesterday.from.0 - 1, WindowFit::Outside),
            (yesterday.from.0, WindowFit::In),
            (yesterday.until.0 - 1, WindowFit::In),
            (yesterday.until.0, WindowFit::Outside),
        ] {
            assert_eq!(window_fit(Some(Time(at)), NOW, yesterday), expected, "{at}");
        }
    }

    #[test]
    fn missing_post_fields_are_filled_from_the_url_and_id() {
        let id = ((NOW.0 - 60_000 - 1_288_834_974_657) << 22).to_string();
        let url = format!("https://twitter.com/Jane_D/status/{id}");
        let got = finding_of(ReplyEntry {
            kind: Some(Kind::Post),
            url: Some(url.clone()),
            text: Some(" hi ".into()),
            ..ReplyEntry::default()
        });
        assert_eq!(got.found.id.as_deref(), Some(id.as_str()));
        assert_eq!(got.found.author.as_deref(), Some("Jane_D"));
        assert_eq!(got.found.text.as_deref(), Some("hi"));
        assert_eq!(got.found.published_at, Some(Time(NOW.0 - 60_000)));
        assert_eq!((got.fit, got.kind, got.strong, got.keys.len()), (WindowFit::In, Kind::Post, true, 2));

        let page =
            ReplyEntry { kind: Some(Kind::Page), id: Some("result-3".into()), url: Some(url), ..ReplyEntry::default() };
        let page = to_finding(Source::Web, page, "X", NOW, past(Window::Past24Hours, NOW)).unwrap();
        assert_eq!((page.kind, page.keys.as_slice()), (Kind::Post, &got.keys[..1]));
        assert_eq!(page.found.id, got.found.id);
        assert_eq!(page.found.kind, Some(Kind::Page));
    }

    #[test]
    fn a_given_date_wins_over_the_one_in_an_x_id() {
        let post = |at, id: &str| ReplyEntry {
            kind: Some(Kind::Post),
            id: Some(id.into()),
            published_at: at,
            ..ReplyEntry::default()
        };
        assert_eq!(finding_of(post(Some(Time(5)), "1541815603606036480")).found.published_at, Some(Time(5)));
        assert_eq!(finding_of(post(None, "20")).fit, WindowFit::Undated);
        let other = to_finding(
            Source::Social,
            post(None, "1541815603606036480"),
            "Reddit",
            NOW,
            past(Window::Past24Hours, NOW),
        )
        .unwrap();
        assert_eq!(other.fit, WindowFit::Undated);
    }

    #[test]
    fn an_entry_is_cleaned_and_an_unsafe_address_is_not_shown() {
        let got = finding_of(ReplyEntry {
            kind: Some(Kind::Post),
            id: Some("n/a".into()),
            url: Some("javascript:alert(1)".into()),
            author: Some(" @Jane ".into()),
            title: Some(" ".into()),
            text: Some("text".into()),
            ..ReplyEntry::default()
        });
        assert_eq!((got.found.id, got.found.url, got.found.title), (None, None, None));
        assert_eq!(got.found.author.as_deref(), Some("Jane"));
        assert!(!got.strong);
        assert_eq!(to_finding(Source::Web, ReplyEntry::default(), "X", NOW, past(Window::Past24Hours, NOW)), None);
    }
}
