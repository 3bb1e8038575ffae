//! Forgetting one of several near-copies: its keys are deleted, found by indexes, and the keys of others stay.

use serde_json::{Value, json};
use topicwatch::collect::{cluster, cluster_by};
use topicwatch::store::{NamedItem, Store};

use crate::support::copied_posts::{
    FLOOD, SMALL_LIMITS, STORM, at, cluster_heads, copies_with_a_key, leads, leads_to, post, store_runs,
};
use crate::support::databases::{Database, databases};
use crate::support::logged_sql::statements;
use crate::support::program::{NINE, Place};
use crate::support::searched::{open_store, topic};
use crate::support::service::Sandbox;
use crate::support::world::{self, ScriptedService, run_once};

/// The first item of an item's cluster.
fn cluster_head_of(database: &Database, key: &str) -> Vec<String> {
    database.texts(&format!("SELECT cluster FROM v_item WHERE key = '{key}' AND cluster IS NOT NULL"))
}

async fn forget(store: &Store, key: &str) {
    let named: Vec<NamedItem> = store.named_items(None, 100).await.unwrap();
    let one: Vec<NamedItem> = named.into_iter().filter(|item| item.keys.iter().any(|k| k == key)).collect();
    assert_eq!(store.erase_items(&one, at(99)).await.unwrap().items, 1, "{key}");
}

/// Two texts, each repeated by others in their own words, with keys in all three tables.
async fn store_with_copies(database: &Database) -> Store {
    let store = open_store(database).await;
    let more = |said: &str, text: &str| format!("{said}: {text}");
    let first = vec![post(1, "ann", STORM), post(2, "bob", FLOOD)];
    let second = vec![
        post(3, "cleo", &more("so it was", STORM)),
        post(4, "dan", &more("I was there", STORM)),
        post(5, "eve", &more("what a day", FLOOD)),
    ];
    store_runs(&store, &topic("storm"), 0, vec![first, second]).await;
    cluster_by(&store, 2, SMALL_LIMITS, &|| false).await.unwrap();
    store
}

#[tokio::test]
async fn forgetting_an_item_deletes_its_cluster_keys_and_no_others() {
    for database in databases() {
        let store = store_with_copies(&database).await;
        let name = database.name;
        let of = |key: &str| leads_to(&database, key);
        let all = leads(&database).len();
        let (storm, flood) = (of("post:x:1"), of("post:x:2"));
        assert_eq!((storm + flood, of("post:x:4"), of("post:x:5")), (all, storm, flood), "{name}: copies joined");
        assert_eq!(copies_with_a_key(&database), 3, "{name}");
        forget(&store, "post:x:3").await;
        assert_eq!((of("post:x:1"), of("post:x:2")), (storm - 1, flood), "{name}: one key is removed with a copy");
        forget(&store, "post:x:1").await;
        assert_eq!((leads(&database).len(), of("post:x:2")), (flood, flood), "{name}: no key refers to the first item");
        store_runs(&store, &topic("storm"), 2, vec![vec![post(6, "fay", STORM), post(7, "gus", FLOOD)]]).await;
        assert_eq!(cluster(&store, &|| false).await.unwrap(), 3);
        let first = |key: &str| cluster_head_of(&database, key);
        assert_eq!((first("post:x:4"), first("post:x:6")), (first("post:x:6"), first("post:x:4")), "{name}");
        assert_eq!((first("post:x:4"), first("post:x:7")), (vec!["post:x:4".into()], vec!["post:x:2".into()]));
        for key in ["post:x:2", "post:x:4", "post:x:5", "post:x:6", "post:x:7"] {
            forget(&store, key).await;
        }
        assert_eq!(leads(&database), Vec::<String>::new(), "{name}");
        database.close(store).await;
    }
}

/// Keys that earlier versions stored for [`STORM`].
const EARLIER_KEYS: [(u8, [i64; 7]); 3] = [
    (
        1,
        [
            -8_732_144_357_671_275_448,
            -6_064_713_155_527_373_680,
            -307_007_849_356_373_310,
            3_927_126_804_288_616_961,
            7_842_400_719_531_313_489,
            -5_530_822_389_944_112_869,
            993_156_730_567_266_645,
        ],
    ),
    (
        2,
        [
            -4_948_693_992_091_776_545,
            1_418_772_201_466_337_184,
            -1_994_298_091_446_001_707,
            5_937_472_778_058_468_838,
            -6_373_950_563_485_574_408,
            3_945_508_938_519_953_693,
            -820_160_795_461_257_229,
        ],
    ),
    (
        6,
        [
            2_863_319_785_114_921_811,
            8_691_015_171_743_619_194,
            6_902_481_081_907_926_848,
            -9_207_403_215_286_833_788,
            -6_795_957_029_746_837_680,
            -470_720_344_332_504_927,
            3_259_441_179_705_318_793,
        ],
    ),
];

