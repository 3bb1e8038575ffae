//! Edits make the requested change, and change no other bytes.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use proptest::prelude::*;

use super::*;

const FILE: &str = "\u{FEFF}# head\r\n[service]\r\nbase_url = \"sandbox\"\r\n\r\n[[topics]] # first\r\nid = \"a\" # stays\r\n\
query = 'a, b'\r\n# every = \"6h\"\r\n\r\n# about b\r\n# more of b\r\n[[topics]]\r\nid = \"b\"\r\ntags = [\r\n  \"x\", # one\r\n  \"y\",\r\n]\r\n\
social.query = \"{query} b\"\r\n[topics.web]\r\nlimit = 7\r\n\r\n# reports\r\n[[reports]]\r\nname = \"daily\"\r\npaused = false # on\r\n\r\n# end";

fn text(value: &str) -> KeyValue {
    KeyValue::Text(value.to_owned())
}

#[test]
fn replacing_adding_or_removing_a_key_changes_nothing_else() {
    let jobs = Jobs::read(FILE).unwrap();
    let names: Vec<&str> = jobs.entries(Kind::Topic).map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let b = jobs.entry(Kind::Topic, "b").unwrap();
    assert!(jobs.block(b).starts_with("[[topics]]\r\nid = \"b\"") && jobs.block(b).ends_with("limit = 7\r\n"));
    assert_eq!(jobs.value_and_source(b, "tags").unwrap().0, &KeyValue::Texts(vec!["x".into(), "y".into()]));
    assert_eq!(jobs.value_and_source(b, "web.limit").unwrap().0, &KeyValue::Number(7));
    assert_eq!((jobs.key_at(b, 13), jobs.key_at(b, 16), jobs.key_at(b, 4)), (Some("id"), Some("tags"), None));
    for (kind, name, key, value, from, to) in [
        (Kind::Topic, "a", "query", Some(text("c \"d\"")), "'a, b'", "\"c \\\"d\\\"\""),
        (Kind::Report, "daily", "paused", Some(KeyValue::Flag(true)), "paused = false # on", "paused = true # on"),
        (Kind::Topic, "a", "every", Some(text("1d")), "'a, b'\r\n", "'a, b'\r\nevery = \"1d\"\r\n"),
        // Before its subtables.
        (Kind::Topic, "b", "every", Some(text("1d")), "[topics.web]", "every = \"1d\"\r\n[topics.web]"),
        (Kind::Topic, "b", "tags", None, "tags = [\r\n  \"x\", # one\r\n  \"y\",\r\n]\r\n", "# one\r\n"),
        (Kind::Topic, "b", "lang", None, "# end", "# end"),
    ] {
        assert_eq!(jobs.set(kind, name, key, value.as_ref()).unwrap(), FILE.replacen(from, to, 1), "{name} {key}");
    }
    assert!(jobs.set(Kind::Topic, "b", "web", Some(&text("x"))).is_err(), "a table");
    assert!(jobs.set(Kind::Topic, "c", "query", None).unwrap_err().message.contains("no topic `c`"));
}

#[test]
fn a_new_key_gets_the_indent_of_the_key_above_it() {
    for (topic, expected) in [
        ("[[topics]]\nid = \"a\"\n", "[[topics]]\nid = \"a\"\nevery = \"1d\"\n"),
        ("  [[topics]]\n  id = \"a\"\n", "  [[topics]]\n  id = \"a\"\n  every = \"1d\"\n"),
        ("[[topics]]\r\n\tid = \"a\"", "[[topics]]\r\n\tid = \"a\"\r\n\tevery = \"1d\"\r\n"),
        (
            "  [[topics]]\n    id = \"a\"\n    tags = [\n      \"x\",\n    ]\n    [topics.web]\n      limit = 7\n",
            "  [[topics]]\n    id = \"a\"\n    tags = [\n      \"x\",\n    ]\n    every = \"1d\"\n    [topics.web]\n      limit = 7\n",
        ),
        ("\u{FEFF}[[topics]]\n  id = \"a\"\n", "\u{FEFF}[[topics]]\n  id = \"a\"\n  every = \"1d\"\n"),
    ] {
        let edited = Jobs::read(topic).unwrap().set(Kind::Topic, "a", "every", Some(&text("1d"))).unwrap();
        assert_eq!(edited, expected);
    }
    // Without any key, that of the header.
    let edited = Jobs::read("  [[topics]]\n").unwrap().set(Kind::Topic, "", "id", Some(&text("a"))).unwrap();
    assert_eq!(edited, "  [[topics]]\n  id = \"a\"\n");
}

