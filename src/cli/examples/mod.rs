//! The examples at the end of each `--help`. Read verbs are in `look`, alerts and messages in `deliver`.

mod deliver;
mod look;

pub(in crate::cli) use deliver::*;
pub(in crate::cli) use look::*;

pub(in crate::cli) const TOP: &str = "\
Every command has --help with examples. Old names such as `pause` still work.

Exit codes:
  0 ok · 2 usage or configuration · 3 some searches failed (the rest is stored)
  4 database · 5 output · 130 interrupted · 1 anything else";
pub(in crate::cli) const INIT: &str = "\
Examples:
  topicwatch init
  topicwatch init ~/.config/topicwatch/jobs.toml";
pub(in crate::cli) const IMPORT: &str = "\
Examples:
  topicwatch topic import feeds.opml --config feeds.toml
  topicwatch topic import --print urls.yaml   # preview the topics

Appends to jobs.toml and leaves the rest unchanged; feeds that are already
watched are skipped. A folder becomes a topic. Pages that are not feeds cannot
be watched, and are listed.";
pub(in crate::cli) const CHECK: &str = "\
Examples:
  topicwatch check
  topicwatch check --probe              # is the key accepted?
  topicwatch check --schema > jobs.schema.json";
pub(in crate::cli) const TRY: &str = "\
Examples:
  topicwatch try \"rust async runtime\"
  topicwatch try --source web --json \"rust async runtime\"

Nothing is stored, so its calls do not count against max_calls_per_day. The
service may still bill them.";
pub(in crate::cli) const PLAN: &str = "\
Examples:
  topicwatch plan                       # the next 7 days
  topicwatch plan --days 30 --topic acme-launches
  topicwatch plan --json | jq .quota

Makes no calls and writes nothing. Prices are the average of what was billed in
the last 30 days, or those in jobs.toml.";
pub(in crate::cli) const SCHEDULE: &str = "\
Examples:
  topicwatch topic schedule next '30 2 * * *' --timezone Europe/Berlin
  topicwatch topic schedule explain acme-launches";
pub(in crate::cli) const SCHEDULE_NEXT: &str = "\
Examples:
  topicwatch topic schedule next '0 9 * * MON-FRI' --timezone America/New_York
  topicwatch topic schedule next @hourly --after 2026-03-28 --count 48 --json
  topicwatch topic schedule next --every 15m

Reads no configuration.";
pub(in crate::cli) const SCHEDULE_EXPLAIN: &str = "\
Examples:
  topicwatch topic schedule explain acme-launches --next 10
  topicwatch topic schedule explain acme-launches --json";
pub(in crate::cli) const ONCE: &str = "\
Examples:
  topicwatch once
  topicwatch once --topic acme-launches --topic rust-async
  topicwatch once --dry-run             # the requests and their price
  # For a crontab, which knows neither PATH nor your folder; overlap is safe:
  0 * * * * /usr/bin/topicwatch --config /etc/topicwatch/jobs.toml once --due";
pub(in crate::cli) const RUN: &str = "\
Examples:
  topicwatch run
  topicwatch run --log-format json
  topicwatch run --worker               # on PostgreSQL, for more throughput

On SIGTERM or Ctrl-C, running topics finish and it exits with 0; a second one
exits at once. A changed file is reloaded automatically and on SIGHUP; a file
with mistakes is rejected.";
pub(in crate::cli) const PAUSE: &str = "\
Examples:
  topicwatch topic pause acme-launches
  topicwatch topic pause acme-launches rust-async --reason \"after the fair\"";
pub(in crate::cli) const RESUME: &str = "\
Examples:
  topicwatch topic resume acme-launches

If the file has `paused = true`, the topic stays paused and this exits with 3.";
pub(in crate::cli) const RUN_NOW: &str = "\
Examples:
  topicwatch topic run acme-launches
  topicwatch topic run acme-launches rust-async --wait

Without a daemon: topicwatch once --topic acme-launches";
pub(in crate::cli) const TOPIC: &str = "\
Examples:
  topicwatch topic pause acme-launches --reason \"until the fair is over\"
  topicwatch topic resume acme-launches
  topicwatch topic run acme-launches --wait
  topicwatch topic schedule explain acme-launches";
pub(in crate::cli) const WORKER: &str = "\
Examples:
  topicwatch run --worker --database postgres://watch@db.example/findings
  topicwatch run --worker --log-format json

A worker does not plan runs or read topics; a daemon, here or elsewhere, does.
SIGTERM and Ctrl-C work as for run.";
pub(in crate::cli) const BACKFILL: &str = "\
Examples:
  topicwatch topic backfill acme --from 2026-03-01 --to 2026-03-07 --dry-run
  topicwatch topic backfill acme --from 2026-03-05 --to 2026-03-05

One run per day; each call counts against max_calls_per_day. It needs calls that
accept dates: dialect \"desearch\" (without social.operation = \"posts\"), or
social.operation = \"basic\".";
pub(in crate::cli) const REPORT: &str = "\
Examples:
  topicwatch report --open
  topicwatch report morning --date 2026-03-11
  topicwatch report --date 2026-03-11 --out day.html
  topicwatch report --week 2026-W12
  topicwatch report --month 2026-03 --timezone Europe/Berlin
  topicwatch report --out - > day.html
  topicwatch report --out day.md --topic acme-launches

Without a period it covers the last complete day, or the report's window. The
extension of --out selects HTML or Markdown; - writes HTML to stdout.";
pub(in crate::cli) const EXPORT: &str = "\
Examples:
  topicwatch export --out items.csv
  topicwatch export --what sightings --since 7d --out sightings.csv.gz
  topicwatch export --out items.xlsx
  topicwatch export --format atom --topic acme-launches --out acme.xml
  topicwatch export --what new --tag competitor --out new.jsonl
  topicwatch export --profile excel --out for-the-boss.csv
  topicwatch export --verify exports/sightings-20260311T090000Z.csv

