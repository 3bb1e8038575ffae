//! Parsing of `jobs.toml`: what is accepted, what is refused with which message and place, what overrides what, and the
//! shipped example and schema.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use topicwatch::config::keys::{KEYS, Section};
use topicwatch::config::{
    Config, EXAMPLE, LoadError, LoadRequest, Mistake, Target, load, load_text, read_key, redact_url, render, schema,
};
use topicwatch::model::{AiWhen, CatchUp, Overlap, Period, SocialOperation, Source, Time, WebOperation, Window};
use topicwatch::search::Dialect;

const NOW: Time = Time(1_773_219_600_000);
const TOPIC: &str = "[[topics]]\nid = \"a\"\nquery = \"q\"\n";

/// Loads text as `/conf/jobs.toml` with an environment.
fn with_env(text: &str, env: &[(&str, &str)], flag: Option<&str>) -> Result<Config, LoadError> {
    let env: BTreeMap<String, String> = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let look = |name: &str| env.get(name).cloned();
    let request = LoadRequest {
        explicit: None,
        database_flag: flag.map(str::to_owned),
        database_option: "--database",
        env: &look,
        env_names: env.keys().cloned().collect(),
        cwd: PathBuf::from("/conf"),
        home: None,
        now: NOW,
        without_topics: false,
    };
    load_text(text, Path::new("/conf/jobs.toml"), &request)
}

fn load_config(text: &str) -> Result<Config, LoadError> {
    with_env(text, &[], None)
}

/// Loads a file that must be valid.
fn load_valid(text: &str) -> Config {
    load_config(text).unwrap_or_else(|error| panic!("{}", error.render(false, 100)))
}

fn mistakes(result: Result<Config, LoadError>) -> Vec<Mistake> {
    match result {
        Err(LoadError::Mistakes(mistakes)) => mistakes,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the file was accepted"),
    }
}

/// `line:column message (hint)` of each mistake.
fn errors_of(text: &str) -> Vec<String> {
    mistakes(load_config(text)).iter().map(|m| m.to_string().trim_start_matches("jobs.toml:").to_owned()).collect()
}

#[test]
fn the_shipped_example_works_without_a_key_or_warnings() {
    let config = load_valid(EXAMPLE);
    assert_eq!(config.service.target, Target::Sandbox);
    assert_eq!(config.service.rate_limit, None, "the sandbox is not limited");
    assert_eq!(config.topics.len(), 3);
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
    assert_eq!(
        config.topics[0].query(Source::Ai),
        Some("What is new about Acme product launches (acme launch)? Name sources.".to_owned())
    );
    assert_eq!(config.topics[2].query(Source::Web), Some("async rust release notes".to_owned()));
    assert_eq!(config.topics[2].sources(), [Source::Social, Source::Web]);
    assert_eq!(config.topics[2].schedule.as_ref().map(|s| s.period.clone()), Some(Period::Every(12 * 3_600_000)));
}

#[test]
fn files_are_written_below_the_output_folder() {
    let file = |scheduler: &str| {
        load_valid(&format!(
            "[service]\nbase_url = \"sandbox\"\n{scheduler}{TOPIC}every = \"1h\"\n\n[[reports]]\nname = \"daily\"\n\n\
             [[exports]]\nname = \"all\"\nwhat = \"items\"\nevery = \"1d\"\npath = \"/srv/all.csv\"\n"
        ))
    };
    let paths = |config: &Config| (config.reports[0].path.clone(), config.exports[0].path.clone());
    let all = "/srv/all.csv".to_owned();
    assert_eq!(paths(&file("")), ("/conf/reports/{name}-{date}".to_owned(), all.clone()));
    let beside = file("[scheduler]\noutput_folder = \"out\"\n");
    assert_eq!(paths(&beside), ("/conf/out/reports/{name}-{date}".to_owned(), all.clone()));
    let elsewhere = file("[scheduler]\noutput_folder = \"/var/lib/topicwatch\"\n");
    assert_eq!(paths(&elsewhere), ("/var/lib/topicwatch/reports/{name}-{date}".to_owned(), all));
    let reported = errors_of(&format!(
        "[service]\nbase_url = \"sandbox\"\n[scheduler]\noutput_folder = \"\"\n{TOPIC}every = \"1h\"\n"
    ));
    assert_eq!(reported, ["4:17: `output_folder` is empty (hint: write a value, or remove the key)"]);
}

/// The line of the example that shows a key, commented out or not: `# key = value`. It is looked up in the key's own
/// section where other sections have keys of the same name.
fn shown_in_example(section: Section, key: &str) -> Option<&'static str> {
    let from = match section {
        Section::Provider => EXAMPLE.find("[providers.news]\n").unwrap(),
        Section::Report => EXAMPLE.find("[[reports]]\n").unwrap(),
        Section::Channel => EXAMPLE.find("[[channels]]\n").unwrap(),
        Section::Export => EXAMPLE.find("[[exports]]\n").unwrap(),
        Section::Alert => EXAMPLE.find("[[alerts]]\n").unwrap(),
        _ => 0,
    };
    EXAMPLE[from..].lines().find_map(|line| {
        let line = line.trim_start_matches("# ");
        line.strip_prefix(key)?.strip_prefix(" = ")
    })
}

#[test]
fn the_example_shows_every_key_with_its_default() {
    for key in KEYS {
        let shown = shown_in_example(key.section, key.name).unwrap_or_else(|| panic!("{} is missing", key.name));
        // The example sets these keys on purpose.
        if let Some(default) = key.default.filter(|_| !matches!(key.name, "tags" | "ai.prompt" | "timezone")) {
            assert_eq!(shown, default, "{}", key.name);
        }
    }
}

#[test]
fn writing_out_every_default_changes_nothing() {
    let mut text = String::new();
    for (section, header) in [
        (Section::Service, "[service]\nbase_url = \"sandbox\"\n"),
        (Section::Database, "[database]\n"),
        (Section::Scheduler, "[scheduler]\n"),
        (Section::Retention, "[retention]\n"),
        (Section::Web, "[web]\n"),
        (Section::Topic, "[[topics]]\nid = \"a\"\nquery = \"q\"\nevery = \"1h\"\n"),
    ] {
        text.push_str(header);
        for key in KEYS.iter().filter(|key| key.section == section) {
            if let Some(default) = key.default {
                text.push_str(&format!("{} = {default}\n", key.name));
            }
        }
    }
    let (written, silent) = (
        load_valid(&text),
        load_valid(&format!("[service]\nbase_url = \"sandbox\"\nrate_limit = \"60/min\"\n{TOPIC}every = \"1h\"\n")),
    );
    assert_eq!(written.topics, silent.topics);
    assert_eq!(format!("{:?}", written.service), format!("{:?}", silent.service));
    assert_eq!(format!("{:?}", written.scheduler), format!("{:?}", silent.scheduler));
    assert_eq!(format!("{:?}", written.retention), format!("{:?}", silent.retention));
    assert_eq!(written.database.url, "sqlite:/conf/topicwatch.db");
}

#[test]
fn topics_override_defaults_and_their_own_period_replaces_the_default_one() {
    let config = load_valid(
        "service.base_url = \"sandbox\"\n[defaults]\nschedule = \"0 6 * * *\"\nwindow = \"PAST_7_DAYS\"\nweb.limit = 9\ntags = [\"x\"]\n\
         social.operation = \"basic\"\nsocial.limit = 20\nai.when = \"daily\"\ncatch_up = \"all\"\noverlap = \"buffer_one\"\n\
         [[topics]]\nid = \"a\"\nquery = \"q\"\n\
         [[topics]]\nid = \"b\"\ntitle = \"B\"\nquery = \"r\"\nevery = \"1h30m\"\nweb = { limit = 2, operation = \"links\" }\nsources = [\"web\"]\n",
    );
    let [a, b] = &config.topics[..] else { panic!("two topics") };
    let policy = a.schedule.as_ref().unwrap();
    assert_eq!(policy.period, Period::Cron("0 6 * * *".to_owned()));
    assert_eq!(
        (policy.catch_up, policy.overlap, policy.catch_up_window_ms),
        (CatchUp::All, Overlap::BufferOne, 604_800_000)
    );
    assert_eq!((a.window, a.title.as_str(), a.tags[0].as_str()), (Window::Past7Days, "a", "x"));
    let social = a.social.as_ref().unwrap();
    assert_eq!((social.operation, social.limit), (SocialOperation::Basic, Some(20)));
    assert_eq!(a.ai.as_ref().unwrap().when, AiWhen::Daily);
    let web = b.web.as_ref().unwrap();
    assert_eq!((web.limit, web.operation, web.query.as_str()), (2, WebOperation::Links, "r"));
    assert!(b.social.is_none() && b.ai.is_none());
    assert_eq!(b.schedule.as_ref().unwrap().period, Period::Every(5_400_000));
    let unscheduled = load_valid(&format!("service.base_url = \"sandbox\"\n{TOPIC}"));
    assert_eq!(unscheduled.topics[0].schedule, None, "runs only when asked");
}

#[test]
fn the_desearch_dialect_has_a_default_url_and_its_own_keys() {
    let config = load_valid(&format!(
        "[service]\ndialect = \"desearch\"\n{TOPIC}social.limit = 20\nai.count = 10\nai.tools = [\"web\", \"twitter\"]\n"
    ));
    assert!(matches!(&config.service.target, Target::Url(url) if url.as_str() == "https://api.desearch.ai/"));
    assert_eq!(config.service.dialect, Dialect::Desearch);
    assert_eq!(config.topics[0].ai.as_ref().unwrap().tools, ["web", "twitter"]);
    assert!(config.service.rate_limit.is_some());
}

#[test]
fn limits_that_a_call_supports_pass_and_too_few_links_are_a_warning() {
    for (dialect, keys) in [
        ("spec", "social.operation = \"posts\"\nsocial.limit = 10"),
        ("spec", "social.operation = \"posts\"\nsocial.limit = 200"),
        ("spec", "social.operation = \"basic\"\nsocial.limit = 1"),
        ("spec", "web.limit = 1"),
        ("spec", "web.limit = 100"),
        ("spec", "web.operation = \"links\"\nweb.limit = 200"),
        ("spec", "web.operation = \"links\""),
        ("spec", "web.operation = \"basic\""),
        ("desearch", "social.limit = 100"),
        ("desearch", "social.operation = \"posts\"\nsocial.limit = 200"),
        ("desearch", "web.operation = \"links\"\nweb.limit = 10"),
        (
            "desearch",
            "ai.count = 200\nai.tools = [\"twitter\", \"web\", \"hackernews\", \"reddit\", \"wikipedia\", \"youtube\", \"arxiv\"]",
        ),
    ] {
        let config =
            load_valid(&format!("[service]\nbase_url = \"sandbox\"\ndialect = \"{dialect}\"\n{TOPIC}{keys}\n"));
        assert_eq!(config.warnings, [""; 0], "{dialect} {keys}");
    }
    let config = load_valid(&format!(
        "[service]\nbase_url = \"sandbox\"\n{TOPIC}web = {{ operation = \"links\", limit = 3 }}\n"
    ));
    assert_eq!(config.warnings.len(), 1, "{:?}", config.warnings);
    assert!(config.warnings[0].contains("returns at least 10 pages"), "{:?}", config.warnings);
    assert!(config.notices[0].place.is_some());
}