#[test]
fn comments_in_a_list_are_kept_when_entries_are_removed() {
    let file = "[[topics]]\nid = \"a\"\ntags = [ # all\n  # why\n  \"x # no\", # one\n  # none\n] # end\nquery = 'x'\n";
    let jobs = Jobs::read(file).unwrap();
    let removed = jobs.set(Kind::Topic, "a", "tags", None).unwrap();
    assert_eq!(removed, "[[topics]]\nid = \"a\"\n# all\n# why\n# one\n# none\n# end\nquery = 'x'\n");
    let emptied = jobs.set(Kind::Topic, "a", "tags", Some(&KeyValue::Texts(Vec::new()))).unwrap();
    let expected = "[[topics]]\nid = \"a\"\n# all\n# why\n# one\n# none\ntags = [] # end\nquery = 'x'\n";
    assert_eq!(emptied, expected);
    // An empty list has no lines for new entries: it is rewritten.
    let empty = "[[topics]]\nid = \"a\"\ntags = [ # all\n  # none yet\n] # end\n";
    let tags = KeyValue::Texts(vec!["x".to_owned()]);
    let filled = Jobs::read(empty).unwrap().set(Kind::Topic, "a", "tags", Some(&tags)).unwrap();
    assert_eq!(filled, "[[topics]]\nid = \"a\"\n# all\n# none yet\ntags = [\"x\"] # end\n");
}

#[test]
fn the_byte_order_mark_belongs_to_no_table() {
    let file = "\u{FEFF}[[topics]]\nid = \"a\"\n\n[[topics]]\nid = \"b\"\n";
    let jobs = Jobs::read(file).unwrap();
    let block = jobs.block(jobs.entry(Kind::Topic, "a").unwrap());
    assert_eq!(block, "[[topics]]\nid = \"a\"\n");
    let copied = jobs.append(Kind::Topic, &block.replace("\"a\"", "\"c\"")).unwrap();
    assert_eq!(copied, format!("{file}\n[[topics]]\nid = \"c\"\n"));
    assert_eq!(jobs.replace(Kind::Topic, "a", block).unwrap(), file);
    let (left, removed) = jobs.remove(Kind::Topic, "a").unwrap();
    assert_eq!(left, "\u{FEFF}[[topics]]\nid = \"b\"\n");
    assert_eq!(removed.restore(&left).unwrap(), file);
}

