//! Formats posts and pages for a reply. The contract's social search and the AI reply have incomplete entries; the
//! other endpoints send only what their published clients accept.

use serde_json::{Map, Value, json};

use super::corpus::{Author, Hour, Page, PageDate, Post, Quirk};
use super::random::SeededRng;

/// The endpoint for which an entry is formatted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// The contract's own paths.
    Contract,
    /// Lists inside an AI reply.
    Ai,
    /// `links/…`: published clients check every field.
    Links,
    /// `GET /twitter` and `GET /web`: checked as well.
    Basic,
}

impl Endpoint {
    /// Whether entries must be complete.
    fn is_strict(self) -> bool {
        matches!(self, Self::Links | Self::Basic)
    }
}

/// Properties of a post that the corpus does not have: drawn from its id, or from its text if it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Traits {
    /// Its author is verified.
    pub(crate) verified: bool,
    /// Its author is verified by subscription.
    pub(crate) blue_verified: bool,
    /// It quotes another post.
    pub(crate) quote: bool,
    /// It shows a video.
    pub(crate) video: bool,
    /// It shows a picture.
    pub(crate) image: bool,
}

impl Traits {
    /// Returns the properties of a post.
    pub(crate) fn of(post: &Post) -> Self {
        let id = post.author.as_ref().filter(|_| post.quirk != Quirk::NoUser).map(user_id);
        let mut rng = SeededRng::new(&[b"traits", post.id.as_deref().unwrap_or(&post.text).as_bytes()]);
        let (quote, media) = (rng.one_in(8), rng.below(6));
        Self {
            verified: id.is_some_and(|id| id.is_multiple_of(5)),
            blue_verified: id.is_some_and(|id| id.is_multiple_of(3)),
            quote,
            video: media == 0,
            image: media == 1,
        }
    }

    fn media(self, id: &str) -> Value {
        let kind = match (self.video, self.image) {
            (true, _) => "video",
            (_, true) => "photo",
            _ => return json!([]),
        };
        json!([{"media_url": format!("https://media.example/{id}"), "type": kind}])
    }
}

/// Formats posts as entries.
pub(crate) fn posts(posts: &[Post], endpoint: Endpoint) -> Vec<Value> {
    posts.iter().map(|one| post(one, endpoint)).collect()
}

/// Whether an entry contains enough to identify the post by its address.
pub(crate) fn is_identifiable(post: &Post) -> bool {
    post.quirk != Quirk::TextAndHandle
}

/// Formats a post as an entry.
fn post(post: &Post, endpoint: Endpoint) -> Value {
    let quirk = match post.quirk {
        // Strict endpoints show these posts complete.
        Quirk::UserIsHandle | Quirk::NumericId | Quirk::IdInUrl | Quirk::Undated | Quirk::TextAndHandle
            if endpoint.is_strict() =>
        {
            Quirk::Full
        }
        quirk => quirk,
    };
    let handle = post.author.as_ref().map(|author| author.handle.as_str());
    let mut entry = Map::new();
    entry.insert("text".into(), json!(post.text));
    if quirk == Quirk::TextAndHandle {
        entry.insert("user".into(), json!(handle));
        return Value::Object(entry);
    }
    match (&post.id, quirk) {
        (_, Quirk::IdInUrl) => None,
        (Some(id), Quirk::NumericId) => Some(id.parse::<u64>().map_or_else(|_| json!(id), |id| json!(id))),
        (Some(id), _) => Some(json!(id)),
        // If a file has no ids, strict clients get one made from the text.
        (None, _) if endpoint.is_strict() => {
            Some(json!((SeededRng::new(&[b"id", post.text.as_bytes()]).next() >> 1).to_string()))
        }
        (None, _) => None,
    }
    .map(|id| entry.insert("id".into(), id));
    if let (Some(id), true) = (&post.id, quirk != Quirk::NoUrl) {
        entry.insert("url".into(), json!(address(id, handle, endpoint)));
        entry.insert("conversation_id".into(), json!(id));
    }
    match (&post.author, quirk) {
        (None, _) | (_, Quirk::NoUser) => None,
        (Some(author), Quirk::UserIsHandle) => entry.insert("user".into(), json!(author.handle)),
        (Some(author), _) => entry.insert("user".into(), user(author)),
    };
    if quirk != Quirk::Undated {
        entry.insert("created_at".into(), json!(created_at(post.published, quirk == Quirk::IsoDate)));
    }
    if let Some(lang) = &post.lang {
        entry.insert("lang".into(), json!(lang));
    }
    if post.counts.is_some() || endpoint.is_strict() {
        let counts = post.counts.unwrap_or_default();
        for (name, count) in [
            ("like_count", counts.likes),
            ("retweet_count", counts.reposts),
            ("reply_count", counts.replies),
            ("quote_count", counts.reposts / 3),
            ("bookmark_count", counts.likes / 10),
            ("view_count", counts.likes * 40 + 12),
        ] {
            entry.insert(name.into(), json!(count));
        }
    }
    entry.insert("is_retweet".into(), json!(post.is_repost));
    // Only this endpoint can filter by them.
    let traits = Some(Traits::of(post)).filter(|_| endpoint == Endpoint::Basic);
    entry.insert("is_quote_tweet".into(), json!(traits.is_some_and(|traits| traits.quote)));
    let media = traits.map_or(json!([]), |traits| traits.media(post.id.as_deref().unwrap_or("none")));
    entry.insert("media".into(), media);
    Value::Object(entry)
}