#[test]
fn the_shipped_example_loads_with_only_the_dialect_changed() {
    let text = EXAMPLE.replace("# dialect = \"spec\"", "dialect = \"desearch\"");
    assert_ne!(text, EXAMPLE);
    assert_eq!(load_valid(&text).service.dialect, Dialect::Desearch);
}

/// Puts each broken line alone into a valid file and checks the place, the message and the hint.
#[test]
fn every_kind_of_mistake_has_its_place_and_a_hint() {
    let service = |line: &str| format!("[service]\n{line}\n[[topics]]\nid = \"a\"\nquery = \"q\"\n");
    let topic = |line: &str| format!("[service]\nbase_url = \"sandbox\"\n{TOPIC}{line}\n");
    let deployed = |line: &str| format!("[service]\ndialect = \"desearch\"\n{TOPIC}{line}\n");
    let provider = |lines: &str| format!("[providers.one]\n{lines}\n{TOPIC}");
    let many =
        |key: &str| format!("{key} = [{}]", (0..201).map(|n| format!("\"w{n}\"")).collect::<Vec<_>>().join(", "));
    for (text, place, message, hint) in [
        (service("base_ulr = \"sandbox\""), "2:1", "unknown key `base_ulr` in [service]", "did you mean `base_url`?"),
        (service(""), "1:1", "`base_url` is missing", "base_url = \"sandbox\""),
        (service("base_url = 5"), "2:12", "takes a string, found an integer", "base_url"),
        (
            service("base_url = \"sandbox\"\n[service.pricces]\nsocial = 1"),
            "3:10",
            "unknown key `pricces`",
            "did you mean `prices`?",
        ),
        (service("base_url = \"sandbx\""), "2:12", "is not a valid URL", "did you mean `sandbox`?"),
        (service("base_url = \"api.example.com\""), "2:12", "it does not begin with https://", "write \"sandbox\" or"),
        (service("base_url = \"http://api.example.com\""), "2:12", "unencrypted", "https://"),
        (service("base_url = \"https://me:pw@api.example.com\""), "2:12", "user name or a password", "api_key_env"),
        (
            provider("kind = \"searxng\"\nbase_url = \"https://me:pw@a.example\""),
            "3:12",
            "user name or a password",
            "no login is sent",
        ),
        (
            provider("kind = \"desearch\"\nbase_url = \"https://me:pw@a.example\""),
            "3:12",
            "user name or a password",
            "that `key_env` names",
        ),
        (
            provider("kind = \"searxng\"\nbase_url = \"http://a.example\""),
            "3:12",
            "would send queries unencrypted",
            "https://",
        ),
        (
            "[providers.one]\nkind = \"hackernews\"\n[[topics]]\nid = \"a\"\n".to_owned(),
            "3:1",
            "has no `query` for: one",
            "(or one.query)",
        ),
        (
            "[service]\nbase_url = \"sandbox\"\n[[topics]]\nid = \"a\"\nsources = [\"web\", \"ai\"]\n".to_owned(),
            "3:1",
            "has no `query` for: web, ai",
            "(or web.query, ai.prompt)",
        ),
        (
            "[providers.writer]\nkind = \"openai\"\nbase_url = \"sandbox\"\n[[topics]]\nid = \"a\"\nwriter.model = \"m\"\nwriter.prompt = \"On {query}\"\n".to_owned(),
            "4:1",
            "has no `query` for: writer",
            "(or writer.prompt)",
        ),
        (
            topic("[[channels]]\nname = \"c\"\nkind = \"ntfy\"\nurl = \"https://a.example/t\"\nkey = \"x\""),
            "10:1",
            "unknown key `key`",
            "token_env = \"…\"",
        ),
        (
            topic("[[channels]]\nname = \"c\"\nkind = \"slack\"\nurl = \"https://a.example/t\"\ntoken = \"x\""),
            "10:1",
            "unknown key `token`",
            "the only secret of kind = \"slack\" is the URL; `url_env`",
        ),
        (
            topic("[[channels]]\nname = \"c\"\nkind = \"webhook\"\nurl = \"https://a.example/t\"\ntoken = \"x\""),
            "10:1",
            "unknown key `token`",
            "secret_env = \"…\"",
        ),
        (
            topic("[[channels]]\nname = \"c\"\nkind = \"slack\"\nurl = \"https://a.example/t\"\nsecret_en = \"x\""),
            "10:1",
            "unknown key `secret_en`",
            "keys of [channels]: name, kind, url, url_env, allow_private, timeout, max_tries, paused",
        ),
        (topic(&many("must")), "6:8", "at most 200 are allowed", "shorten the list"),
        (topic(&many("exclude")), "6:11", "at most 200 are allowed", "join some with |"),
        (topic("ping = \"https://me:pw@a.example/\""), "6:8", "user name or a password", "(hint: use `ping_env`)"),
        (
            topic("[[channels]]\nname = \"c\"\nkind = \"slack\"\nurl = \"https://me:pw@a.example/x\""),
            "9:7",
            "user name or a password",
            "(hint: use `url_env`)",
        ),
        (
            topic("[[reports]]\nname = \"r\"\npath = \"~/r\""),
            "8:8",
            "begins with `~`",
            "`output_folder` of [scheduler]",
        ),
        (service("base_url = \"ftp://api.example.com\""), "2:12", "cannot use ftp:", "https://"),
        (
            service("dialect = \"desearch\"\nplatform = \"mastodon\""),
            "3:12",
            "is never sent in dialect \"desearch\"",
            "remove it",
        ),
        (
            service(
                "base_url = \"sandbox\"\n[providers.hn]\nkind = \"hackernews\"\nbase_url = \"sandbox\"\nuser = \"x\"",
            ),
            "6:8",
            "has no effect on a provider of kind hackernews",
            "remove it",
        ),
        (
            service(
                "base_url = \"sandbox\"\n[providers.hn]\nkind = \"hackernews\"\nbase_url = \"sandbox\"\nprice.tokens = 1",
            ),
            "6:16",
            "has no effect on a provider of kind hackernews",
            "remove it",
        ),
        (
            service(
                "base_url = \"sandbox\"\n[providers.hn]\nkind = \"hackernews\"\nbase_url = \"sandbox\"\nallow_private = true",
            ),
            "6:17",
            "has no effect on a provider of kind hackernews",
            "remove it",
        ),
        (
            topic(
                "[[exports]]\nname = \"e\"\nwhat = \"items\"\nevery = \"1d\"\nformat = \"jsonl\"\nprofile = \"excel\"",
            ),
            "11:11",
            "\"excel\" works only with csv, not with jsonl",
            "format = \"csv\"",
        ),
        (topic("exclude = [\"a\", \"b\", \"a\"]"), "6:22", "contains \"a\" twice", "list it once"),
        (service("base_url = \"sandbox\"\nbudget_per_day = 0"), "3:18", "is not a valid daily budget", "such as 2.50"),
        (
            service("base_url = \"sandbox\"\nbudget_per_day = \"2,50\""),
            "3:18",
            "is not a valid daily budget",
            "such as 2.50",
        ),
        (service("base_url = \"sandbox\"\nbudget_per_day = true"), "3:18", "takes a number of dollars", "2.50"),
        (topic("budget_per_day = -1"), "6:18", "is not a valid daily budget", "above 0"),
        (topic("max_calls_per_day = 0"), "6:21", "cannot be 0", "from 1 to"),
        (service("base_url = \"sandbox\"\napi_key = \"k\""), "3:1", "unknown key `api_key`", "TOPICWATCH_API_KEY"),
        (
            service("base_url = \"sandbox\"\napi_key_env = \"sk-123$\""),
            "3:15",
            "not a valid environment variable name",
            "not the secret itself",
        ),
        (service("base_url = \"sandbox\"\nmax_tries = 0"), "3:13", "cannot be 0", "from 1 to 20"),
        (
            service("base_url = \"sandbox\"\nmax_tries = \"4\""),
            "3:13",
            "takes an integer, found a string",
            "max_tries = 4",
        ),
        (service("base_url = \"sandbox\"\nmax_tries = 99999999999999999999"), "3:13", "too large", "smaller"),
        (service("base_url = \"sandbox\"\nrate_limit = \"60\""), "3:14", "`rate_limit` cannot be", "60/min"),
        (
            service("base_url = \"sandbox\"\ncall_timeout = 60"),
            "3:16",
            "takes a duration string, found an integer",
            "\"90s\"",
        ),
        (service("base_url = \"sandbox\"\ncall_timeout = \"60\""), "3:16", "`call_timeout`", "\""),
        (service("base_url = \"sandbox\"\nmax_response_bytes = \"15 megs\""), "3:22", "not a number of bytes", "15MB"),
        (service("base_url = \"sandbox\"\nprices.web = -1"), "3:14", "not a valid price", "0.004"),
        (service("base_url = \"sandbox\"\nprices = 3"), "3:10", "group of keys", "prices.social"),
        (
            service("base_url = \"sandbox\"\ndialect = \"dsearch\""),
            "3:11",
            "cannot be \"dsearch\"",
            "did you mean `desearch`?",
        ),
        (service("base_url = \"sandbox\"\ntimezone = \"UTC\""), "3:1", "unknown key", "belongs under [[topics]]"),
        (
            service("base_url = \"sandbox\"\n[database]\nurl = \"mysql://u:hunter2@h/d\""),
            "4:7",
            "unsupported kind of database",
            "SQLite and PostgreSQL",
        ),
        (service("base_url = \"sandbox\"\n[databse]"), "3:2", "unknown key `databse`", "did you mean `[database]`?"),
        (
            service("base_url = \"sandbox\"\n[[providers]]"),
            "3:3",
            "`providers` is a section, found a list",
            "write [providers.NAME]",
        ),
        (
            service("base_url = \"sandbox\"\n[notify]"),
            "3:2",
            "unknown key `notify`",
            "each receiver is a [[channels]] table",
        ),
        (service("base_url = \"sandbox\"\n[[topic]]"), "3:3", "unknown key `topic`", "did you mean `[[topics]]`?"),
        (service("base_url = \"sandbox\"\n[[service]]"), "", "duplicate key", "keep one"),
        (
            service("base_url = \"sandbox\"\n[defaults]\nquery = \"x\""),
            "4:1",
            "unknown key `query` in [defaults]",
            "[[topics]]",
        ),
        ("[service]\nbase_url = \"sandbox\"\n".to_owned(), "2:21", "there is no topic", "[[topics]]"),
        ("[service]\nbase_url = \"sandbox\"\n[topics]\n".to_owned(), "3:2", "list of sections", "[[topics]]"),
        (
            "service = 3\n[[topics]]\nid = \"a\"\nquery = \"q\"\n".to_owned(),
            "1:1",
            "`service` is a section",
            "[service]",
        ),
        (
            format!("[servcie]\nbase_url = \"sandbox\"\n{TOPIC}"),
            "1:2",
            "unknown key `servcie`",
            "did you mean `[service]`?",
        ),
        (
            "[service]\nbase_url = \"sandbox\"\n[[topcs]]\nid = \"a\"\n".to_owned(),
            "3:3",
            "unknown key `topcs`",
            "[[topics]]",
        ),
        ("topics = [3]\nservice.base_url = \"sandbox\"\n".to_owned(), "1:11", "a topic is a section", "[[topics]]"),
        (topic("web = 5"), "6:7", "`web` is a group of keys", "web.limit"),
        (topic("paused = True"), "6:10", "in quotes", "write true in lower case"),
        (topic("paused = yes"), "6:10", "in quotes", "write true or false"),
        (topic("paused = off"), "6:10", "in quotes", "write true or false"),
        (topic("model ="), "6:8", "in quotes", "the value is missing"),
        (topic("query.x = 5"), "6:1", "cannot extend", "already has a value"),
        (
            service("base_url = \"sandbox\"\n[database]\nurl = \"topicwatch.db\""),
            "4:7",
            "does not name a kind of database",
            "sqlite:topicwatch.db",
        ),
        (service("base_url = \"sandbox\"\n[database]\nschema = \"Topic\""), "4:10", "cannot be \"Topic\"", "a-z"),
        (service("base_url = \"sandbox\"\n[scheduler]\nlease = \"0s\""), "4:9", "cannot be 0s", "from 1s to 1h"),
        (service("base_url = \"sandbox\"\n[retention]\nraw = \"1s\""), "4:7", "cannot be 1s", "or \"forever\""),
        (service("base_url = \"sandbox\"\n[retention]\nruns = \"29d\""), "4:8", "plus 30 days", "write at least 90d"),
        (
            service("base_url = \"sandbox\"\n[retention]\nsightings = \"10d\"\nruns = \"29d\""),
            "5:8",
            "plus 30 days",
            "write at least 30d",
        ),
        (
            service("base_url = \"sandbox\"\n[retention]\nsightings = \"forever\"\nruns = \"29d\""),
            "5:8",
            "plus 30 days",
            "write \"forever\", as for `sightings`",
        ),
        (
            service("base_url = \"sandbox\"\n[retention]\nsightings = \"forever\"\nruns = \"900d\""),
            "5:8",
            "is shorter than `sightings`",
            "at least `sightings`",
        ),
        (service("base_url = \"sandbox\"\n[retention]\nprune = \"daily\""), "4:9", "prune", ""),
        (service("base_url = \"sandbox\"\n[retention]\nprune = \"@every 1d\""), "4:9", "nickname", "or \"never\""),
        (service("base_url = \"sandbox\"\n[retention]\nprune = \"TZ=UTC 0 3 * * *\""), "4:9", "TZ", "fields in UTC"),
        (
            service("base_url = \"sandbox\"\n[retention]\nitems = 400"),
            "4:9",
            "takes a duration string or \"forever\"",
            "400d",
        ),
        (service("base_url = \"sandbox\"\n[defaults]\nweb.limit = 0"), "4:13", "cannot be 0", "from 1 to 100"),
        (service("base_url = \"sandbox\"\n[defaults]\nai.prompt = \"{x}\""), "4:13", "unknown placeholder", "{query}"),
        (topic("sociial.limit = 5"), "6:1", "unknown key `sociial`", "did you mean `social`?"),
        (topic("web.limt = 5"), "6:5", "unknown key `web.limt`", "did you mean `web.limit`?"),
        (topic("limit = 5"), "6:1", "unknown key `limit`", "`social.limit` or `web.limit`"),
        (topic("tag = [\"x\"]"), "6:1", "unknown key `tag`", "did you mean `tags`? `tag` belongs under [[channels]]"),
        (service("base_url = \"sandbox\"\n[defaults]\ntag = [\"x\"]"), "4:1", "unknown key `tag`", "did you mean `tags`?"),
        (topic("[[reports]]\nname = \"r\"\ntag = [\"x\"]"), "8:1", "unknown key `tag`", "did you mean `tags`?"),
        (topic("cron = \"0 6 * * *\""), "6:1", "unknown key `cron`", "did you mean `schedule`?"),
        (topic("enabled = false"), "6:1", "unknown key `enabled`", "write paused = true"),
        (topic("channels = [\"c\"]"), "6:1", "unknown key `channels`", "belongs under [[reports]] or [[alerts]]"),
        (topic("[[topics]]\nname = \"b\"\nquery = \"q\""), "7:1", "unknown key `name`", "did you mean `id`?"),
        // A key is written once.
        (topic("name = \"Acme Corp\""), "6:1", "unknown key `name`", "did you mean `title`?"),
        (topic("title = \"A\"\nname = \"Acme\""), "7:1", "unknown key `name`", "belongs under [[reports]]"),
        (topic("[[reports]]\nid = \"r\""), "7:1", "unknown key `id`", "did you mean `name`?"),
        (
            topic("[[exports]]\nname = \"e\"\nwhat = \"items\"\ninterval = \"1d\""),
            "9:1",
            "unknown key `interval`",
            "did you mean `every`?",
        ),
        (
            topic("[[channels]]\nname = \"c\"\nkind = \"slack\"\nwebhook_url = \"https://a.example\""),
            "9:1",
            "unknown key `webhook_url`",
            "did you mean `url`?",
        ),
        (
            topic(
                "[[channels]]\nname = \"c\"\nkind = \"email\"\nhost = \"h.example\"\nfrom = \"a@b.example\"\n\
                 to = [\"a@b.example\"]\nuser = \"u\"\npassword = \"x\"",
            ),
            "13:1",
            "unknown key `password`",
            "password_env = \"…\"",
        ),
        ("url = \"x\"\n".to_owned() + &service("base_url = \"sandbox\""), "1:1", "unknown key `url`", "belongs under [database] or [[channels]]"),
        ("schedule = \"0 6 * * *\"\n".to_owned() + &topic(""), "1:1", "unknown key `schedule`", "belongs under [[topics]]"),
        ("port = 25\n".to_owned() + &topic(""), "1:1", "unknown key `port`", "belongs under [[channels]]"),
        ("base_url = \"sandbox\"\n".to_owned() + TOPIC, "1:1", "unknown key `base_url`", "belongs under [service]"),
        (service("url = \"sandbox\""), "2:1", "unknown key `url` in [service]", "did you mean `base_url`?"),
        (service("base_url = \"sandbox\"\n[prices]\nweb = 1"), "3:2", "unknown key `prices`", "belongs under [service]"),
        (service("base_url = \"sandbox\"\n[web]\ntoken = \"x\""), "4:1", "unknown key `token`", "token_env = \"…\""),
        (provider("kind = \"bluesky\"\npassword = \"x\""), "3:1", "unknown key `password`", "key_env = \"…\""),
        (provider("kind = \"hackernews\"\npassword = \"x\""), "3:1", "unknown key `password`", "hackernews uses no key"),
        (provider("kind = \"hackernews\"\ntimeout = \"9s\""), "3:1", "unknown key `timeout`", "`call_timeout`?"),
        (
            provider("kind = \"feeds\"") + "one.urls = [\"a.example/feed\"]\n",
            "6:12",
            "\"a.example/feed\", which does not begin with https://",
            "`base_url`",
        ),
        (
            service("base_url = \"sandbox\"\n[scheduler]\noutput_folder = \"~/out\""),
            "4:17",
            "`output_folder` begins with `~`",
            "write the whole path",
        ),
        (service("base_url = \"sandbox\"\napi_key_file = \"~/key\""), "3:16", "begins with `~`", "write the whole path"),
        (
            topic(
                "[[channels]]\nname = \"c\"\nkind = \"email\"\nhost = \"h.example:25\"\nfrom = \"a@b.example\"\n\
                 to = [\"a@b.example\"]",
            ),
            "9:8",
            "`host` contains a port",
            "write host = \"h.example\" and port = 25",
        ),
        (
            topic(
                "[[channels]]\nname = \"c\"\nkind = \"email\"\nhost = \"h.example:\"\nfrom = \"a@b.example\"\n\
                 to = [\"a@b.example\"]",
            ),
            "9:8",
            "`host` contains a port",
            "its port in `port`",
        ),
        (service("base_url = \"sandbox\"\n[retention]\nraw = \"30\""), "4:7", "the unit is missing", "write \"30d\" for days"),
        (service("base_url = \"sandbox\"\n[retention]\nraw = \"0\""), "4:7", "the unit is missing", "write \"30d\" for days"),
        (topic("must = [\"/\\d/\"]"), "6:12", "missing escaped value", "write \\\\ for \\"),
        (topic("tags = [\"C:\\Users\"]"), "6:14", "too few unicode value digits", "write \\\\ for \\"),
        (topic("title = “a”"), "6:9", "in quotes", "write straight quotes"),
        (
            topic("[[alerts]]\nname = \"x\"\nrule = \"budget\"\nthreshold = 70"),
            "9:1",
            "unknown key `threshold`",
            "with rule = \"budget\" it is `percent`",
        ),
        (
            topic("[[alerts]]\nname = \"x\"\nrule = \"budget\"\npercent = \"70 %\""),
            "9:11",
            "takes an integer",
            "write percent = 70",
        ),
        (deployed("ai.count = \"many\""), "6:12", "takes an integer", "write ai.count = 10"),
        (service("base_url = \"sandbox\"\n[web]\nlimit = 3"), "4:1", "unknown key `limit`", "`web.limit` belongs under [[topics]]"),
        (
            topic("[[channels]]\nname = \"c\"\nkind = \"email\"\nhost = \"a.example\"\nfrom = \"a@a.example\"\ntos = []"),
            "11:1",
            "unknown key `tos`",
            "did you mean `to`?",
        ),
        (topic("[[reports]]\nname = \"r\"\ntopics = [\"b\"]"), "8:11", "names \"b\"", "the file has \"a\""),
        (
            service(
                "base_url = \"sandbox\"\n[providers.one]\nkind = \"openai\"\n\
                 base_url = \"https://a.example/v1/chat/completions\"",
            ),
            "5:12",
            "ends in /chat/completions",
            "every call adds its own path",
        ),
        (
            service("base_url = \"sandbox\"\n[database]\nurl = \"postgres://me:a#b@h/d\""),
            "4:7",
            "`url`",
            "in a password, write",
        ),
        (
            provider("kind = \"feeds\"\nurl = \"https://a.example/feed\"") + "one.urls = [\"https://a.example/feed\"]\n",
            "3:1",
            "unknown key `url`",
            "in the topics, under the provider's name: NAME.urls",
        ),
        (provider("kind = \"hackernews\"\nurls = []"), "3:1", "unknown key `urls`", "in the topics, under"),
        (
            provider("kind = \"hackernews\"").replace("providers.one", "providers"),
            "2:1",
            "`providers.kind` is not a section",
            "write [providers.NAME]",
        ),
        (topic("ai.model = \"NOVA\""), "6:4", "unknown key `ai.model`", "did you mean `model`?"),
        (topic("web.limit = 0"), "6:13", "cannot be 0", "from 1 to 100"),
        (topic("web.limit = 1.5"), "6:13", "takes an integer, found a number with a fraction", "web.limit = 3"),
        (topic("social.limit = 5"), "6:16", "not supported by this call", "desearch"),
        (
            topic("social.operation = \"posts\"\nsocial.limit = 5"),
            "7:16",
            "cannot be 5",
            "from 10 to 200 (allowed for social.operation = \"posts\")",
        ),
        (topic("social.operation = \"posts\"\nsocial.limit = 201"), "7:16", "cannot be 201", "from 10 to 200"),
        (topic("social.operation = \"basic\"\nsocial.limit = 101"), "7:16", "cannot be 101", "from 1 to 100"),
        (topic("web.limit = 101"), "6:13", "cannot be 101", "from 1 to 100"),
        (topic("web.operation = \"links\"\nweb.limit = 201"), "7:13", "cannot be 201", "to 200"),
        (
            topic("web.operation = \"basic\"\nweb.limit = 5"),
            "7:13",
            "not supported by this call (web.operation = \"basic\")",
            "\"links\"",
        ),
        (
            deployed("social.limit = 101"),
            "6:16",
            "cannot be 101",
            "from 1 to 100 (allowed for social.operation = \"search\")",
        ),
        (deployed("social.operation = \"posts\"\nsocial.limit = 9"), "7:16", "cannot be 9", "from 10 to 200"),
        (
            deployed("web.limit = 5"),
            "6:13",
            "not supported by this call (web.operation = \"search\") in dialect \"desearch\"",
            "\"links\"",
        ),
        (deployed("model = \"NOVA\""), "6:9", "`model` is not supported in dialect \"desearch\"", "dialect = \"spec\""),
        (
            deployed("response_order = \"SUMMARY_FIRST\""),
            "6:18",
            "`response_order` is not supported in dialect \"desearch\"",
            "dialect = \"spec\"",
        ),
        (
            deployed("ai.tools = [\"web\", \"redit\"]"),
            "6:20",
            "`ai.tools` cannot be \"redit\"",
            "did you mean `reddit`?",
        ),
        (deployed("ai.tools = [\"mail\"]"), "6:13", "`ai.tools` cannot be \"mail\"", "\"hackernews\""),
        (deployed("ai.count = 9"), "6:12", "cannot be 9", "from 10 to 200"),
        (topic("ai.count = 10"), "6:12", "dialect \"spec\"", "desearch"),
        (topic("ai.tools = [\"web\"]"), "6:12", "dialect \"spec\"", "desearch"),
        (topic("ai.prompt = \"about {qeury}\""), "6:13", "unknown placeholder `{qeury}`", "did you mean `{query}`?"),
        (topic("web.query = \"a { b\""), "6:13", "single brace", "{{"),
        (topic("sources = []"), "6:11", "is empty", "social"),
        (topic("sources = [\"web\", \"scoial\"]"), "6:19", "cannot be \"scoial\"", "did you mean `social`?"),
        (topic("sources = [\"web\", \"web\"]"), "6:19", "twice", "once"),
        (topic("sources = [\"web\", 3]"), "6:11", "found a list containing an integer", "sources"),
        (topic("window = \"24h\""), "6:10", "cannot be \"24h\"", "PAST_24_HOURS"),
        (topic("tags = [\"\"]"), "6:9", "is empty", ""),
        (topic("must = \"acme\""), "6:8", "takes a list of strings", "[\"…\""),
        (topic("must = [\"acme\", \"\"]"), "6:17", "has no word", "part*"),
        (topic("exclude = [\"/a(/\"]"), "6:12", "is not a valid pattern: unclosed group", "crate regex"),
        (
            topic("exclude = [\"/((a{1,1000}){1,1000}){1,1000}/\"]"),
            "6:12",
            "too large a pattern",
            "smaller repetitions",
        ),
        (topic("lang = [\"english\"]"), "6:9", "is not a language code", "\"en\""),
        (topic("lang = [\"en\", \"zxx\"]"), "6:15", "names no language", "leave it out"),
        (topic("exclude = [\"/x/i\"]"), "6:12", "letters after its pattern", "leave out the first /"),
        (topic("exclude_authors = [\"@\"]"), "6:20", "has no word", ""),
        (topic("exclude_authors = [\"a | b\"]"), "6:20", "more than one handle", "several entries"),
        (topic("timezone = \"Europe/Berln\"\nevery = \"1h\""), "6:12", "Europe/Berln", "Europe/Berlin"),
        (topic("timezone = \"GMT2\"\nevery = \"1h\""), "6:12", "there is no time zone `GMT2`", "write an IANA name"),
        (topic("timezone = \"UTC2\"\nevery = \"1h\""), "6:12", "there is no time zone `UTC2`", "write an IANA name"),
        (
            topic("[[alerts]]\nname = \"x\"\nrule = \"source\"\nof = 2"),
            "9:6",
            "`of` is less than `failures`, which is 3 by default",
            "or set `failures`",
        ),
        (
            topic("[[alerts]]\nname = \"x\"\nrule = \"source\"\nfailures = 7"),
            "9:12",
            "`failures` is more than `of` = 5",
            "raise `of`",
        ),
        (
            topic("[[alerts]]\nname = \"x\"\nrule = \"missed\"\ntimezone = \"Mars\""),
            "9:12",
            "`timezone`: there is no time zone `Mars`",
            "write an IANA name",
        ),
        (topic("schedule = \"nonsense\""), "6:12", "`schedule`: ", ""),
        (topic("schedule = \"0 6 * * *\"\nevery = \"1h\""), "7:1", "combined with `schedule`", "one of the two"),
        (topic("every = \"5s\""), "6:9", "`every`", "1m"),
        (topic("every = 2026-01-01"), "6:9", "found a date", "every"),
        (topic("overlap = \"buffer-one\""), "6:11", "cannot be", "did you mean `buffer_one`?"),
        (topic("paused = \"yes\""), "6:10", "takes true or false, found a string", "paused = true"),
        (topic("title = \"a\\u001Bb\""), "6:9", "control character \\u{1b}", "remove"),
        (topic("title = \"\u{200b}\u{2060}\u{ad}\""), "6:9", "`title` has no visible character", "remove the key"),
        (topic("title = \"\\u202E \\u0301\""), "6:9", "`title` has no visible character", "remove the key"),
        (topic("tags = [\"\u{200b}\"]"), "6:9", "an entry that has no visible character", ""),
        (
            topic("[[reports]]\nname = \"r\"\ntitle = \"\u{2800}\u{200b}\""),
            "8:9",
            "`title` has no visible character",
            "write a value",
        ),
        (topic("[[topics]]\nid = \"a\"\nquery = \"q\""), "7:6", "another topic already has the id \"a\"", "line 4"),
        (topic("[[topics]]\nquery = \"q\""), "6:1", "has no `id`", "id ="),
        (topic("[[topics]]\nid = \"b\""), "6:1", "topic \"b\" has no `query` for: social, web, ai", "query ="),
        (topic("[[topics]]\nid = \"Acme Corp\"\nquery = \"q\""), "7:6", "cannot be \"Acme Corp\"", "\"acme-corp\""),
        (topic("[[topics]]\nid = \"con\"\nquery = \"q\""), "7:6", "device name", "con-topic"),
        (
            topic(&format!("[[topics]]\nid = \"b\"\nquery = \"{}\"", "x".repeat(2_001))),
            "8:9",
            "2001 characters",
            "shorten",
        ),
        (topic("[[topics]]\nid = \"b\"\nquery = \"\"\"\na\nb\"\"\""), "8:9", "control character", "one line"),
        (topic("model = NOVA"), "6:9", "text must be in quotes", "key = \"value\""),
        (topic("model = \"A\"\nmodel = \"B\""), "7:1", "duplicate key", "keep one"),
        (topic("[[topics]"), "6:10", "unclosed", "[[name]]"),
    ] {
        let reported = errors_of(&text);
        let matching = |m: &&String| m.starts_with(place) && m.contains(message) && m.contains(hint);
        assert!(
            reported.iter().find(matching).is_some(),
            "wanted {place} {message} {hint}\nin {text}\ngot {reported:#?}"
        );
        assert_eq!(reported.len(), 1, "one mistake, reported once: {reported:#?}\nin {text}");
    }
}