#[test]
fn a_table_is_added_replaced_and_removed_in_its_place() {
    let jobs = Jobs::read(FILE).unwrap();
    let added = jobs.append(Kind::Topic, &jobs.with_line_ends("[[topics]]\nid = \"c\"\n")).unwrap();
    assert_eq!(added, FILE.replacen("limit = 7\r\n", "limit = 7\r\n\r\n[[topics]]\r\nid = \"c\"\r\n", 1));
    let added = jobs.append(Kind::Alert, &jobs.with_line_ends("[[alerts]]\nname = \"c\"")).unwrap();
    assert_eq!(added, format!("{FILE}\r\n\r\n[[alerts]]\r\nname = \"c\"\r\n"));
    let (left, removed) = jobs.remove(Kind::Topic, "b").unwrap();
    // Its own comment is removed with it; that of the table before stays.
    assert!(!left.contains("about b") && left.contains("# every = \"6h\"\r\n\r\n# reports"), "{left}");
    assert_eq!(removed.restore(&left).unwrap(), FILE);
    let replaced = jobs.replace(Kind::Topic, "a", &jobs.with_line_ends("[[topics]]\nid = \"z\"")).unwrap();
    assert_eq!(
        replaced,
        FILE.replacen("[[topics]] # first\r\nid = \"a\" # stays\r\nquery = 'a, b'", "[[topics]]\r\nid = \"z\"", 1)
    );
    for wrong in [
        "[service]\nbase_url = \"http://evil.example\"",
        "[[topics]]\nid = \"c\"\n[service]\nbase_url = \"x\"",
        "[[topics]]\nid = \"c\"\n[[topics]]\nid = \"d\"",
        "[[channels]]\nname = \"c\"",
        "x = 1",
        "",
        "[[topics]",
        "topics = [{ id = \"c\" }]",
    ] {
        assert!(jobs.append(Kind::Topic, wrong).is_err(), "{wrong}");
        assert!(jobs.replace(Kind::Topic, "a", wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_comment_after_a_blank_line_is_removed_with_the_table_below_it() {
    let (a, b) = ("[[topics]]\nid = \"a\"\n", "[[topics]]\nid = \"b\"\n");
    for (between, left) in [
        ("# of either\n", "[[topics]]\nid = \"a\"\n# of either\n"),
        ("\n# of b\n", "[[topics]]\nid = \"a\"\n"),
        ("# of a\n\n# of b\n", "[[topics]]\nid = \"a\"\n# of a\n"),
    ] {
        let file = format!("{a}{between}{b}");
        let (without, removed) = Jobs::read(&file).unwrap().remove(Kind::Topic, "b").unwrap();
        assert_eq!(without.trim_end(), left.trim_end(), "{between:?}");
        assert_eq!(removed.restore(&without).unwrap(), file, "{between:?}");
    }
}

#[test]
fn a_table_keeps_its_line_endings() {
    let file = "[[topics]]\nid = \"a\"\nquery = \"\"\"x\r\ny\"\"\"\n\n# end\n";
    let jobs = Jobs::read(file).unwrap();
    let block = jobs.block(jobs.entry(Kind::Topic, "a").unwrap());
    assert_eq!(jobs.replace(Kind::Topic, "a", block).unwrap(), file);
    assert_eq!(jobs.replace(Kind::Topic, "a", block.trim_end()).unwrap(), file);
    let copy = block.replace("\"a\"", "\"b\"");
    assert_eq!(jobs.append(Kind::Topic, &copy).unwrap(), file.replace("\n\n# end", &format!("\n\n{copy}\n# end")));
    let short = Jobs::read("[[topics]]\nid = \"a\"").unwrap();
    assert_eq!(short.replace(Kind::Topic, "a", "[[topics]]\nid = \"b\"\n").unwrap(), "[[topics]]\nid = \"b\"");
}

#[test]
fn a_comment_right_below_a_table_stays_there_when_another_table_is_added() {
    let new = "[[topics]]\nid = \"b\"\n";
    for (below, after) in [
        (
            "# every = \"6h\"\n  # too\n\n# reports\n",
            "# every = \"6h\"\n  # too\n\n[[topics]]\nid = \"b\"\n\n# reports\n",
        ),
        ("# last", "# last\n\n[[topics]]\nid = \"b\"\n"),
        ("# theirs\n# too\n[[reports]]\n", "\n[[topics]]\nid = \"b\"\n\n# theirs\n# too\n[[reports]]\n"),
        ("\n# not mine\n", "\n[[topics]]\nid = \"b\"\n\n# not mine\n"),
    ] {
        let head = "[[topics]]\nid = \"a\"\n";
        let result = Jobs::read(&format!("{head}{below}")).unwrap().append(Kind::Topic, new).unwrap();
        assert_eq!(result, format!("{head}{after}"));
    }
}

#[test]
fn files_that_cannot_be_edited_safely_are_refused() {
    let torn = "[[topics]]\nid = \"a\"\n[service]\nbase_url = \"sandbox\"\n[topics.web]\nlimit = 7\n";
    let jobs = Jobs::read(torn).unwrap();
    assert!(jobs.remove(Kind::Topic, "a").unwrap_err().message.contains("not contiguous"));
    let twice = "[[topics]]\nid = \"a\"\n[[topics]]\nid = \"a\"\n";
    assert!(Jobs::read(twice).unwrap().remove(Kind::Topic, "a").unwrap_err().message.contains("two topics"));
    for wrong in ["topics = [{ id = \"a\" }]", "[[topics]\n"] {
        assert!(Jobs::read(wrong).is_err(), "{wrong}");
    }
    // Tables that cannot be edited can still be listed.
    let inline = Jobs::read_to_list("topics = [{ id = \"a\", query = 'x' }]\n[[reports]]\nname = \"r\"\n").unwrap();
    let a = inline.entry(Kind::Topic, "a").unwrap();
    assert_eq!(inline.value_and_source(a, "query").unwrap().0, &text("x"));
    assert!(inline.set(Kind::Topic, "a", "query", None).is_err() && inline.entry(Kind::Report, "r").is_ok());
    assert!(Jobs::read_to_list("topics = [1]").is_err());
    // The last line may have no line end.
    let short = Jobs::read("[[topics]]").unwrap();
    assert_eq!(short.set(Kind::Topic, "", "id", Some(&text("a"))).unwrap(), "[[topics]]\nid = \"a\"\n");
}

proptest! {
    #[test]
    fn any_text_can_be_set_and_read_back_unchanged(words in any::<String>(), list in prop::collection::vec(any::<String>(), 0..4)) {
        let jobs = Jobs::read(FILE).unwrap();
        let set = |key: &str, value: &KeyValue| jobs.set(Kind::Topic, "b", key, Some(value)).unwrap();
        for (key, value) in [("query", text(&words)), ("tags", KeyValue::Texts(list))] {
            let edited = set(key, &value);
            let read = Jobs::read(&edited).unwrap();
            let b = read.entry(Kind::Topic, "b").unwrap();
            prop_assert_eq!(read.value_and_source(b, key).unwrap().0, &value);
            let a = |jobs: &Jobs<'_>| jobs.block(jobs.entry(Kind::Topic, "a").unwrap()).to_owned();
            prop_assert_eq!(a(&read), a(&jobs));
            // Only the line of the key changed. A list over several lines has a line for each entry, and its comment
            // moves if the list becomes empty.
            let most = match &value { KeyValue::Texts(list) => list.len().max(2), _ => 1 };
            let same = edited.lines().filter(|line| FILE.lines().any(|old| old == *line)).count();
            prop_assert!(edited.lines().count() - same <= most);
        }
    }

    #[test]
    fn a_removed_table_can_be_restored_exactly(
        before in "(#[ a-z]{0,9}\n|\n|\\[service\\]\n)?\n{0,2}", between in "\n{0,2}(# [a-z]{0,9}\n){0,2}", after in "\n{0,2}(# [a-z]{0,9})?",
    ) {
        let file = format!("{before}[[topics]]\nid = \"a\"\n{between}[[topics]]\nid = \"b\"{after}\n");
        for name in ["a", "b"] {
            let (left, removed) = Jobs::read(&file).unwrap().remove(Kind::Topic, name).unwrap();
            prop_assert_eq!(removed.restore(&left).unwrap(), file.clone());
            prop_assert_eq!(Jobs::read(&left).unwrap().entries(Kind::Topic).count(), 1);
        }
    }
}
