//! Examples at the end of each `--help`.

pub(super) const TOP: &str = "\
Examples:
  topicwatch init                       write an annotated jobs.toml
  topicwatch once                       run every topic now
  topicwatch show acme-launches --md    what the last run saw, ready to paste
  topicwatch export --out items.csv     everything found, as CSV
  topicwatch run                        run every topic at its slots

Exit codes:
  0 ok · 2 usage or configuration · 3 some searches failed (the rest is stored)
  4 database · 5 output · 130 interrupted · 1 anything else";
pub(super) const INIT: &str = "\
Examples:
  topicwatch init
  topicwatch init ~/.config/topicwatch/jobs.toml";
pub(super) const CHECK: &str = "\
Examples:
  topicwatch check
  topicwatch check --probe              is the key accepted?
  topicwatch check --schema > jobs.schema.json";
pub(super) const TRY: &str = "\
Examples:
  topicwatch try \"rust async runtime\"
  topicwatch try --source web --json \"rust async runtime\"

Its calls are not counted against max_calls_per_day: nothing is stored.";
pub(super) const PLAN: &str = "\
Examples:
  topicwatch plan                       the next 7 days
  topicwatch plan --days 30 --topic acme-launches
  topicwatch plan --json | jq .quota

Calls nobody and writes nothing. Prices are the average of what was billed
in the last 30 days, else those of jobs.toml.";
pub(super) const SCHEDULE: &str = "\
Examples:
  topicwatch schedule next '30 2 * * *' --timezone Europe/Berlin
  topicwatch schedule explain acme-launches";
pub(super) const SCHEDULE_NEXT: &str = "\
Examples:
  topicwatch schedule next '0 9 * * MON-FRI' --timezone America/New_York
  topicwatch schedule next @hourly --after 2026-03-28 --count 48 --json
  topicwatch schedule next --every 15m

No configuration is needed or read.";
pub(super) const SCHEDULE_EXPLAIN: &str = "\
Examples:
  topicwatch schedule explain acme-launches --next 10
  topicwatch schedule explain acme-launches --json";
pub(super) const ONCE: &str = "\
Examples:
  topicwatch once
  topicwatch once --topic acme-launches --topic rust-async
  topicwatch once --dry-run             what would be asked, and its price
  0 * * * * topicwatch once --due       in a crontab; two at once are safe";
pub(super) const RUN: &str = "\
Examples:
  topicwatch run
  topicwatch run --log-format json

SIGTERM and Ctrl-C let running topics finish and exit with 0;
a second one exits at once. A changed file is taken over by itself and at
SIGHUP, all or nothing: one with a mistake changes nothing.";
pub(super) const PAUSE: &str = "\
Examples:
  topicwatch pause acme-launches
  topicwatch pause acme-launches rust-async --reason \"until the fair is over\"";
pub(super) const RESUME: &str = "\
Examples:
  topicwatch resume acme-launches

`paused = true` in the file wins: then this says so and exits with 3.";
pub(super) const RUN_NOW: &str = "\
Examples:
  topicwatch run-now acme-launches
  topicwatch run-now acme-launches rust-async --wait

Without a daemon: topicwatch once --topic acme-launches";
pub(super) const TOPIC: &str = "\
Examples:
  topicwatch topic rename acme-launches acme-news

Runs keep their public ids. The file is not edited: change the id there too.";
pub(super) const WORKER: &str = "\
Examples:
  topicwatch worker --database postgres://watch@db.example/findings
  topicwatch worker --log-format json

It plans nothing and reads no topics: a daemon does that, here or elsewhere.
SIGTERM and Ctrl-C as for run.";
pub(super) const STATUS: &str = "\
Examples:
  topicwatch status
  topicwatch status --fail-on stale,silent
  topicwatch status --json | jq '.topics[] | select(.standing != \"ok\")'";
pub(super) const RUNS: &str = "\
Examples:
  topicwatch runs
  topicwatch runs --topic acme-launches --since 7d --searches";
pub(super) const SHOW: &str = "\
Examples:
  topicwatch show acme-launches
  topicwatch show acme-launches --md | less
  topicwatch show acme-launches --run topic:acme-launches@2026-03-11T06:00:00Z";
pub(super) const DIFF: &str = "\
Examples:
  topicwatch diff acme-launches         against the run before
  topicwatch diff acme-launches --since 24h
  topicwatch diff acme-launches --since 2026-03-11T06:00:00Z --json

Words: docs/explanation/changes.md. The first answers to a query are a baseline, not new.";
pub(super) const FILTER: &str = "\
Examples:
  topicwatch filter test acme-launches        file against what is in force
  topicwatch filter test acme-launches --exclude hiring --exclude '/\\bjobs?\\b/'

Entries: whole words, part*, one | other, /pattern/ (docs/explanation/changes.md).";
pub(super) const ITEMS: &str = "\
Examples:
  topicwatch items --new-since 24h
  topicwatch items --topic acme-launches --json";
pub(super) const SEARCH: &str = "\
Examples:
  topicwatch search price increase              both words
  topicwatch search '\"price increase\" -rumour'  a phrase, and not that word
  topicwatch search '#acme launch*' --topic acme-launches --since 7d --json

Case and accents do not matter; #tag and @name are found with and without their
sign. Everything else is text. Words: docs/reference/search.md.";
pub(super) const COVERAGE: &str = "\
Examples:
  topicwatch coverage
  topicwatch coverage acme-launches --since 30d --source social
  topicwatch coverage --json | jq '.topics[].sources[].holes'

Social searches cover spans; pages and answers are checks at an instant.";
pub(super) const BACKFILL: &str = "\
Examples:
  topicwatch backfill acme-launches --from 2026-03-01 --to 2026-03-07 --dry-run
  topicwatch backfill acme-launches --from 2026-03-05 --to 2026-03-05