Columns, and the filters for each kind of row: docs/reference/exports.md.";
pub(in crate::cli) const SCORE: &str = "\
Examples:
  echo \"what a wonderful release\" | topicwatch score
  topicwatch score posts.txt | jq -r .label | sort | uniq -c

Prints label, score from -1 to 1, probabilities, language and scorer version. A
text in an unsupported language, or with nothing to score, gets the label
unsupported and no score.
Reads no configuration. Accuracy: docs/explanation/sentiment.md.";
pub(in crate::cli) const RESCORE: &str = "\
Examples:
  topicwatch db rescore --dry-run       # what a new scorer would change
  topicwatch db rescore
  topicwatch db rescore --topic acme-launches --json

Use it after an update with a new scorer. It works in batches of a few hundred
items and can run beside a daemon; run it again after an interruption.";
pub(in crate::cli) const REPLAY: &str = "\
Examples:
  topicwatch db replay --dry-run        # what this version would add
  topicwatch db replay --since 7d
  topicwatch db replay --topic acme-launches --json

Use it after an update with a better decoder. It removes nothing and changes no
first sighting; a second replay changes nothing.";
pub(in crate::cli) const FORGET_USAGE: &str = "\
topicwatch db forget [OPTIONS] --author <HANDLE>|--item <KEY>
       topicwatch db forget [OPTIONS] --topic <ID>|--resume
       topicwatch db forget [OPTIONS] --export <FILE>|--import <FILE>";
pub(in crate::cli) const FORGET: &str = "\
Examples:
  topicwatch db forget --author jane_d --dry-run
  topicwatch db forget --author jane_d --yes
  topicwatch db forget --item post:x:1541815603606036480 --yes
  topicwatch db forget --topic acme-launches --yes
  topicwatch db forget --resume            # after an interruption or a restore

Only a keyed hash remains, which keeps the erased data out. What it does not
reach: docs/explanation/privacy.md.";
pub(in crate::cli) const PRUNE: &str = "\
Examples:
  topicwatch db prune --dry-run         # what would be deleted, by table
  topicwatch db prune

By default the daemon and `once --due` prune once a day. It works in small
batches and can run beside a daemon; run it again after an interruption.";
pub(in crate::cli) const BACKUP: &str = "\
Examples:
  topicwatch db backup topicwatch-backup.db
  topicwatch db backup \"/backup/$(date +%F).db\" --json

The copy is a SQLite database, even for PostgreSQL, and can be used directly. An
older backup of the same database is replaced once the copy is complete; no
other file is replaced. To restore it into PostgreSQL:
topicwatch db move --database sqlite:FILE --to postgres://…";
pub(in crate::cli) const DB: &str = "\
Examples:
  topicwatch db backup topicwatch-backup.db
  topicwatch db move --to postgres://watch@db.example/findings
  topicwatch db prune --dry-run";
pub(in crate::cli) const MCP: &str = "\
Examples:
  topicwatch mcp --config /etc/topicwatch/jobs.toml
  claude mcp add topicwatch -- topicwatch mcp --config /etc/topicwatch/jobs.toml

An MCP client starts it; docs/how-to/mcp.md shows the client's configuration. It
writes nothing and can run beside `topicwatch run`, which serves the same at
/mcp if [web] listen is set.";
pub(in crate::cli) const SERVE: &str = "\
Examples:
  topicwatch serve                      # http://127.0.0.1:8080
  topicwatch serve --listen 127.0.0.1:0
  TOPICWATCH_WEB_TOKEN=… topicwatch serve --listen 192.168.1.5:8080

Read-only unless [web] edit = true. It can run beside `topicwatch run`, which
serves the same pages, with buttons, if [web] listen is set. An address that
others can reach needs a token of at least 16 characters.";
pub(in crate::cli) const HEALTH: &str = "\
Examples:
  topicwatch health
  topicwatch health --json --timeout 2s
  topicwatch health --url http://127.0.0.1:8080

For a container's HEALTHCHECK. It requests /healthz and /readyz at [web] listen,
or checks the database if `run` serves no pages there. Exits with 0 if healthy,
1 if not alive, 4 if the database is down or cannot be written to.";
pub(in crate::cli) const MIGRATE: &str = "\
Examples:
  topicwatch db migrate
  topicwatch db migrate --database postgres://watch@db.example/findings";
pub(in crate::cli) const SANDBOX: &str = "\
Examples:
  topicwatch sandbox --listen 127.0.0.1:0
  topicwatch sandbox --corpus ./posts --span 14d
  topicwatch sandbox --fault source=web,status=503,times=2";
pub(in crate::cli) const COMPLETIONS: &str = "\
Examples:
  topicwatch completions bash > /etc/bash_completion.d/topicwatch
  topicwatch completions fish > ~/.config/fish/completions/topicwatch.fish";
pub(in crate::cli) const MAN: &str = "\
Examples:
  topicwatch man man1                   # read with: man ./man1/topicwatch.1";
pub(in crate::cli) const RENAME: &str = "\
Examples:
  topicwatch topic rename acme-launches acme-news

Runs keep their public ids. The file is not edited: change the id there too.";
pub(in crate::cli) const MOVE: &str = "\
Examples:
  topicwatch db move --to postgres://watch@db.example/findings
  topicwatch db move --database sqlite:topicwatch.db --to sqlite:other.db

First stop everything that uses the source. Every table is compared by row count
and hash. After an interruption, run the same command to continue; until it is
done, the target cannot be opened. The source is not changed.";