#[test]
fn eight_different_mistakes_are_all_reported_in_the_order_of_the_file() {
    let text = "[service]\nbase_ulr = \"sandbox\"\nmax_tries = \"4\"\n[databse]\nurl = \"x\"\n[[topics]]\nid = \"A\"\nquery = \"q\"\n\
                timezone = \"Mars\"\nschedule = \"x\"\n[[topics]]\nid = \"b\"\nsources = [\"wbe\"]\nweb.limit = 1000\nquery = 5\n";
    let lines: Vec<usize> = mistakes(load_config(text)).iter().filter_map(|m| Some(m.place.as_ref()?.line)).collect();
    assert_eq!(lines, [2, 3, 4, 7, 9, 10, 13, 14, 15]);
    // Two keys that exclude each other do not hide what is wrong with each.
    let both =
        "[service]\nbase_url = \"sandbox\"\n[[topics]]\nid = \"a\"\nquery = \"q\"\nschedule = \"x\"\nevery = \"5x\"\n";
    let lines: Vec<usize> = mistakes(load_config(both)).iter().filter_map(|m| Some(m.place.as_ref()?.line)).collect();
    assert_eq!(lines, [6, 7, 7]);
    // One wrong key does not hide another of its section, or a contradiction between the section and the file.
    let kept = "[service]\nbase_url = \"sandbox\"\n[retention]\nraw = \"1s\"\nruns = \"29d\"\n[[topics]]\nid = \"a\"\nquery = \"q\"\n";
    let lines: Vec<usize> = mistakes(load_config(kept)).iter().filter_map(|m| Some(m.place.as_ref()?.line)).collect();
    assert_eq!(lines, [4, 5]);
    // One wrong key of a topic does not hide that finished slots would be forgotten.
    let kept = "[service]\nbase_url = \"sandbox\"\n[retention]\nruns = \"90d\"\n[[topics]]\nid = \"a\"\nquery = \"q\"\n\
                every = \"1h\"\ncatch_up_window = \"200d\"\nmodel = 5\n";
    let lines: Vec<usize> = mistakes(load_config(kept)).iter().filter_map(|m| Some(m.place.as_ref()?.line)).collect();
    assert_eq!(lines, [4, 10]);
    let more = "[service]\nbase_url = \"sandbox\"\n[web]\nlisten = \"x\"\nhosts = [\"*\"]\ntoken_env = \"a b\"\n\
                [[topics]]\nid = \"a\"\nquery = \"q\"\n[[channels]]\nname = \"c\"\nkind = \"telegram\"\nurl = \"https://a.example\"\n\
                url_env = \"A\"\nchat = \"b c\"\n";
    let lines: Vec<usize> = mistakes(load_config(more)).iter().filter_map(|m| Some(m.place.as_ref()?.line)).collect();
    assert_eq!(lines, [4, 5, 6, 10, 10, 15]);
    let twice = "[service]\nbase_url = \"sandbox\"\n[[topics]]\nid = \"a\"\nquery = \"q\"\n\
                 [[reports]]\nname = \"r\"\n[[reports]]\nname = \"r\"\n[[reports]]\nname = \"r\"\nevery = \"1x\"\n\
                 [[alerts]]\nname = \"m\"\nrule = \"missed\"\n[[alerts]]\nname = \"m\"\nrule = \"mist\"\n";
    let lines: Vec<usize> =
        mistakes(load_config(twice)).iter().map(|m| m.place.as_ref().map_or(0, |at| at.line)).collect();
    assert_eq!(lines, [9, 11, 12, 17, 18]);
    let secrets = "[service]\nbase_url = \"sandbox\"\n[[topics]]\nid = \"a\"\nquery = \"q\"\n\
                   [[channels]]\nname = \"c\"\nkind = \"telegram\"\ntoken_env = \"a b\"\nchat = \"b c\"\n\
                   [[channels]]\nname = \"m\"\nkind = \"email\"\nhost = \"h.example\"\ntls = \"none\"\nfrom = \"a@b.example\"\n\
                   to = [\"a@b.example\"]\nuser = \"u\"\npassword_env = \"a b\"\n\
                   [[exports]]\nname = \"e\"\nwhat = \"daily\"\nmode = \"incremental\"\nsince = \"1x\"\nevery = \"1d\"\n";
    let lines: Vec<usize> =
        mistakes(load_config(secrets)).iter().filter_map(|m| Some(m.place.as_ref()?.line)).collect();
    assert_eq!(lines, [9, 10, 15, 19, 23, 24]);
}

