//! Text search: both databases find exactly what a simple matcher finds, for any text and query; the index follows
//! edits, merges and old databases. Also the commands that search.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::json;
use topicwatch::collect::index_words;
use topicwatch::model::{Kind, Phrase, SearchableItem, Source, TextQuery, Time, Tokens};
use topicwatch::normalise::words::{VERSION, parse_query, tokens};
use topicwatch::store::{Filter, SearchCursor, SeenItem, Store, StoreError, StoreErrorKind};

use crate::support::databases::{Database, databases, postgres, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::searched::{NOW, open_store, outcome, seen_item, start_manual_run, topic};
use crate::support::service::Sandbox;

fn at(seconds: i64) -> Time {
    Time(NOW.0 + seconds * 1_000)
}

/// Stores one run of posts with these texts, with keys by position.
async fn store_texts(store: &Store, run: i64, texts: &[String]) {
    let t = topic("t");
    store.add_topics(std::slice::from_ref(&t), NOW).await.unwrap();
    let posts = texts.iter().zip(0..).map(|(text, n)| seen_item(Source::Social, n, &[&format!("post:x:{n:04}")], text));
    let held = start_manual_run(store, &t, &format!("R{run:03}"), at(run)).await;
    store.finish(&held, outcome(at(run), posts.collect())).await.unwrap();
    store.publish().await.unwrap();
}

fn search_filter(text: &str) -> Filter {
    Filter {
        words: Some(parse_query(text).unwrap_or_else(|unclear| panic!("{text:?}: {unclear}"))),
        ..Filter::default()
    }
}

/// The positions of the matches in order of key, read in three ways.
async fn matching_positions(store: &Store, filter: &Filter) -> Vec<usize> {
    let place = |key: &str| key.trim_start_matches("post:x:").parse::<usize>().unwrap();
    let mut streamed = Vec::new();
    let mut each = |row: topicwatch::store::ItemRow| {
        streamed.push(place(&row.key));
        Ok::<_, StoreError>(())
    };
    store.each_item(filter, &mut each).await.unwrap();
    let mut sighted = Vec::new();
    let mut each = |row: topicwatch::store::SightingRow| {
        sighted.push(place(&row.key));
        Ok::<_, StoreError>(())
    };
    store.each_sighting(filter, &mut each).await.unwrap();
    let listed = store.search_items(filter, None, 10_000).await.unwrap();
    let mut listed: Vec<usize> = listed.iter().map(|found| place(&found.item.key)).collect();
    for all in [&mut streamed, &mut sighted, &mut listed] {
        all.sort_unstable();
        all.dedup();
    }
    assert_eq!((&streamed, &streamed), (&sighted, &listed));
    streamed
}

fn has(tokens: &Tokens, phrase: &Phrase) -> bool {
    let fits = |(at, token): (usize, &Option<String>)| {
        let (wanted, last) = (&phrase.tokens[at], at + 1 == phrase.tokens.len());
        token.as_ref().is_some_and(|t| if phrase.open && last { t.starts_with(wanted) } else { t == wanted })
    };
    tokens.windows(phrase.tokens.len()).any(|row| row.iter().enumerate().all(fits))
}

/// The expected matches, computed from the texts themselves.
fn expected(texts: &[String], wanted: &TextQuery) -> Vec<usize> {
    let of = |text: &str| {
        let kind = Kind::Post;
        tokens(&SearchableItem {
            kind,
            title: None,
            text: Some(text),
            author: Some("ann"),
            author_name: None,
            url: None,
        })
    };
    let finds = |text: &String| {
        let tokens = of(text);
        wanted.all.iter().all(|phrase| has(&tokens, phrase)) && !wanted.none.iter().any(|phrase| has(&tokens, phrase))
    };
    (0..texts.len()).filter(|at| finds(&texts[*at])).collect()
}

fn texts() -> Vec<String> {
    let long = format!("{} tail", "x".repeat(10_000));
    [
        "Prices rise: the price increase is HERE",
        "Price of an increase",
        "Café au lait in der Straße, Łódź",
        "cafe STRASSE lodz",
        "İstanbul ve ıstanbul, ISTANBUL",
        "東京都で地震がありました",
        "京都は静かです",
        "北京欢迎你,东京也是",
        "สวัสดีชาวโลก",
        "مُحَمَّد في القاهرة",
        "서울에서 만나요",
        "launch 🎉🚀 day 🇩🇪",
        "#RustLang is out, see @jane_doe",
        "rustlang jane doe",
        "https://example.com/a/b-c?d=e&f=1 and t.co/xyz",
        "\"; DROP TABLE item; --",
        "NEAR AND OR NOT * ^ : { } ( ) \" ' \\ % _ &|!<->",
        "near misses and more",
        &long,
        "don't panic, it's 3.14",
        "the the the same same word",
        "C++ C# .NET 1,000.50€",
        "a\u{200b}b zero\u{ad}width",
        "हिन्दी में लिखा",
        "",
        "AT&amp;T sells Acme™",
    ]
    .map(str::to_owned)
    .to_vec()
}

#[tokio::test]
async fn search_finds_the_same_on_both_databases_and_passes_no_database_syntax() {
    for database in databases() {
        let store = open_store(&database).await;
        store_texts(&store, 0, &texts()).await;
        assert_eq!(store.index_backlog(VERSION).await.unwrap(), texts().len() as i64);
        index_words(&store, &|_| false).await.unwrap();
        assert_eq!(store.index_backlog(VERSION).await.unwrap(), 0);
        let long = "x".repeat(900);
        for (typed, places) in [
            ("price increase", &[0, 1][..]),
            ("\"price increase\"", &[0]),
            ("price -\"price increase\"", &[1]),
            ("PRICES", &[0]),
            ("pric*", &[0, 1]),
            ("\"an increas*", &[]),
            ("an-increas*", &[1]),
            ("café", &[2, 3]),
            ("strasse łódź", &[2, 3]),
            ("istanbul", &[4]),
            ("東京", &[5]),
            ("京都", &[5, 6]),
            ("東", &[5]),
            ("京", &[5, 6, 7]),
            ("地震が", &[5]),
            ("东京", &[7]),
            ("สวัสดี", &[8]),
            ("ชาว", &[8]),
            ("محمد", &[9]),
            ("서울", &[10]),
            ("🎉", &[11]),
            ("launch🎉", &[11]),
            ("\"launch day\"", &[11]),
            ("🇩🇪", &[11]),
            ("#rustlang", &[12]),
            ("rustlang", &[12, 13]),
            ("@jane_doe", &[12]),
            ("@jane*", &[12]),
            ("\"jane doe\"", &[12, 13]),
            ("https://example.com/a", &[14]),
            ("example.com", &[14]),
            ("\"; DROP TABLE item; --", &[15]),
            ("near", &[16, 17]),
            ("NEAR AND", &[16, 17]),
            ("near(misses more)", &[17]),
            ("words:near", &[]),
            ("not or", &[16]),
            (long.as_str(), &[18]),
            ("tail", &[18]),
            ("don’t", &[19]),
            ("3.14", &[19]),
            ("14.3", &[]),
            ("\"same word\"", &[20]),
            ("\"the the the same\"", &[20]),
            ("\"the the the the\"", &[]),
            ("c", &[14, 21]),
            ("1,000.50", &[21]),
            ("ab zerowidth", &[22]),
            ("हिन्दी", &[23]),
            ("AT&T", &[25]),
            ("at&amp;t acme", &[25]),
            ("@ann -price -cafe", &(4..24).filter(|n| *n != 3).chain([24, 25]).collect::<Vec<_>>()),
            ("nothing has this", &[]),
        ] {
            let filter = search_filter(typed);
            let reported = matching_positions(&store, &filter).await;
            assert_eq!(reported, places, "{} {typed:?}", database.name);
            assert_eq!(
                reported,
                expected(&texts(), filter.words.as_ref().unwrap()),
                "{typed:?}: the matcher of this test"
            );
        }
        database.close(store).await;
    }
}

#[tokio::test]
async fn both_databases_find_what_a_plain_matcher_finds() {
    let words = "a|b|ab|abc|don't|#a|@b_c|a_b|東京|東京都|京|ที่|สวัส|é|ß|🎉|🇩🇪🇫🇷|\"|'|-|\\*|:|NEAR|AND|\\\\|&|<->|\u{0}|\u{301}|İ";
    let text = proptest::collection::vec(words, 0..9).prop_map(|words| words.join(" "));
    let typed = proptest::string::string_regex(&format!("({words}|-a|-\"b|a\\*|\"a b\"|\"ab a|東\\*)")).unwrap();
    let typed = proptest::collection::vec(typed, 1..4).prop_map(|words| words.join(" "));
    let mut runner = TestRunner::deterministic();
    // A post's NUL never reaches the store.
    let texts: Vec<String> =
        (0..300).map(|_| text.new_tree(&mut runner).unwrap().current().replace('\0', "")).collect();
    let questions: Vec<String> = (0..300).map(|_| typed.new_tree(&mut runner).unwrap().current()).collect();
    let questions: Vec<&String> = questions.iter().filter(|typed| parse_query(typed).is_ok()).collect();
    assert!(questions.len() > 200);
    for database in databases() {
        let store = open_store(&database).await;
        store_texts(&store, 0, &texts).await;
        index_words(&store, &|_| false).await.unwrap();
        let mut some = 0;
        for typed in &questions {
            let filter = search_filter(typed);
            let reported = matching_positions(&store, &filter).await;
            assert_eq!(reported, expected(&texts, filter.words.as_ref().unwrap()), "{} {typed:?}", database.name);
            some += usize::from(!reported.is_empty());
        }
        assert!(some > 50, "{some}");
        database.close(store).await;
    }
}

#[tokio::test]
async fn an_item_is_found_by_its_current_words() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("t");
        store.add_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let both = || seen_item(Source::Social, 1, &["post:x:1", "text:x:ann:h"], "second words");
        let worlds: [Vec<SeenItem>; 4] = [
            vec![seen_item(Source::Social, 1, &["text:x:ann:h"], "first words")],
            vec![seen_item(Source::Web, 1, &["post:x:1"], "other words")],
            vec![both()],
            vec![both()],
        ];
        for (n, world) in (0..).zip(worlds) {
            let run = start_manual_run(&store, &t, &format!("R{n}"), at(n)).await;
            store.finish(&run, outcome(at(n), world)).await.unwrap();
            store.publish().await.unwrap();
            let known = store.index_backlog(VERSION).await.unwrap();
            // An unchanged item that is seen again is not due for the index.
            assert_eq!(known > 0, n < 3, "{} {n}", database.name);
            index_words(&store, &|_| false).await.unwrap();
        }
        // The two merged, and the item was edited.
        for (typed, times) in [("first", 0), ("other", 0), ("second", 1), ("words", 1)] {
            let count = store.search_items(&search_filter(typed), None, 10).await.unwrap().len();
            assert_eq!(count, times, "{} {typed}", database.name);
        }
        store.rebuild_word_index().await.unwrap();
        let left = if database.name == "SQLite" {
            // Replaced words are not even in the index's own pages.
            database.number("SELECT count(*) FROM item_words_data WHERE instr(CAST(block AS TEXT), 'first') > 0 OR instr(block, CAST('other' AS BLOB)) > 0")
        } else {
            database.number("SELECT count(*) FROM item_words WHERE CAST(words AS TEXT) LIKE '%first%'")
        };
        assert_eq!(left, 0, "{}", database.name);
        assert_eq!(store.search_items(&search_filter("second"), None, 10).await.unwrap().len(), 1);
        database.close(store).await;
    }
}