One run a day; each call is counted against max_calls_per_day. It needs calls
that take dates: dialect \"desearch\", or social.operation = \"basic\".";
pub(super) const REPORT: &str = "\
Examples:
  topicwatch report --open
  topicwatch report morning --date 2026-03-11
  topicwatch report --date 2026-03-11 --out day.html
  topicwatch report --out - | wc -c
  topicwatch report --out day.md --topic acme-launches

Without --date it is about the last whole day. HTML or Markdown by the ending of
--out; - is HTML on stdout.";
pub(super) const EXPORT: &str = "\
Examples:
  topicwatch export --out items.csv
  topicwatch export --what sightings --since 7d --out sightings.csv.gz
  topicwatch export --out items.xlsx
  topicwatch export --format atom --topic acme-launches --out acme.xml
  topicwatch export --what new --tag launches --out launches.jsonl
  topicwatch export --profile excel --out for-the-boss.csv
  topicwatch export --verify exports/sightings-20260311T090000Z.csv

Columns, and which filters go with which rows: docs/reference/exports.md.";
pub(super) const SCORE: &str = "\
Examples:
  echo \"what a wonderful release\" | topicwatch score
  topicwatch score posts.txt | jq -r .label | sort | uniq -c

Label, score from -1 to 1, probabilities, language and the scorer's version;
a text in a language the scorer does not know, or with nothing to read, gets the
label unsupported, without score.
No configuration is needed or read. What it is worth: docs/explanation/sentiment.md.";
pub(super) const RESCORE: &str = "\
Examples:
  topicwatch rescore --dry-run          what a new scorer would change
  topicwatch rescore
  topicwatch rescore --topic acme-launches --json

After an update with a new scorer. A few hundred items at a time, beside a
running daemon; interrupted, it goes on where it stopped.";
pub(super) const REPLAY: &str = "\
Examples:
  topicwatch replay --dry-run           what this version would find more
  topicwatch replay --since 7d
  topicwatch replay --topic acme-launches --json

After an update with a better decoder. Nothing found is taken away, no first
sight moves, and doing it twice changes nothing the second time.";
pub(super) const FORGET: &str = "\
Examples:
  topicwatch forget --author jane_d --dry-run
  topicwatch forget --author jane_d --yes
  topicwatch forget --item post:x:1541815603606036480 --yes
  topicwatch forget --topic acme-launches --yes
  topicwatch forget --resume            after an interruption or a restore

What is left is a keyed hash, which keeps it out. What it does not reach:
docs/explanation/privacy.md.";
pub(super) const PRUNE: &str = "\
Examples:
  topicwatch prune --dry-run            what would go, table by table
  topicwatch prune

A daemon, and `once --due`, do so once a day. Beside a running daemon, a few
rows at a time; interrupted, nothing is lost, and the next one goes on.";
pub(super) const BACKUP: &str = "\
Examples:
  topicwatch backup topicwatch-backup.db
  topicwatch backup \"/backup/$(date +%F).db\" --json

The copy is a SQLite file, whatever the database is, and works as one. A file
that was there is replaced when the copy is whole. To restore it into
PostgreSQL: topicwatch db move --database sqlite:FILE --to postgres://…";
pub(super) const DB: &str = "\
Examples:
  topicwatch db move --to postgres://watch@db.example/findings
  topicwatch db move --database sqlite:topicwatch.db --to sqlite:other.db

Nothing may run on the source meanwhile. Every table is compared by its rows
and a hash. Interrupted, the same command goes on; until it is done, nobody
can open the target. The source stays as it is.";
pub(super) const SERVE: &str = "\
Examples:
  topicwatch serve                      http://127.0.0.1:8080
  topicwatch serve --listen 127.0.0.1:0
  TOPICWATCH_WEB_TOKEN=… topicwatch serve --listen 192.168.1.5:8080

Changes nothing, and may stand beside `topicwatch run`, which serves the
same pages with buttons when [web] listen is set. An address that others
reach needs a token of 16 characters or more.";
pub(super) const HEALTH: &str = "\
Examples:
  topicwatch health
  topicwatch health --json --timeout 2s
  topicwatch health --url http://127.0.0.1:8080

For HEALTHCHECK of a container: asks /healthz and /readyz of [web] listen, or
the database where no pages are served. 0 healthy, 1 not alive, 4 the database
is away or nothing can be stored in it.";
pub(super) const MIGRATE: &str = "\
Examples:
  topicwatch migrate
  topicwatch migrate --database postgres://watch@db.example/findings";
pub(super) const SANDBOX: &str = "\
Examples:
  topicwatch sandbox --listen 127.0.0.1:0
  topicwatch sandbox --corpus ./posts --span 14d
  topicwatch sandbox --fault source=web,status=503,times=2";
pub(super) const COMPLETIONS: &str = "\
Examples:
  topicwatch completions bash > /etc/bash_completion.d/topicwatch
  topicwatch completions fish > ~/.config/fish/completions/topicwatch.fish";
pub(super) const ALERTS: &str = "\
Examples:
  topicwatch alerts
  topicwatch alerts test recalls            does a message arrive?
  topicwatch alerts backtest recalls --days 30
  topicwatch alerts ack recalls
  topicwatch alerts snooze recalls --for 8h

How to write one, and when it fires: docs/how-to/alerts.md.";
pub(super) const OUTBOX: &str = "\
Examples:
  topicwatch outbox
  topicwatch outbox list --state dead
  topicwatch outbox show report:daily@2026-11-21T06:00:00Z/team
  topicwatch outbox retry --dead
  topicwatch outbox drop --dead         nobody gets them any more
  topicwatch outbox deliver             now, without a daemon";