#[test]
fn a_wrong_key_causes_no_false_mistake_elsewhere() {
    let topic = |line: &str| format!("[service]\nbase_url = \"sandbox\"\n{TOPIC}{line}\n");
    let alert = |lines: &str| format!("[[alerts]]\nname = \"x\"\nrule = \"items\"\n{lines}\n");
    let of_source = |lines: &str| topic(&format!("[[alerts]]\nname = \"x\"\nrule = \"source\"\n{lines}"));
    let feeds = |lines: &str| format!("[providers.news]\nkind = \"feeds\"\n{TOPIC}{lines}\n");
    let unread = |header: &str, name: &str| {
        let topic = "[[topics]]\nid = \"a\"\n";
        format!(
            "{header}\nkind = \"feeds\"\n{topic}{name}.urls = [\"https://a.example/feed\"]\nsources = [\"{name}\"]\n"
        )
    };
    for (text, message) in [
        // The other dialect needs no address and takes other keys.
        (format!("[service]\ndialect = \"desearh\"\n{TOPIC}"), "`dialect` cannot be \"desearh\""),
        (format!("[service]\ndialect = 5\n{TOPIC}ai.count = 10\n"), "`dialect` takes a string"),
        (format!("[service]\ndialct = \"desearch\"\n{TOPIC}"), "unknown key `dialct`"),
        (format!("[servce]\ndialect = \"desearch\"\n{TOPIC}ai.count = 10\n"), "unknown key `servce`"),
        // The default of a key is not what was meant.
        (topic("[retention]\nruns = \"60d\"\nsightings = 30"), "`sightings` takes a duration"),
        (topic("[retention]\nruns = 900\nsightings = \"800d\""), "`runs` takes a duration"),
        (topic("[web]\nlisten = \"0.0.0.0:80\"\ntoken_file = 5"), "`token_file` takes a string"),
        (topic("[web]\nlisten = \"0.0.0.0:80\"\ntoken_env = 5"), "`token_env` takes a string"),
        (topic(&alert("of = 2")), "`of` does not apply to rule = \"items\""),
        (of_source("failures = \"3\"\nof = 2"), "`failures` takes an integer"),
        (of_source("failures = 7\nof = \"8\""), "`of` takes an integer"),
        (feeds("news.urls = \"https://a.example/feed\""), "`news.urls` takes a list"),
        (
            feeds("").replace("news", "my_feeds") + "my-feeds.urls = [\"https://a.example/feed\"]\n",
            "unknown key `my-feeds`",
        ),
        (feeds("news.url = [\"https://a.example/feed\"]"), "feeds has no key `news.url`"),
        (feeds("sources = \"news\""), "`sources` takes a list"),
        (topic("[default]\nsources = [\"web\"]\nweb.query = \"q\"\n[[topics]]\nid = \"b\""), "unknown key `default`"),
        (feeds("sources = [\"news\"]\n[default]\nnews.urls = [\"https://a.example/feed\"]"), "unknown key `default`"),
        (
            topic(
                "[[reports]]\nname = \"r\"\nwindow = \"since_last\"\npath = 5\n\
                 [[reports]]\nname = \"s\"\npath = \"reports/r-{date}-{time}\"",
            ),
            "`path` takes a string",
        ),
        // The name may be that of a section that could not be read, or that will be renamed.
        (
            topic(&format!("[[topics]]\nid = \"B\"\nquery = \"q\"\n{}", alert("topics = [\"b\"]"))),
            "`id` cannot be \"B\"",
        ),
        (topic(&format!("[[topics]]\nid = 7\nquery = \"q\"\n{}", alert("topics = [\"b\"]"))), "`id` takes a string"),
        (topic(&format!("[[topics]]\nidd = \"b\"\nquery = \"q\"\n{}", alert("topics = [\"b\"]"))), "unknown key `idd`"),
        (topic(&format!("tags = \"news\"\n{}", alert("tags = [\"news\"]"))), "`tags` takes a list"),
        (
            topic(&format!(
                "[[chanels]]\nname = \"c\"\nkind = \"slack\"\nurl_env = \"A\"\n{}",
                alert("channels = [\"c\"]")
            )),
            "unknown key `chanels`",
        ),
        (
            topic(&format!("[provider.news]\nkind = \"feeds\"\n{}", alert("sources = [\"news\"]"))),
            "unknown key `provider`",
        ),
        (unread("[providr.news]", "news"), "unknown key `providr`"),
        (unread("[news]", "news"), "unknown key `news`"),
        (unread("[providers.News]", "News"), "\"News\" is not a valid name"),
        (topic("") + &unread("[provider.news]", "news").replace("\"a\"", "\"b\""), "unknown key `provider`"),
        (
            "[providers.w]\nkind = \"openai\"\nbase_url = \"sandbox\"\n".to_owned()
                + &unread("[provider.news]", "news").replace("[\"news\"]", "[\"w\", \"news\"]")
                + "w.model = \"m\"\nw.prompt = \"p\"\n",
            "unknown key `provider`",
        ),
        (
            topic("").replace("[[topics]]", "[topics]") + &alert("topics = [\"a\"]\ntags = [\"b\"]"),
            "`topics` is a list of sections",
        ),
        (
            topic(&format!(
                "[channels]\nname = \"c\"\nkind = \"slack\"\nurl_env = \"A\"\n{}",
                alert("channels = [\"c\"]")
            )),
            "`channels` is a list of sections",
        ),
        (
            topic(&format!("[providers.News]\nkind = \"feeds\"\n{}", alert("sources = [\"News\"]"))),
            "\"News\" is not a valid name",
        ),
    ] {
        let reported = errors_of(&text);
        assert!(
            reported.len() == 1 && reported[0].contains(message),
            "wanted only {message}\nin {text}\ngot {reported:#?}"
        );
    }
    for (database, message) in [
        ("[database]\nurl = 5", "`url` takes a string"),
        ("[databse]\nurl = \"postgres://db/t\"", "unknown key `databse`"),
    ] {
        let reported = errors_of(&topic(&format!("{database}\n[scheduler]\nengine = \"graphile\""))).join("\n");
        assert!(reported.contains(message) && !reported.contains("SQLite"), "{reported}");
    }
}