#[tokio::test]
async fn indexing_an_old_database_continues_after_a_stop() {
    for database in databases() {
        let store = open_store(&database).await;
        let texts: Vec<String> = (0..1_200).map(|n| format!("text number {n}")).collect();
        store_texts(&store, 0, &texts).await;
        // As if nothing had ever been due.
        database.execute("DELETE FROM item_words_due").await;
        assert_eq!(index_words(&store, &|done| done >= 500).await.unwrap(), 500, "{}", database.name);
        assert_eq!(store.index_backlog(VERSION).await.unwrap(), 700);
        assert_eq!(index_words(&store, &|_| false).await.unwrap(), 700);
        assert_eq!(index_words(&store, &|_| false).await.unwrap(), 0);
        assert_eq!(matching_positions(&store, &search_filter("number 1199")).await, [1199]);
        // Rules of a later version: everything waits, even before anything is indexed by them.
        assert_eq!((store.index_backlog(VERSION).await.unwrap(), store.index_backlog(9).await.unwrap()), (0, 1_200));
        assert_eq!(store.words_waiting_of("t", 9).await.unwrap(), 1_200);
        store.set_tokenizer_version(9).await.unwrap();
        assert_eq!(store.index_backlog(9).await.unwrap(), 1_200);
        // The later version would not find items that this version indexes.
        let older = index_words(&store, &|_| false).await.unwrap_err();
        assert_eq!(older.kind, StoreErrorKind::Newer, "{older}");
        assert_eq!(store.index_words((VERSION, tokens), 500).await.unwrap(), 0);
        assert_eq!(
            (store.index_backlog(9).await.unwrap(), matching_positions(&store, &search_filter("text")).await.len()),
            (1_200, 0)
        );
        assert_eq!(store.index_waiting((9, tokens), &|_| false).await.unwrap(), 1_200);
        assert_eq!(matching_positions(&store, &search_filter("text")).await.len(), 1_200);
        database.close(store).await;
    }
}