/// Returns the address of a post. Half of the posts have the platform's old host. Which half depends on the endpoint,
/// so the same post occurs under both hosts.
fn address(id: &str, handle: Option<&str>, endpoint: Endpoint) -> String {
    let host = match SeededRng::new(&[b"host", id.as_bytes(), &[endpoint as u8]]).one_in(2) {
        true => "twitter.com",
        false => "x.com",
    };
    format!("https://{host}/{}/status/{id}", handle.unwrap_or("i"))
}

fn user_id(author: &Author) -> u64 {
    SeededRng::new(&[b"user", author.handle.as_bytes()]).next() >> 34
}

fn user(author: &Author) -> Value {
    let id = user_id(author);
    let mut user = json!({
        "id": id.to_string(),
        "username": author.handle,
        "name": author.name,
        "url": format!("https://x.com/{}", author.handle),
        "verified": id.is_multiple_of(5),
        "is_blue_verified": id.is_multiple_of(3),
    });
    if let (Some(followers), Some(user)) = (author.followers, user.as_object_mut()) {
        user.insert("followers_count".into(), json!(followers));
    }
    user
}

/// Formats a date as `Wed Mar 11 05:45:48 +0000 2026`, or as ISO 8601.
fn created_at(published: i64, iso: bool) -> String {
    let at = jiff::Timestamp::from_millisecond(published).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    if iso { at.to_string() } else { at.strftime("%a %b %d %H:%M:%S +0000 %Y").to_string() }
}

/// Formats pages as entries. The contract promises only `title` and `url`, and one page in three has no more than that.
pub(crate) fn pages(pages: &[Page], endpoint: Endpoint, hour: Hour) -> Vec<Value> {
    pages.iter().map(|one| page(one, endpoint, hour)).collect()
}

fn page(page: &Page, endpoint: Endpoint, hour: Hour) -> Value {
    let mut rng = SeededRng::new(&[b"page shape", page.url.as_bytes()]);
    let mut entry = Map::new();
    entry.insert("title".into(), json!(page.title));
    let contract = endpoint == Endpoint::Contract;
    entry.insert(if contract { "url" } else { "link" }.into(), json!(page.url));
    if contract && rng.one_in(3) {
        return Value::Object(entry);
    }
    if !contract || !page.snippet.is_empty() {
        entry.insert("snippet".into(), json!(page.snippet));
    }
    if endpoint == Endpoint::Basic && rng.one_in(3) {
        entry.insert("highlights".into(), json!([page.snippet]));
    }
    let plural = |count: i64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    let date = match page.date {
        PageDate::Iso(published) if published <= hour.start().saturating_add(super::corpus::HOUR_MS) => {
            Some(created_at(published, true))
        }
        PageDate::HoursAgo(hours) => Some(plural(hours.max(1), "hour")),
        PageDate::DaysAgo(days) => Some(plural(days.max(1), "day")),
        PageDate::Iso(_) | PageDate::Unknown => None,
    };
    if let Some(date) = date {
        entry.insert(if rng.one_in(2) { "published_date" } else { "date" }.into(), json!(date));
    }
    Value::Object(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(quirk: Quirk) -> Post {
        Post {
            id: Some("2031629876543210000".into()),
            text: "hello".into(),
            author: Some(Author { handle: "sandbox_elm".into(), name: "Sandbox Elm".into(), followers: Some(12) }),
            published: 1_773_207_948_000,
            lang: Some("en".into()),
            counts: None,
            is_repost: false,
            quirk,
        }
    }

    #[test]
    fn a_quirk_leaves_out_or_respells_one_thing() {
        let show = |quirk| post(&sample(quirk), Endpoint::Contract);
        assert_eq!(show(Quirk::Full)["created_at"], "Wed Mar 11 05:45:48 +0000 2026");
        assert_eq!(show(Quirk::IsoDate)["created_at"], "2026-03-11T05:45:48Z");
        assert_eq!(show(Quirk::UserIsHandle)["user"], "sandbox_elm");
        assert_eq!(show(Quirk::NumericId)["id"], 2_031_629_876_543_210_000_u64);
        assert!(show(Quirk::IdInUrl).get("id").is_none() && show(Quirk::IdInUrl)["url"].is_string());
        assert!(show(Quirk::NoUser).get("user").is_none());
        assert!(show(Quirk::Undated).get("created_at").is_none());
        assert_eq!(show(Quirk::TextAndHandle), json!({"text": "hello", "user": "sandbox_elm"}));
    }

    #[test]
    fn a_strict_endpoint_shows_every_field_its_clients_demand() {
        for quirk in [Quirk::Full, Quirk::NumericId, Quirk::IdInUrl, Quirk::Undated, Quirk::TextAndHandle] {
            let entry = post(&Post { id: None, ..sample(quirk) }, Endpoint::Basic);
            assert!(entry["id"].is_string() && entry["created_at"].is_string() && entry["like_count"].is_u64());
        }
    }

    #[test]
    fn a_post_may_have_either_host_in_different_endpoints() {
        let hosts = |endpoint| (0..40).map(move |n| address(&n.to_string(), None, endpoint).contains("twitter.com"));
        assert!(hosts(Endpoint::Ai).zip(hosts(Endpoint::Contract)).any(|(one, other)| one != other));
    }
}