#[test]
fn a_wrong_key_does_not_hide_that_sandbox_and_real_providers_are_mixed() {
    let file = |service: &str, provider: &str| {
        format!("[service]\nbase_url = \"sandbox\"\n{service}[providers.hn]\nkind = \"hackernews\"\n{provider}{TOPIC}")
    };
    for (service, provider, mistakes) in [
        ("", "", 1),
        ("max_tries = \"3\"\n", "", 2),
        ("", "max_tries = \"3\"\n", 2),
        ("dialect = \"spce\"\n", "user = \"x\"\n", 3),
    ] {
        let reported = errors_of(&file(service, provider));
        let mixed = reported.iter().filter(|m| m.contains("use the sandbox, and others do not")).count();
        assert_eq!((mixed, reported.len()), (1, mistakes), "{service}{provider}: {reported:#?}");
    }
    // An address that cannot be read may be either.
    for provider in ["base_url = 5\n", "base_ulr = \"sandbox\"\n"] {
        let reported = errors_of(&file("", provider));
        assert!(reported.len() == 1 && reported[0].contains("base_u"), "{provider}: {reported:#?}");
    }
}

#[test]
fn a_wrong_key_does_not_hide_that_pages_for_everyone_need_a_token() {
    for wrong in ["hosts = 5", "https = \"yes\"", "edit = \"yes\""] {
        let text = format!("[service]\nbase_url = \"sandbox\"\n[web]\nlisten = \"0.0.0.0:80\"\n{wrong}\n{TOPIC}");
        let reported = errors_of(&text);
        let both = reported.len() == 2 && reported[0].contains("no token is set") && reported[1].contains(" takes ");
        assert!(both, "{wrong}: {reported:#?}");
    }
}