#[tokio::test]
async fn pages_of_search_results_are_newest_first_and_complete() {
    for database in databases() {
        let store = open_store(&database).await;
        for run in 0..4 {
            let first = usize::try_from(run).unwrap() * 5;
            let texts: Vec<String> = (0..first + 5).map(|n| format!("word {n}")).collect();
            store_texts(&store, run, &texts).await;
        }
        index_words(&store, &|_| false).await.unwrap();
        let (mut after, mut all): (Option<SearchCursor>, Vec<(i64, String)>) = (None, Vec::new());
        loop {
            let page = store.search_items(&search_filter("word"), after.as_ref(), 3).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(SearchCursor { seq: last.seq, topic: last.item.topic.clone(), key: last.item.key.clone() });
            all.extend(page.into_iter().map(|found| (found.seq, found.item.key)));
        }
        let mut sorted = all.clone();
        sorted.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        sorted.dedup();
        assert_eq!((all.len(), &all), (20, &sorted), "{}", database.name);
        database.close(store).await;
    }
}

/// Checks the query plans of both databases; only tables have an index.
#[tokio::test]
async fn search_uses_the_index() {
    let plan = |database: &Database, sql: &str| database.query_plan(sql).join("\n");
    let lite = sqlite();
    open_store(&lite).await.close().await;
    let reported = plan(
        &lite,
        "SELECT t.topic FROM topic_item t WHERE t.item IN (SELECT rowid FROM item_words WHERE item_words MATCH '\"a b\"')",
    );
    assert!(reported.contains("VIRTUAL TABLE INDEX 0:M1"), "{reported}");
    assert!(reported.contains("topic_item_item"), "{reported}");
    let Some(server) = postgres() else { return };
    open_store(&server).await.close().await;
    let reported = plan(
        &server,
        "SELECT t.topic FROM topic_item t WHERE t.item IN (SELECT w.item FROM item_words w WHERE w.words @@ CAST('''a'' <-> ''b''' AS TSQUERY))",
    );
    assert!(reported.contains("item_words_token"), "{reported}");
}

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"";

