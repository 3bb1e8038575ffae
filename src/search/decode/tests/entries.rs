//! Entries: post or page, field by field.

use super::*;

fn one(source: Source, entry: &str) -> ReplyEntry {
    let reply = read(source, &format!(r#"{{"results":[{entry}]}}"#));
    assert_eq!((reply.items.len(), reply.unreadable), (1, 0), "{entry}");
    reply.items.into_iter().next().unwrap()
}

#[test]
fn every_field_of_a_full_post_is_read() {
    let post = one(
        Source::Social,
        r#"{"id":1892527552029499853,"text":"Hi","created_at":"Wed Mar 11 05:45:48 +0000 2026",
            "url":"https://twitter.com/ada/status/1892527552029499853",
            "user":{"id":"1","username":"ada","name":"Ada L.","followers_count":5,"verified":true},
            "like_count":1,"retweet_count":"2","reply_count":3.0,"quote_count":4,"bookmark_count":5,"view_count":6,
            "lang":"en","is_retweet":false,"is_quote_tweet":"true","conversation_id":1892527552029499854,
            "media":[],"entities":{"urls":[{"url":"https://t.example"}]}}"#,
    );
    assert_eq!(post.kind, Some(Kind::Post));
    assert_eq!(post.id.as_deref(), Some("1892527552029499853"));
    assert_eq!(post.url.as_deref(), Some("https://twitter.com/ada/status/1892527552029499853"));
    assert_eq!((post.author.as_deref(), post.author_name.as_deref()), (Some("ada"), Some("Ada L.")));
    assert_eq!(post.published_at, Time::parse("2026-03-11T05:45:48Z"));
    assert_eq!(post.lang.as_deref(), Some("en"));
    let e = post.engagement;
    assert_eq!([e.likes, e.reposts, e.replies, e.quotes, e.bookmarks, e.views], [1, 2, 3, 4, 5, 6].map(Some));
    assert_eq!((post.is_repost, post.is_quote), (Some(false), Some(true)));
    assert_eq!(post.conversation_id.as_deref(), Some("1892527552029499854"));
    assert_eq!(post.rank, 1);
}

#[test]
fn every_field_of_a_full_page_is_read() {
    let page = one(
        Source::Web,
        r#"{"id":99,"title":"T","link":" https://a.example/x ","snippet":"S","date":"17 hours ago","source":"Reuters",
            "author":"Ann"}"#,
    );
    assert_eq!(page.kind, Some(Kind::Page));
    assert_eq!(page.id, None, "the id of a page is not a platform's id");
    assert_eq!(page.url.as_deref(), Some("https://a.example/x"));
    assert_eq!((page.title.as_deref(), page.text.as_deref()), (Some("T"), Some("S")));
    assert_eq!(page.author_name.as_deref(), Some("Ann"));
    assert_eq!(page.published_at, Time::parse("2026-03-10T16:00:00Z"));
}

