//! `db replay`, through the binary on both databases: what an older decoder left out is restored from the stored
//! replies, once, without calls or a key, and without moving a first-seen time.

use serde_json::json;

use crate::support::databases::{block_on, databases};
use crate::support::exported_story::assert_adds_up;
use crate::support::program::{NINE, Place, ProgramOutput};
use crate::support::service::Sandbox;

const TEN: &str = "2026-03-11T10:00:00Z";
const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nai.when = \"always\"\n\n\
                      [[topics]]\nid = \"globex\"\nquery = \"acme launch\"\nsources = [\"social\", \"web\"]\n";

/// Places with two runs of each topic, whose service is gone afterwards.
fn places() -> impl Iterator<Item = Place> {
    databases().into_iter().map(|database| {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        sandbox.set_clock(TEN);
        place.ok(&["once", "--at", TEN]);
        place
    })
}

/// Runs it without a key; nothing listens at the service's address any more.
fn replay(place: &Place, args: &[&str]) -> ProgramOutput {
    place.program(&[&["db", "replay"], args].concat()).without_env("TOPICWATCH_API_KEY").run()
}

fn replayed(place: &Place, args: &[&str]) -> serde_json::Value {
    let ended = replay(place, &[args, &["--json"]].concat());
    assert_eq!(ended.code, Some(0), "{}: {ended}", place.database.name);
    serde_json::from_str(&ended.out).unwrap()
}

/// Everything that exports show, and the keys and counts that they do not.
fn all_exports(place: &Place) -> Vec<String> {
    let mut all: Vec<String> =
        ["items", "sightings", "answers", "runs"].iter().map(|what| place.ok(&["export", "--what", what])).collect();
    all.extend(place.database.aliases().into_iter().map(|(alias, key)| format!("{alias} {key}")));
    all.extend(place.database.texts(
        "SELECT run || ' ' || source || ' ' || found || ' ' || new || ' ' || duplicate || ' ' || undated || ' ' || seq \
         FROM v_search ORDER BY run, source",
    ));
    all
}

#[test]
fn replaying_unchanged_replies_changes_nothing() {
    for place in places() {
        let before = all_exports(&place);
        let done = replayed(&place, &[]);
        assert_eq!((&done["runs"], &done["changed_runs"], &done["lost"]), (&json!(4), &json!(0), &json!(0)), "{done}");
        assert_eq!(done["replies"], 10, "{done}");
        assert_eq!(all_exports(&place), before, "{}", place.database.name);
        assert_eq!(replayed(&place, &["--topic", "globex", "--since", TEN])["runs"], 1);
        replay(&place, &["--topic", "acne"]).assert_stderr(2, &["there is no topic `acne`", "did you mean `acme`?"]);
        replay(&place, &["--since", "soon"]).assert_stderr(2, &["is not a time"]);
    }
}