#[test]
fn a_wrong_limit_of_a_topic_does_not_hide_the_other() {
    let text = "[service]\nbase_url = \"sandbox\"\n[[topics]]\nid = \"a\"\nquery = \"q\"\nmax_calls_per_day = 0\nbudget_per_day = -1\n";
    let found = errors_of(text);
    assert_eq!(found.len(), 2, "{found:?}");
    for (one, place) in found.iter().zip(["6:21", "7:18"]) {
        assert!(one.starts_with(place), "{found:?}");
    }
}

#[test]
fn a_mistake_of_an_export_hides_no_other_mistake_of_it() {
    let wrong = [
        ("name", "\"other\""),
        ("name", "\"No Name\""),
        ("what", "3"),
        ("what", "\"weekly\""),
        ("mode", "\"incremental\""),
        ("mode", "1"),
        ("profile", "\"exel\""),
        ("profile", "\"excel\"\nformat = \"jsonl\""),
        ("filtered", "\"maybe\""),
        ("topics", "[\"x\"]"),
        ("tags", "[\"x\"]"),
        ("sources", "[\"mars\"]"),
        ("tones", "[\"angry\"]"),
        ("authors", "[\"x\"]"),
        ("search", "\"x\""),
        ("search", "\"-x\""),
        ("since", "\"1x\""),
        ("format", "\"cvs\""),
        ("format", "\"atom\""),
        ("path", "\"p.csv\""),
        ("path", "\"a.txt\""),
        ("retain", "0"),
        ("timezone", "\"Mars/Olympus\""),
        ("every", "\"1x\""),
        ("ping", "\"x\""),
    ];
    let of = |given: &[(&str, &str)]| {
        let is_given = |key: &str| given.iter().any(|(other, _)| *other == key);
        let base = [("name", "\"e\""), ("what", "\"daily\""), ("every", "\"1d\"")];
        let lines: String = base
            .iter()
            .filter(|(key, _)| !is_given(key))
            .chain(given)
            .map(|(key, value)| format!("{key} = {value}\n"))
            .collect();
        let text = format!(
            "[service]\nbase_url = \"sandbox\"\n[[topics]]\nid = \"a\"\nquery = \"q\"\n\
             [[exports]]\nname = \"other\"\nwhat = \"daily\"\nevery = \"1d\"\npath = \"p.csv\"\n[[exports]]\n{lines}"
        );
        let mut messages: Vec<String> = mistakes(load_config(&text)).into_iter().map(|m| m.message).collect();
        messages.sort();
        messages
    };
    // One of these decides whether the other is a mistake.
    let depends = [
        ("what", "authors"),
        ("what", "search"),
        ("what", "mode"),
        ("path", "mode"),
        ("path", "format"),
        ("path", "profile"),
        ("format", "profile"),
    ];
    let is_dependent =
        |one: &str, other: &str| one == other || depends.contains(&(one, other)) || depends.contains(&(other, one));
    for (n, one) in wrong.iter().enumerate() {
        let alone = of(&[*one]);
        assert_eq!(alone.len(), 1, "{one:?}: {alone:?}");
        for other in wrong[..n].iter().filter(|other| !is_dependent(one.0, other.0)) {
            let mut expected = [alone.clone(), of(&[*other])].concat();
            expected.sort();
            assert_eq!(of(&[*one, *other]), expected, "{one:?} {other:?}");
        }
    }
    // What the path names is checked even if the format is wrong.
    let (format, path) = (("format", "\"cvs\""), ("path", "\"a.xlsx.gz\""));
    let mut expected = [of(&[format]), of(&[path])].concat();
    expected.sort();
    assert_eq!((expected.len(), of(&[format, path])), (2, expected));
}

#[test]
fn the_default_path_is_compared_only_if_the_key_that_decides_it_is_right() {
    let of = |kind: &str, path: &str, what: &str, wrong: &str| {
        let text = format!(
            "[service]\nbase_url = \"sandbox\"\n[[topics]]\nid = \"a\"\nquery = \"q\"\n\
             [[{kind}]]\nname = \"other\"\nevery = \"1d\"\npath = \"{path}\"\n{what}\
             [[{kind}]]\nname = \"e\"\nevery = \"1d\"\n{what}{wrong}"
        );
        mistakes(load_config(&text)).into_iter().map(|m| m.message).collect::<Vec<_>>()
    };
    for (kind, path, what, key) in [
        ("exports", "exports/e-{date}.csv", "what = \"items\"\n", "mode"),
        ("reports", "reports/e-{date}", "", "window"),
    ] {
        let clash = of(kind, path, what, "");
        assert!(clash.len() == 1 && clash[0].contains("is already used by another"), "{clash:?}");
        let wrong = of(kind, path, what, &format!("{key} = \"x\"\n"));
        assert!(wrong.len() == 1 && wrong[0].starts_with(&format!("`{key}`")), "{wrong:?}");
    }
}

#[test]
fn a_syntax_error_hides_other_mistakes_only_if_the_rest_would_be_misread() {
    let text = "[service]\nbase_url = sandbox\nmax_tris = 3\n[[topics]]\nid = \"a\"\nquery = \"q\"\nwindow = \"24h\"\n";
    let lines: Vec<usize> = mistakes(load_config(text)).iter().filter_map(|m| Some(m.place.as_ref()?.line)).collect();
    assert_eq!(lines, [2, 3, 7]);
    let text = "[service]\nbase_url = \"sandbox\"\nmax_tris = 3\n[[topics]]\nid = \"a\"\nquery = \"q\"\nmust = [\"/\\d/\"]\nwindow = \"24h\"\n";
    let lines: Vec<usize> = mistakes(load_config(text)).iter().filter_map(|m| Some(m.place.as_ref()?.line)).collect();
    assert_eq!(lines, [3, 7, 8]);
    let text = "[service]\nbase_url = \"sandbox\"\n[[topics]]\nid = \"a\"\ntags = [\"x\",\nquery = \"q\"\n[[topics]]\nid = \"b\"\n";
    assert_eq!(errors_of(text).len(), 1, "{:#?}", errors_of(text));
    assert!(errors_of(text)[0].starts_with("5:8: this is never closed"), "{:#?}", errors_of(text));
    let reported = errors_of("[service]\nbase_url = \"\"\"sandbox\n[[topics]]\nid = \"a\"\n");
    assert!(reported.len() == 1 && reported[0].starts_with("2:12: this is never closed"), "{reported:#?}");
}