#[test]
fn a_snippet_is_found_under_four_names() {
    for (member, text) in [
        (r#""snippet":"S","content":"C""#, Some("S")),
        (r#""snippet":"  ","content":"C","text":"X""#, Some("C")),
        (r#""text":"X""#, Some("X")),
        (r#""highlights":["a",7,"","b"]"#, Some("a\nb")),
        (r#""highlights":[]"#, None),
    ] {
        let page = one(Source::Web, &format!(r#"{{"title":"T","url":"https://a.example",{member}}}"#));
        assert_eq!(page.text.as_deref(), text, "{member}");
    }
}

#[test]
fn the_fields_of_an_entry_decide_between_post_and_page() {
    let (post, page) = (Kind::Post, Kind::Page);
    for (entry, social, web) in [
        (r#"{"text":"t"}"#, post, post),
        (r#"{"full_text":"t"}"#, post, post),
        (r#"{"content":"t"}"#, post, post),
        (r#""t""#, post, post),
        (r#""https://a.example/x""#, page, page),
        (r#"{"text":"t","user":"a","url":"https://a.example"}"#, post, post),
        (r#"{"text":"t","url":"https://x.com/a/status/1"}"#, post, post),
        (r#"{"text":"t","url":"https://a.example"}"#, post, page),
        (r#"{"text":"t","link":"https://a.example"}"#, page, page),
        (r#"{"title":"t","url":"https://x.com/a/status/1","user":"a"}"#, page, page),
        (r#"{"title":"t"}"#, page, page),
        (r#"{"title":1984}"#, page, page),
        (r#"{"url":"https://a.example"}"#, post, page),
        (r#"{"url":"https://www.Twitter.com/a/status/1"}"#, post, post),
        (r#"{"id":1,"like_count":1,"url":"https://a.example"}"#, post, post),
    ] {
        assert_eq!(one(Source::Social, entry).kind, Some(social), "social {entry}");
        assert_eq!(one(Source::Web, entry).kind, Some(web), "web {entry}");
    }
    let named = |name: &str| {
        let body = format!(r#"{{"{name}":[{{"text":"t","url":"https://a.example"}}]}}"#);
        read(Source::Ai, &body).items[0].kind
    };
    assert_eq!(named("miner_tweets"), Some(post));
    assert_eq!(named("search_results"), Some(page));
}

#[test]
fn a_bad_entry_never_loses_the_others() {
    let reply = read(
        Source::Social,
        r#"{"tweets":[{"text":"a"},null,7,true,[],{},{"id":"1"},{"user":"x"},{"text":" "},"",[{"text":"in"}],
            {"text":["x"]},{"text":"b","id":{},"user":7,"url":[],"lang":{},"created_at":[],"like_count":{},
            "is_retweet":"perhaps","conversation_id":1.5}]}"#,
    );
    assert_eq!(texts(&reply), ["a", "b"]);
    assert_eq!(reply.unreadable, 11);
    let b = &reply.items[1];
    let bare = ReplyEntry { kind: Some(Kind::Post), text: Some("b".to_owned()), rank: 2, ..ReplyEntry::default() };
    assert_eq!(*b, bare, "fields of the wrong type are left out one by one");
}

#[test]
fn ids_stay_exact_and_are_never_floats() {
    for (id, kept) in [
        ("\"007\"", Some("007")),
        ("1892527552029499853", Some("1892527552029499853")),
        ("18446744073709551615", Some("18446744073709551615")),
        ("123456789012345678901234567890", Some("123456789012345678901234567890")),
        ("-123456789012345678901234567890", Some("-123456789012345678901234567890")),
        ("1.892527552029499853e18", None),
        ("1.0", None),
        ("1e999", Some("1e999")),
        ("\" \"", None),
        ("true", None),
    ] {
        let post = one(Source::Social, &format!(r#"{{"text":"t","id":{id}}}"#));
        assert_eq!(post.id.as_deref(), kept, "{id}");
    }
    let post = one(Source::Social, r#"{"text":"t","id":1.8925275520294999e18,"id_str":"1892527552029499853"}"#);
    assert_eq!(post.id.as_deref(), Some("1892527552029499853"));
}

#[test]
fn a_user_is_an_object_a_handle_or_absent() {
    for (member, handle, name) in [
        (r#""user":{"username":"@ada","name":"Ada"}"#, Some("ada"), Some("Ada")),
        (r#""user":{"screen_name":"ada"}"#, Some("ada"), None),
        (r#""user":{"name":"Ada L."}"#, None, Some("Ada L.")),
        (r#""user":"@ada""#, Some("ada"), None),
        (r#""user":"Ada L.""#, None, Some("Ada L.")),
        (r#""user":{},"username":"ada","name":"Ada""#, Some("ada"), Some("Ada")),
        (r#""user":null,"screen_name":"ada""#, Some("ada"), None),
        (r#""author":"ada""#, Some("ada"), None),
        (r#""user":"@""#, None, Some("@")),
        (r#""x":1"#, None, None),
    ] {
        let post = one(Source::Social, &format!(r#"{{"text":"t",{member}}}"#));
        assert_eq!((post.author.as_deref(), post.author_name.as_deref()), (handle, name), "{member}");
    }
}

#[test]
fn counts_are_never_negative_and_never_rounded() {
    for (count, kept) in [
        ("0", Some(0)),
        ("\" 12 \"", Some(12)),
        ("12.0", Some(12)),
        ("12.5", None),
        ("-1", None),
        ("\"-1\"", None),
        ("\"1.2K\"", None),
        ("9223372036854775807", Some(i64::MAX)),
        ("9223372036854775808", None),
        ("1e300", None),
        ("null", None),
    ] {
        let post = one(Source::Social, &format!(r#"{{"text":"t","like_count":{count}}}"#));
        assert_eq!(post.engagement.likes, kept, "{count}");
    }
}

#[test]
fn long_fields_and_long_lists_are_cut() {
    let limits = Limits { max_items: 3, max_field_chars: 4, ..Limits::default() };
    let body =
        r#"{"results":[{"text":"ééééé","url":"https://x.com/a/status/1","id":"7"},1,"b","c"],"tweets":["d","e","f"]}"#;
    let reply = decode(body.as_bytes(), &Context { limits, ..context(Source::Social) }).unwrap();
    assert_eq!(texts(&reply), ["éééé", "b", "d"]);
    assert_eq!(reply.items[0].url, None, "an address is never cut, it would lead elsewhere");
    assert_eq!(reply.unreadable, 4);
    assert_eq!(reply.items.iter().map(|i| i.rank).collect::<Vec<_>>(), [1, 2, 3]);
}