#[test]
fn search_lists_matching_items_and_export_writes_only_those() {
    let sandbox = Sandbox::at(NINE, &[]);
    let mut all = Vec::new();
    for database in databases() {
        let place = Place::new(database, &sandbox.lines(), TOPIC);
        place.ok(&["once", "--at", NINE]);
        let items = place.json(&["items", "--json", "--limit", "1000", "--filtered", "keep"]);
        let text = items["items"][0]["text"].as_str().unwrap().to_owned();
        let word = text.split(|c: char| !c.is_ascii_alphabetic()).max_by_key(|word| word.len()).unwrap().to_uppercase();
        let output = place.json(&["search", &word, "--json"]);
        let (count, next) = (output["items"].as_array().unwrap().len(), &output["next"]);
        assert!(count > 0 && *next == json!(null), "{output}");
        let has = |item: &serde_json::Value| item.to_string().to_uppercase().contains(&word);
        assert!(output["items"].as_array().unwrap().iter().all(has), "{word}: {output}");
        assert!(output["items"].as_array().unwrap().contains(&items["items"][0]), "{word}: {output}");
        assert!(place.ok(&["search", &word]).contains("SANDBOX"));
        let csv = place.ok(&["export", "--search", &word, "--quiet"]);
        assert_eq!(csv.matches("SANDBOX\r\n").count(), count);
        if count > 1 {
            let first = place.json(&["search", &word, "--limit", "1", "--json"]);
            let next = first["next"].as_str().unwrap();
            let second = place.json(&["search", &word, "--limit", "1", "--after", next, "--json"]);
            assert_eq!(second["items"][0], output["items"][1]);
        }
        place.run(&["search", "***"]).assert_stderr(2, &["no word to look for", "hint: write words"]);
        place.run(&["search", "--", "-only"]).assert_stderr(2, &["only excludes words"]);
        place.run(&["search", "a", "--after", "x"]).assert_stderr(2, &["not a place in a list"]);
        place
            .run(&["export", "--what", "runs", "--search", "a"])
            .assert_stderr(2, &["--search does not apply to runs"]);
        assert!(place.ok(&["search", "qqzzqq"]).contains("nothing found"));
        all.push((output, csv));
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
}