#[test]
fn replay_restores_once_what_an_older_decoder_left_out() {
    for place in places() {
        let name = place.database.name;
        let before = all_exports(&place);
        // Removes from the tables a whole post, fields of another, the date of a third, a second key and an answer.
        let mut keys = place.database.texts(
            "SELECT DISTINCT key FROM v_item WHERE kind = 'post' AND published_at IS NOT NULL \
             AND key NOT IN (SELECT cluster FROM v_item WHERE cluster <> key) \
             AND key NOT IN (SELECT key FROM v_sighting WHERE source <> 'social' OR fit <> 'in') ORDER BY key",
        );
        let aliases = place.database.aliases();
        keys.retain(|key| aliases.iter().filter(|(_, of)| of == key).count() > 1);
        let (gone, dateless) = (&keys[0], &keys[1]);
        let (of, second) = (place.database.item_id(gone), place.database.item_id(dateless));
        let first = "EXISTS (SELECT 1 FROM topic_item t WHERE t.item = s.item AND t.first_run = s.run)";
        let fields = place
            .database
            .texts("SELECT key FROM v_item WHERE kind = 'page' AND title IS NOT NULL ORDER BY key LIMIT 1");
        let mut sql = String::new();
        for (counted, by) in [
            ("found", format!("s.item = {of}")),
            ("new", format!("s.item = {of} AND {first}")),
            ("duplicate", format!("s.item = {of} AND NOT {first}")),
        ] {
            sql.push_str(&format!(
                "UPDATE search SET {counted} = {counted} - (SELECT count(*) FROM sighting s WHERE s.run = search.run AND s.source = search.source AND {by});\
                 UPDATE run SET {counted} = {counted} - (SELECT count(*) FROM sighting s WHERE s.run = run.id AND {by});"
            ));
        }
        // A post that was never decoded has no near-copy keys either.
        for keys in ["cluster_lead", "cluster_lead_middle", "cluster_lead_young"] {
            sql.push_str(&format!(
                "DELETE FROM {keys} WHERE place IN (SELECT place FROM cluster_head WHERE item = {of});"
            ));
        }
        sql.push_str(&format!(
            "DELETE FROM topic_item WHERE item = {of}; DELETE FROM sighting WHERE item = {of}; DELETE FROM item_key WHERE item = {of};\
             DELETE FROM cluster_head WHERE item = {of}; UPDATE item SET cluster = id WHERE cluster = {of}; DELETE FROM item WHERE key = '{gone}';\
             UPDATE item SET title = NULL, url = NULL WHERE key = '{}';\
             DELETE FROM item_key WHERE key LIKE 'text:%' AND item = {second};\
             DELETE FROM answer WHERE run IN (SELECT id FROM run WHERE topic = 'acme');\
             INSERT INTO follower (name, seq, at) VALUES ('export:weekly', 2, 0);",
            fields[0]
        ));
        // Known numbers are not reset; missing reactions and dates are filled in.
        sql.push_str(&format!(
            "UPDATE sighting SET likes = NULL, fit = 'undated' WHERE item = {second};\
             UPDATE item SET published_at = NULL WHERE key = '{dateless}';\
             UPDATE search SET undated = undated + (SELECT count(*) FROM sighting s WHERE s.run = search.run AND s.source = search.source \
               AND s.item = {second});\
             UPDATE run SET undated = undated + (SELECT count(*) FROM sighting s WHERE s.run = run.id AND s.item = {second});"
        ));
        block_on(place.database.execute(&sql));
        let poorer = all_exports(&place);
        assert_ne!(poorer, before, "{name}");

        let dry_run = replayed(&place, &["--dry-run"]);
        assert_eq!(all_exports(&place), poorer, "{name}: a dry run writes nothing");
        let done = replayed(&place, &[]);
        for counted in ["items", "new", "sightings", "titles", "dates", "keys", "answers", "refined"] {
            assert_ne!(done[counted], 0, "{name}: {counted} of {done}");
            assert!(dry_run[counted].as_u64() >= done[counted].as_u64(), "{name}: {counted} of {dry_run}");
        }
        assert_eq!(all_exports(&place), before, "{name}: everything is restored");
        assert_eq!(done["behind"][0]["reader"], "export:weekly", "{done}");
        assert_adds_up(&place);

        let again = replayed(&place, &[]);
        assert_eq!((&again["changed_runs"], &again["behind"]), (&json!(0), &json!([])), "{name}: {again}");
        assert_eq!(all_exports(&place), before, "{name}");
    }
}

#[test]
fn replay_keeps_items_it_no_longer_finds_and_reports_unreadable_replies() {
    for place in places() {
        let name = place.database.name;
        block_on(place.database.execute(
            "INSERT INTO item (key, kind, strong, first_seen, last_seen) VALUES ('post:x:1', 'post', 1, 5, 5);\
             INSERT INTO item_key (key, version, item) SELECT 'post:x:1', 1, id FROM item WHERE key = 'post:x:1';\
             INSERT INTO sighting (run, item, source, rank, fit) SELECT r.id, i.id, 'social', 99, 'undated' FROM run r, item i \
               WHERE r.seq = 1 AND i.key = 'post:x:1';",
        ));
        let before = all_exports(&place);
        let done = replayed(&place, &[]);
        assert_eq!((&done["lost"], &done["changed_runs"]), (&json!(1), &json!(0)), "{name}: {done}");
        assert_eq!(all_exports(&place), before, "{name}");

        let broken = if name == "SQLite" { "X'00ff'" } else { "'\\x00ff'" };
        // Replies have no view.
        let first = |source: &str| {
            format!("(SELECT min(q.id) FROM search q JOIN raw_reply w ON w.search = q.id WHERE q.source = '{source}')")
        };
        let (one, two) = (first("social"), first("web"));
        block_on(place.database.execute(&format!(
            "UPDATE raw_reply SET body = {broken} WHERE search = {one}; DELETE FROM raw_reply WHERE search = {two};"
        )));
        let done = replayed(&place, &[]);
        assert_eq!((&done["unreadable"], &done["pruned"]), (&json!(1), &json!(1)), "{name}: {done}");
        assert_eq!(done["changed_runs"], 0, "{name}: {done}");
        replay(&place, &[]).assert_stdout(0, &["replies that cannot be read", "are no longer stored"]);
        assert_eq!(all_exports(&place), before, "{name}");
    }
}