#[tokio::test]
async fn cluster_keys_of_an_older_version_match_no_new_items_and_go_with_their_item() {
    let each = EARLIER_KEYS.iter().flat_map(|earlier| databases().into_iter().map(move |database| (earlier, database)));
    for ((version, earlier), database) in each {
        let store = open_store(&database).await;
        let t = topic("storm");
        let name = format!("{}, version {version}", database.name);
        store_runs(&store, &t, 0, vec![vec![post(1, "ann", STORM), post(2, "bob", STORM)]]).await;
        cluster(&store, &|| false).await.unwrap();
        let digits: String = earlier.iter().map(|key| format!("{key:016x}")).collect();
        let places: Vec<String> = earlier.iter().map(|key| format!("({key}, 1)")).collect();
        let (sketch, keys) = match database.name {
            "SQLite" => (format!("CAST(x'0{version}' || substr(sketch, 2) AS BLOB)"), format!("x'{digits}'")),
            _ => (format!("set_byte(sketch, 0, {version})"), format!("decode('{digits}', 'hex')")),
        };
        let older = format!(
            "DELETE FROM cluster_lead_young; INSERT INTO cluster_lead_young (key, place) VALUES {}; \
             UPDATE cluster_head SET sketch = {sketch}, keys = {keys}",
            places.join(", ")
        );
        database.execute(&older).await;
        let again = format!("RT @ann: {STORM}");
        store_runs(&store, &t, 1, vec![vec![post(3, "cleo", STORM)], vec![post(4, "dan", &again)]]).await;
        cluster(&store, &|| false).await.unwrap();
        let first = |key: &str| cluster_head_of(&database, key);
        let firsts = || ["post:x:1", "post:x:2", "post:x:3", "post:x:4"].map(|key| first(key).concat());
        assert_eq!(firsts(), ["post:x:1", "post:x:1", "post:x:3", "post:x:3"], "{name}: earlier decisions stay");
        assert_eq!((leads(&database).len(), leads_to(&database, "post:x:1")), (14, 7), "{name}");
        forget(&store, "post:x:1").await;
        assert_eq!(
            (leads(&database).len(), leads_to(&database, "post:x:3")),
            (7, 7),
            "{name}: old keys are removed, too"
        );
        store_runs(&store, &t, 3, vec![vec![post(5, "eve", FLOOD)]]).await;
        assert_eq!(cluster(&store, &|| false).await.unwrap(), 2, "{name}");
        assert_eq!(firsts(), ["", "post:x:3", "post:x:3", "post:x:3"], "{name}: its copies are compared again");
        database.close(store).await;
    }
}

#[test]
fn forgetting_scans_no_table_of_cluster_keys() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n");
        place.ok(&["once", "--at", NINE]);
        let first = cluster_heads(&place.database);
        let program = place.program(&["forget", "--item", &first[0], "--yes", "--log-format", "json"]);
        let ended = program.env("RUST_LOG", "sqlx::query=debug").start().wait();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        let statements: Vec<String> = statements(&ended.err)
            .filter(|sql| sql.contains("cluster_head") || sql.contains("cluster_lead"))
            .filter(|sql| sql.starts_with("SELECT") || sql.starts_with("DELETE"))
            .collect();
        let name = place.database.name;
        assert_eq!(statements.iter().filter(|sql| sql.starts_with("DELETE FROM cluster_lead")).count(), 3, "{name}");
        // The planner scans small tables whatever indexes there are; the question is whether an index fits.
        if name == "SQLite" {
            crate::support::databases::block_on(place.database.execute("DROP TABLE IF EXISTS sqlite_stat1"));
        }
        for sql in &statements {
            let plan = place.database.query_plan(sql);
            let whole = ["SCAN cluster", "SCAN h", "SCAN i", "Seq Scan on cluster", "Seq Scan on item"];
            let scan = plan.iter().find(|line| whole.iter().any(|whole| line.contains(whole)));
            assert!(scan.is_none(), "{name}: {sql}\n{plan:#?}");
        }
    }
}

#[test]
fn copies_without_their_pruned_text_stay_one_text_when_the_first_is_forgotten() {
    for database in databases() {
        let world = ScriptedService::new();
        let keep = "[retention]\nprune = \"never\"\nsightings = \"5d\"\nitems = \"10d\"\n\n";
        let place = Place::new(database, &world.lines(), &format!("{keep}{}", world::topic("acme", "")));
        let repeated = |id: u32| world::post(id, 24 + id, STORM, 1);
        world.set_posts(&[repeated(1)]);
        run_once(&place, 30);
        world.set_posts(&[repeated(1), repeated(2), repeated(3), world::post(4, 28, FLOOD, 1)]);
        run_once(&place, 31);
        world.set_posts(&[world::post(9, 350, "acme nine", 1)]);
        run_once(&place, 360);
        let unique = || {
            let days = place.ok(&["export", "--what", "daily", "--format", "jsonl", "--until", "2026-03-13"]);
            let day: Value = serde_json::from_str(days.lines().next().unwrap()).unwrap();
            (day["items"].clone(), day["unique"].clone())
        };
        let name = place.database.name;
        assert_eq!(unique(), (json!(4), json!(2)), "{name}");
        place.ok(&["db", "prune", "--at", &world::hour(380)]);
        place.ok(&["db", "forget", "--item", "post:x:1", "--yes"]);
        run_once(&place, 361);
        assert_eq!(unique(), (json!(3), json!(2)), "{name}");
        assert_eq!(cluster_head_of(&place.database, "post:x:3"), ["post:x:2"], "{name}");
    }
}