#[test]
fn mistakes_are_rendered_with_the_underlined_line_and_a_hint() {
    let error = load_config(
        "[service]\r\nbase_url = \"sandbox\" # 😀\r\n[[topics]]\r\nid = \"a\"\r\nquery = \"q\"\r\nweb = { \"😀\" = 1, limt = 5 }\r\n",
    );
    insta::assert_snapshot!(error.unwrap_err().render(false, 80), @r#"
    error: unknown key `web.😀` in [topics]
     --> jobs.toml:6:9
      |
    6 | web = { "😀" = 1, limt = 5 }
      |         ^^^^
      |
      = hint: its keys are web.query, web.limit, web.operation

    error: unknown key `web.limt` in [topics]
     --> jobs.toml:6:18
      |
    6 | web = { "😀" = 1, limt = 5 }
      |                   ^^^^
      |
      = hint: did you mean `web.limit`?
    "#);
}

#[test]
fn a_mistake_without_a_line_is_drawn_without_a_margin() {
    let searched = ["/conf/jobs.toml", "/etc/topicwatch/jobs.toml"].map(PathBuf::from).to_vec();
    let error = LoadError::NotFound { searched };
    insta::assert_snapshot!(error.render(false, 80), @r"
    error: no configuration found; looked for /conf/jobs.toml, /etc/topicwatch/jobs.toml
    hint: `topicwatch init` writes an annotated jobs.toml; --config names another file
    ");
    assert_eq!(error.render(true, 80).lines().count(), 2);
}

#[test]
fn the_hint_for_a_named_file_that_is_missing_names_this_file() {
    let error = LoadError::NotFound { searched: vec![PathBuf::from("/conf/my jobs.toml")] };
    insta::assert_snapshot!(error.render(false, 80), @r"
    error: no configuration found; looked for /conf/my jobs.toml
    hint: is the path right? `topicwatch init '/conf/my jobs.toml'` writes an annotated file there
    ");
}

#[test]
fn rendered_mistakes_escape_control_characters_and_hide_secrets() {
    let text = "[service]\nbase_url = \"sandbox\"\napi_key = \"hunter2\"\n\"b\\u001b[31m\\u202e\" = 1 # \u{202e}\u{9b}31m\n\
                [database]\nurl = \"mysql://me:hunter2@db/x\"\n[[topics]]\nid = \"\\u001b]0;x\\u0007\"\nquery = \"q\"\n";
    for color in [false, true] {
        let drawn = load_config(text).unwrap_err().render(color, 80);
        assert!(!drawn.contains("hunter2"), "{drawn}");
        assert!(!drawn.contains(['\u{202e}', '\u{9b}', '\u{7}']) && !drawn.contains("\u{1b}]"), "{drawn:?}");
        assert_eq!(drawn.contains('\u{1b}'), color);
    }
    let drawn = load_config("[service]\nbase_url = \"sandbox\"\ntoken = hunter2\n").unwrap_err().render(false, 80);
    assert!(!drawn.contains("hunter2"), "{drawn}");
    let one = with_env(
        &format!("[service]\nbase_url = \"sandbox\"\n{TOPIC}"),
        &[("TOPICWATCH_DATABASE_URL", "mysql://me:hunter2@db/x")],
        None,
    );
    assert!(!one.unwrap_err().render(false, 80).contains("hunter2"));
}

#[test]
fn a_schedule_rarer_than_its_window_is_a_warning_with_the_uncovered_hours() {
    let config = load_valid(&format!("[service]\nbase_url = \"sandbox\"\n{TOPIC}every = \"3d\"\n"));
    assert_eq!(config.warnings.len(), 1);
    assert!(
        config.warnings[0].starts_with("jobs.toml:6:9: ") && config.warnings[0].contains("48 h"),
        "{:?}",
        config.warnings
    );
    let drawn = render(&config.notices, false, 100);
    assert!(
        drawn.starts_with("warning: `every` runs less often than `window`") && drawn.contains("PAST_7_DAYS"),
        "{drawn}"
    );
    let wide =
        load_valid(&format!("[service]\nbase_url = \"sandbox\"\n{TOPIC}every = \"3d\"\nwindow = \"PAST_7_DAYS\"\n"));
    assert!(wide.warnings.is_empty());
}

/// A day with a clock change may be longer than a window of 24 hours. Calls that look back make up for it.
#[test]
fn a_clock_change_is_a_warning_only_where_no_call_looks_back_over_it() {
    let of = |dialect: &str, more: &str| {
        let daily = "schedule = \"0 7 * * *\"\ntimezone = \"Europe/Berlin\"\n";
        load_valid(&format!("[service]\nbase_url = \"sandbox\"\ndialect = \"{dialect}\"\n{TOPIC}{daily}{more}\n"))
            .warnings
    };
    for (dialect, more) in [
        ("desearch", ""),
        ("desearch", "social.operation = \"basic\""),
        ("spec", ""),
        ("desearch", "sources = [\"web\"]"),
    ] {
        assert_eq!(of(dialect, more), Vec::<String>::new(), "{dialect} {more}");
    }
    // The last two look back, but not over the whole gap.
    for (dialect, more) in [
        ("desearch", "social.operation = \"posts\""),
        ("desearch", "catch_up_window = \"25h\""),
        ("spec", "catch_up_window = \"1h\""),
    ] {
        let reported = of(dialect, more);
        assert_eq!(reported.len(), 1, "{dialect} {more}: {reported:?}");
        assert!(
            reported[0].contains("1 h") && reported[0].contains("2026-10-25") && reported[0].contains("UTC"),
            "{dialect} {more}: {reported:?}"
        );
        assert!(!reported[0].contains("rarer"), "{reported:?}");
    }
    // Gaps at weekends are not clock changes.
    let weekdays = "schedule = \"0 7 * * MON-FRI\"\ntimezone = \"Europe/Berlin\"\n";
    let reported = load_valid(&format!("[service]\nbase_url = \"sandbox\"\n{TOPIC}{weekdays}")).warnings;
    assert!(reported.len() == 1 && reported[0].contains("runs less often than `window`"), "{reported:?}");
}

#[test]
fn a_budget_alert_knows_the_least_price_of_each_source() {
    let topic = |id: &str, limit: u32| {
        format!("[[topics]]\nid = \"{id}\"\nquery = \"q\"\nsources = [\"web\", \"one\"]\none.limit = {limit}\n")
    };
    let file = format!(
        "[service]\nbase_url = \"https://s.example\"\nprices.web = 0.002\n\
         [providers.one]\nkind = \"spec-web\"\nbase_url = \"https://one.example\"\nkey_env = \"ONE\"\nprice.result = 0.0001\n\
         {}{}[[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"HOOK\"\n\
         [[alerts]]\nname = \"dear\"\nrule = \"budget\"\nchannels = [\"hook\"]\n",
        topic("long", 50),
        topic("short", 10)
    );
    let one = Source::parse("one").unwrap();
    assert_eq!(load_valid(&file).alerts[0].prices, [(Source::Web, 2_000), (one, 1_000)]);
}

#[test]
fn a_budget_alert_on_topics_without_limits_is_warned_about() {
    let warned = |topics: &str, of: &str| {
        let alert = format!("[[alerts]]\nname = \"dear\"\nrule = \"budget\"\n{of}\n");
        load_valid(&format!("[service]\nbase_url = \"sandbox\"\n{topics}{alert}")).warnings
    };
    let limited = "[[topics]]\nid = \"b\"\nquery = \"q\"\ntags = [\"t\"]\nmax_calls_per_day = 5\n";
    let both = format!("[[topics]]\nid = \"a\"\nquery = \"q\"\ntags = [\"t\"]\n{limited}");
    for of in ["", "topics = [\"b\"]", "tags = [\"t\"]", "topics = [\"a\", \"b\"]"] {
        assert_eq!(warned(&both, of), Vec::<String>::new(), "{of}");
    }
    let one = warned(&both, "topics = [\"a\"]");
    let expected =
        "jobs.toml:15:10: no topic of this alert has a limit of its own: it never fires (hint: set budget_per_day";
    assert!(one.len() == 1 && one[0].starts_with(expected), "{one:?}");
    // It is about the list that names topics.
    let by_tag = "[[topics]]\nid = \"a\"\nquery = \"q\"\ntags = [\"u\"]\n";
    let tagged = warned(by_tag, "topics = []\ntags = [\"u\"]");
    assert!(tagged.len() == 1 && tagged[0].starts_with("jobs.toml:11:8: no topic of this alert"), "{tagged:?}");
    // A limit of all topics counts.
    assert_eq!(warned(&format!("[defaults]\nbudget_per_day = 1\n{both}"), "topics = [\"a\"]"), Vec::<String>::new());
}

#[test]
fn variables_without_effect_are_warned_about() {
    let file = format!("[providers.hn]\nkind = \"hackernews\"\n[defaults]\nevery = \"1h\"\n{TOPIC}");
    let env = [
        ("TOPICWATCH_PROVIDERS_HN_MAX_TRIES", "2"),
        ("TOPICWATCH_DEFAULTS_WINDOW", "PAST_7_DAYS"),
        ("TOPICWATCH_LOG", "debug"),
        ("TOPICWATCH_DATABASE_URL", "sqlite:other.db"),
    ];
    let reported = with_env(&file, &env, None).unwrap().warnings;
    assert_eq!(reported.len(), 3, "{reported:?}");
    for (warning, (name, hint)) in reported.iter().zip([
        ("TOPICWATCH_DEFAULTS_WINDOW", "[service], [database], [scheduler], [retention] and [web]"),
        ("TOPICWATCH_LOG", "RUST_LOG"),
        ("TOPICWATCH_PROVIDERS_HN_MAX_TRIES", "[service], [database], [scheduler], [retention] and [web]"),
    ]) {
        assert!(warning.contains(&format!("{name} has no effect")) && warning.contains(hint), "{reported:?}");
    }
}

#[test]
fn a_variable_named_by_key_env_is_not_warned_about() {
    // The path of the second provider is also that of a call of the search service, which does not matter here.
    let file = format!(
        "[providers.sky]\nkind = \"bluesky\"\nuser = \"a.example\"\nkey_env = \"TOPICWATCH_SKY_KEY\"\n\
         [providers.sx]\nkind = \"searxng\"\nbase_url = \"https://a.example/web\"\n{TOPIC}"
    );
    let env = [("TOPICWATCH_SKY_KEY", "k"), ("TOPICWATCH_OTHER_TOKEN", "k")];
    let reported = with_env(&file, &env, None).unwrap().warnings;
    let [other] = reported.as_slice() else { panic!("{reported:?}") };
    assert!(
        other.contains("TOPICWATCH_OTHER_TOKEN has no effect") && other.contains("keys that end in `_env`"),
        "{other}"
    );
    assert!(!other.contains("TOPICWATCH_API_KEY"), "nothing reads it: {other}");
    let file = format!("[service]\nbase_url = \"sandbox\"\n{TOPIC}");
    let reported = with_env(&file, &env[1..], None).unwrap().warnings;
    assert!(reported.len() == 1 && reported[0].contains("read from TOPICWATCH_API_KEY"), "{reported:?}");
}

#[test]
fn flags_override_variables_which_override_the_file_and_origins_are_known() {
    let file =
        format!("[service]\nbase_url = \"sandbox\"\nmax_tries = 7\n[database]\nurl = \"sqlite:file.db\"\n{TOPIC}");
    let origin = |config: &Config, key: &str| {
        let effective = config.effective.iter().find(|e| e.key == key).unwrap();
        (effective.value.clone(), effective.origin.clone())
    };
    let plain = load_valid(&file);
    assert_eq!(origin(&plain, "service.max_tries"), ("7".into(), "jobs.toml:3".into()));
    assert_eq!(origin(&plain, "service.max_concurrent"), ("8".into(), "default".into()));
    assert_eq!(origin(&plain, "service.rate_limit"), ("\"unlimited\"".into(), "default".into()));
    assert_eq!(origin(&plain, "database.url"), ("\"sqlite:/conf/file.db\"".into(), "jobs.toml:5".into()));

    let env = [
        ("TOPICWATCH_DATABASE_URL", "postgres://me:hunter2@db/t"),
        ("TOPICWATCH_SERVICE_MAX_TRIES", "9"),
        ("TOPICWATCH_SERVICE_PRICES_AI", "0.01"),
        ("TOPICWATCH_SERVICE_PLATFORM", ""),
    ];
    let over = with_env(&file, &env, None).unwrap();
    assert_eq!(over.service.max_tries, 9);
    assert_eq!(over.service.platform, "X", "an empty variable counts as unset");
    assert_eq!(origin(&over, "service.prices.ai").1, "environment TOPICWATCH_SERVICE_PRICES_AI");
    assert_eq!(
        origin(&over, "database.url"),
        ("\"postgres://me:***@db/t\"".into(), "environment TOPICWATCH_DATABASE_URL".into())
    );
    assert!(!format!("{over:?}").contains("hunter2"));

    let flag = with_env(&file, &env, Some("sqlite:flag.db")).unwrap();
    assert_eq!(flag.database.url, "sqlite:/conf/flag.db");
    assert_eq!(origin(&flag, "database.url").1, "flag --database");
}

#[test]
fn a_variable_may_name_a_file_that_holds_the_value_but_not_both() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("url");
    std::fs::write(&path, "postgres://me:pw@db/t\n").unwrap();
    let path = path.to_str().unwrap();
    let file = format!("[service]\nbase_url = \"sandbox\"\n{TOPIC}");
    let config = with_env(&file, &[("TOPICWATCH_DATABASE_URL_FILE", path)], None).unwrap();
    assert_eq!(config.database.url, "postgres://me:pw@db/t");
    let env = [("TOPICWATCH_DATABASE_URL_FILE", path), ("TOPICWATCH_DATABASE_URL", "sqlite:x.db")];
    let both = mistakes(with_env(&file, &env, None));
    assert!(both[0].message.contains("both set") && both[0].place.is_none(), "{both:?}");
    let none = mistakes(with_env(&file, &[("TOPICWATCH_DATABASE_URL_FILE", "/nowhere/url")], None));
    assert!(none[0].message.contains("cannot be read"), "{none:?}");
}

#[test]
fn an_invalid_variable_is_named_and_a_misspelt_one_is_warned_about() {
    let file = format!("[service]\nbase_url = \"sandbox\"\n{TOPIC}");
    let wrong = mistakes(with_env(&file, &[("TOPICWATCH_SERVICE_MAX_TRIES", "many")], None));
    assert!(
        wrong[0].to_string().starts_with("environment TOPICWATCH_SERVICE_MAX_TRIES: `max_tries` takes an integer"),
        "{wrong:?}"
    );
    let typo = with_env(
        &file,
        &[
            ("TOPICWATCH_DATABSE_URL", "x"),
            ("TOPICWATCH_API_KEY", "k"),
            ("TOPICWATCH_FAR_AWAY", "y"),
            ("TOPICWATCH_SERVICE_API_KEY", "k"),
        ],
        None,
    )
    .unwrap();
    assert_eq!(typo.warnings.len(), 2, "{:?}", typo.warnings);
    assert!(typo.warnings[0].contains("did you mean `TOPICWATCH_DATABASE_URL`?"), "{:?}", typo.warnings);
}

#[test]
fn the_file_is_looked_for_in_the_documented_order() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let write = |at: &str, id: &str| {
        let path = root.join(at);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(
            &path,
            format!("\u{FEFF}[service]\nbase_url = \"sandbox\"\n[[topics]]\nid = \"{id}\"\nquery = \"q\"\n"),
        )
        .unwrap();
        path
    };
    let explicit = write("explicit/a.toml", "explicit");
    let named = write("named/b.toml", "named");
    std::fs::create_dir(root.join("here")).unwrap();
    let xdg = root.join("xdg").to_str().unwrap().to_owned();
    let found = |explicit: Option<&Path>, named: Option<&Path>, xdg: Option<&str>| {
        let look = |name: &str| match name {
            "TOPICWATCH_CONFIG" => named.map(|path| path.to_str().unwrap().to_owned()),
            "XDG_CONFIG_HOME" => xdg.map(str::to_owned),
            _ => None,
        };
        load(&LoadRequest {
            explicit: explicit.map(Path::to_path_buf),
            database_flag: None,
            database_option: "--database",
            env: &look,
            env_names: Vec::new(),
            cwd: root.join("here"),
            home: Some(root.join("home")),
            now: NOW,
            without_topics: false,
        })
    };
    let id = |result: Result<Config, LoadError>| result.unwrap().topics[0].id.clone();
    if !Path::new("/etc/topicwatch/jobs.toml").exists() {
        let none = found(None, None, Some(&xdg)).unwrap_err();
        let LoadError::NotFound { searched } = &none else { panic!("{none:?}") };
        assert_eq!(searched.len(), 3);
        let drawn = none.render(false, 200);
        assert!(drawn.contains("topicwatch init") && drawn.contains("/etc/topicwatch/jobs.toml"), "{drawn}");
    }
    write("home/.config/topicwatch/jobs.toml", "home");
    assert_eq!(id(found(None, None, None)), "home");
    assert_eq!(id(found(None, None, Some("relative/is/ignored"))), "home");
    write("xdg/topicwatch/jobs.toml", "xdg");
    assert_eq!(id(found(None, None, Some(&xdg))), "xdg");
    write("here/jobs.toml", "here");
    assert_eq!(id(found(None, None, Some(&xdg))), "here");
    assert_eq!(id(found(None, Some(&named), None)), "named");
    let config = found(Some(&explicit), Some(&named), None).unwrap();
    assert_eq!(config.topics[0].id, "explicit");
    assert_eq!(config.database.sqlite_path(), Some(root.join("explicit/topicwatch.db").as_path()));
    assert!(matches!(found(Some(&root.join("no.toml")), None, None), Err(LoadError::NotFound { .. })));
    assert!(matches!(found(Some(root), None, None), Err(LoadError::Unreadable { .. })), "a folder");
    std::fs::write(root.join("latin.toml"), b"a = 1\n# caf\xe9\n").unwrap();
    let latin = found(Some(&root.join("latin.toml")), None, None).unwrap_err().render(false, 200);
    assert!(latin.contains("not UTF-8 text: byte 11 (line 2)"), "{latin}");
    std::fs::write(root.join("big.toml"), vec![b'#'; 9 * 1024 * 1024]).unwrap();
    assert!(found(Some(&root.join("big.toml")), None, None).unwrap_err().to_string().contains("larger than"));
}

#[test]
fn the_key_comes_only_from_the_environment_or_a_private_file() {
    use secrecy::ExposeSecret as _;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    let mut service = load_valid(&format!("[service]\nbase_url = \"sandbox\"\n{TOPIC}")).service;
    let key = |service: &topicwatch::config::ServiceConfig, env: &[(&str, &str)]| {
        read_key(service, &|name| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
            .map(|key| key.expose_secret().to_owned())
    };
    let missing = key(&service, &[]).unwrap_err();
    assert!(missing.message.contains("TOPICWATCH_API_KEY") && missing.hint.contains("sandbox"), "{missing:?}");
    assert_eq!(key(&service, &[("TOPICWATCH_API_KEY", "a$b\n")]).unwrap(), "a$b");
    std::fs::write(&path, "from-file\r\n").unwrap();
    let shown = path.to_str().unwrap();
    assert_eq!(key(&service, &[("TOPICWATCH_API_KEY_FILE", shown)]).unwrap(), "from-file");
    assert!(key(&service, &[("TOPICWATCH_API_KEY", "a"), ("TOPICWATCH_API_KEY_FILE", shown)]).is_err());
    for bad in ["a\nhunter2", "hunter2\n\n", "hunter2 é", " hunter2", "   ", "a\u{7f}hunter2"] {
        let error = key(&service, &[("TOPICWATCH_API_KEY", bad)]).unwrap_err();
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
    service.api_key_file = Some(path.clone());
    assert_eq!(key(&service, &[("TOPICWATCH_API_KEY", "env-wins")]).unwrap(), "env-wins");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(key(&service, &[]).unwrap_err().hint.starts_with("chmod 600"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert_eq!(key(&service, &[]).unwrap(), "from-file");
}

#[test]
fn jobs_schema_json_is_current_and_the_example_matches_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs.schema.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, schema()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), schema(), "run the test with UPDATE_SCHEMA=1");
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let example: toml::Table = EXAMPLE.parse().unwrap();
    assert_matches_schema(&serde_json::to_value(example).unwrap(), &schema, "jobs.toml");
}

/// Validates the part of JSON Schema that the schema uses.
fn assert_matches_schema(value: &serde_json::Value, schema: &serde_json::Value, at: &str) {
    if let Some(choices) = schema["enum"].as_array() {
        assert!(choices.contains(value), "{at}: {value}");
        return;
    }
    match (schema["type"].as_str(), value) {
        (Some("object"), serde_json::Value::Object(members)) => {
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(members.contains_key(name.as_str().unwrap()), "{at} lacks {name}");
            }
            for (name, member) in members {
                let property = schema["properties"].get(name).unwrap_or_else(|| panic!("{at}.{name} is unknown"));
                assert_matches_schema(member, property, &format!("{at}.{name}"));
            }
        }
        (Some("array"), serde_json::Value::Array(items)) => {
            items.iter().for_each(|item| assert_matches_schema(item, &schema["items"], at));
        }
        (Some("integer"), serde_json::Value::Number(number)) => {
            assert!(
                number.as_i64() >= schema["minimum"].as_i64() && number.as_i64() <= schema["maximum"].as_i64(),
                "{at}"
            );
        }
        (Some("string"), serde_json::Value::String(_)) | (Some("boolean"), serde_json::Value::Bool(_)) => {}
        (kind, value) => panic!("{at}: {value} is not {kind:?}"),
    }
}

#[test]
fn a_file_with_thousands_of_mistakes_is_reported_within_limits() {
    let mut text = "[service]\n".to_owned();
    for n in 0..5_000 {
        text.push_str(&format!("x{n} = 1\n"));
    }
    let reported = mistakes(load_config(&text));
    assert_eq!(reported.len(), 201);
    assert!(reported.last().unwrap().message.contains("more mistakes"), "{:?}", reported.last());
    let line = format!("service = {{ {} }}\n", "a = b, ".repeat(20_000));
    assert!(load_config(&line).unwrap_err().to_string().contains("line 1 is longer than 64 KiB"));
    let nested = format!("[service]\nx = {}", "[".repeat(60_000));
    assert!(load_config(&nested).is_err());
}

#[test]
fn thousands_of_topics_are_read() {
    let mut text = "[service]\nbase_url = \"sandbox\"\n[defaults]\nschedule = \"0 * * * *\"\n".to_owned();
    for n in 0..3_000 {
        text.push_str(&format!("[[topics]]\nid = \"t{n}\"\nquery = \"q {n}\"\n"));
    }
    assert_eq!(load_valid(&text).topics.len(), 3_000);
}

#[test]
fn a_url_is_shown_without_its_password() {
    assert_eq!(redact_url("postgres://me:hunter2@db/t"), "postgres://me:***@db/t");
}

/// Random lines that are valid often enough to get past the parser.
fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(
        KEYS.iter()
            .map(|key| key.name)
            .chain(["x", "[service]", "[[topics]]", "[defaults]", "social"])
            .collect::<Vec<_>>(),
    );
    let value = prop_oneof![
        Just("\"q\"".to_owned()),
        Just("3".to_owned()),
        Just("[\"a\", 1]".to_owned()),
        Just("true".to_owned()),
        Just("1e400".to_owned()),
        Just("\"1h\"".to_owned()),
        Just("{ limit = 3 }".to_owned()),
        "\\PC{0,12}",
    ];
    (key, value, any::<bool>()).prop_map(|(key, value, header)| {
        if key.starts_with('[') && header { key.to_owned() } else { format!("{key} = {value}") }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn loading_any_text_never_panics_and_every_error_renders(text in prop_oneof![any::<String>(), prop::collection::vec(line(), 0..12).prop_map(|l| l.join("\n"))]) {
        if let Err(error) = load_config(&text) {
            let drawn = error.render(false, 80);
            prop_assert!(drawn.starts_with("error: "));
            prop_assert!(!drawn.chars().any(|c| c.is_control() && c != '\n'));
        }
    }
}

#[test]
fn only_a_worker_accepts_a_file_without_topics() {
    let text = "[service]\nbase_url = \"sandbox\"\n";
    let look = |_: &str| None;
    let request = |without_topics| LoadRequest {
        explicit: None,
        database_flag: None,
        database_option: "--database",
        env: &look,
        env_names: Vec::new(),
        cwd: PathBuf::from("/conf"),
        home: None,
        now: NOW,
        without_topics,
    };
    let load = |without_topics| load_text(text, Path::new("/conf/jobs.toml"), &request(without_topics));
    assert!(load(true).unwrap().topics.is_empty());
    assert!(load(false).unwrap_err().to_string().contains("there is no topic"));
}

#[test]
fn the_graphile_engine_is_refused_on_sqlite_and_where_it_is_not_built_in() {
    let file = |url: &str, engine: &str| {
        format!(
            "[service]\nbase_url = \"sandbox\"\n[database]\nurl = \"{url}\"\n[scheduler]\nengine = \"{engine}\"\n\
             [[topics]]\nid = \"acme\"\nquery = \"acme\"\n"
        )
    };
    let said = |url: &str, engine: &str| load_config(&file(url, engine)).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(said("sqlite:t.db", "local"), Ok(()));
    assert!(said("sqlite:t.db", "graphile").unwrap_err().contains("on SQLite"));
    assert!(said("sqlite:t.db", "graphite").unwrap_err().contains("graphile"));
    let there = said("postgres://me@db/t", "graphile");
    if topicwatch::store::GRAPHILE {
        assert_eq!(there, Ok(()));
    } else {
        assert!(there.unwrap_err().contains("built without it"));
    }
}
