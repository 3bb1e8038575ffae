"""Fills databases quickly with SQL: runs, items and sightings as if the program had stored them for months. It measures
nothing."""

import random
import sqlite3
import subprocess
from pathlib import Path

from .program import Bench, TOPICS, WORDS, psql

# Each topic runs four times a day and finds this many items each time.
SLOTS_APART = 86_400_000 // 4
A_RUN = 20


def fill(place: str, sightings: str, begin: int = 1_700_000_000_000) -> None:
    """Fills migrated tables: 20 sightings per run, four runs per day and topic, each item in about ten runs."""
    chance = random.Random(1)
    runs = int(sightings) // A_RUN
    met = 10
    db = sqlite3.connect(place, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    db.execute("BEGIN")
    db.executemany(
        "INSERT INTO job (id, kind, topic, title, tags, definition, generation, created_at) VALUES ('topic:' || ?1, 'topic', ?1, 'x', '[]', '{}', 1, 0)",
        [(f"topic-{n:03}",) for n in range(TOPICS)],
    )
    items, window = 0, {}
    for run in range(runs):
        topic = run % TOPICS
        at = begin + run // TOPICS * SLOTS_APART + topic * 7_000
        name = f"topic-{topic:03}"
        db.execute(
            "INSERT INTO run (id, public_id, job, topic, slot, trigger, state, due_at, planned_at, started_at, finished_at, seq) "
            "VALUES (?, ?, ?, ?, ?, 'scheduled', 'ok', ?, ?, ?, ?, ?)",
            (run + 1, f"topic:{name}@{at}", f"topic:{name}", name, at, at, at, at, at + 900, run + 1),
        )
        seen = window.setdefault(topic, [])
        fresh = A_RUN if not seen else A_RUN // met
        for _ in range(fresh):
            items += 1
            text = " ".join(chance.choices(WORDS, k=chance.randint(20, 60)))
            db.execute(
                "INSERT INTO item (id, key, kind, strong, post_id, url, author, text, published_at, first_seen, last_seen) "
                "VALUES (?, ?, 'post', 1, ?, ?, ?, ?, ?, ?, ?)",
                (items, f"post:x:{items + 10**18}", str(items + 10**18), f"https://x.com/someone_{items % 997}/status/{items + 10**18}",
                 f"someone_{items % 997}", text, at - 3_600_000, at, at),
            )
            db.execute("INSERT INTO topic_item (topic, item, first_seen, first_run, last_seen, last_run, times_seen) VALUES (?, ?, ?, ?, ?, ?, 1)", (name, items, at, run + 1, at, run + 1))
            seen.append(items)
        del seen[: max(0, len(seen) - A_RUN)]
        db.executemany(
            "INSERT INTO sighting (run, item, source, rank, fit, likes, reposts, replies, quotes, bookmarks, views) VALUES (?, ?, 'social', ?, 'in', ?, ?, ?, 0, 0, ?)",
            [(run + 1, item, rank, item % 90, item % 17, rank, item % 5000) for rank, item in enumerate(seen, 1)],
        )
    db.execute("INSERT OR REPLACE INTO store_info (name, value) VALUES ('nature', 'sandbox')")
    db.execute("COMMIT")
    db.close()


# A word in one of 1,000 items, and one close to the highest frequency at which the word index is still used.
RARE, SOME = "heliograph", "quagga"


def add_details(place: str, begin: int) -> None:
    """Adds what `fill` leaves out, so that pages have something to show: reactions, keys, searches, answers, failed and
    missed runs, files, words of different frequency. Marks derived data as not computed. One topic gets the runs of ten
    others, as if it ran every half hour."""
    db = sqlite3.connect(place, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA foreign_keys = OFF")
    last, = db.execute("SELECT max(seq) FROM run").fetchone()
    missed = range(1, max(2, last // 50))
    db.executescript(f"""BEGIN;
    UPDATE run SET topic = 'topic-000', job = 'topic:topic-000' WHERE topic >= 'topic-190';
    UPDATE topic_item SET topic = 'topic-000' WHERE topic >= 'topic-190';
    UPDATE topic_item SET times_seen = 10, last_run = min(first_run + 9 * {TOPICS}, {last}), last_seen = first_seen + 9 * {SLOTS_APART};
    UPDATE item SET likes = id % 90, reposts = id % 17, replies = id % 20, quotes = 0, bookmarks = 0, views = id % 5000,
        tone = CASE id % 3 WHEN 0 THEN 'negative' WHEN 1 THEN 'neutral' ELSE 'positive' END, score = id % 2000 - 1000, scorer = 'none',
        text = text || CASE WHEN id % 1000 = 0 THEN ' {RARE}' ELSE '' END || CASE WHEN id % 22 = 0 THEN ' {SOME}' ELSE '' END;
    UPDATE sighting SET likes = likes + (20 - rank) * 5 WHERE run > {last - 30 * TOPICS};
    INSERT INTO item_key (key, version, item) SELECT key, 1, id FROM item;
    UPDATE run SET found = {A_RUN}, new = {A_RUN // 10}, duplicate = {A_RUN - A_RUN // 10}, attempt = 1, cost = 300;
    INSERT INTO search (run, attempt, source, operation, query, state, http_status, tries, started_at, finished_at, latency_ms, found, new, duplicate, cost, cost_basis)
        SELECT r.id, 1, s.source, 'search', r.topic, s.state, 200, 1, r.started_at, r.finished_at, 300, s.found, s.new, s.found - s.new, 100, 'assumed'
        FROM run r CROSS JOIN (SELECT 'social' AS source, 'ok' AS state, {A_RUN} AS found, {A_RUN // 10} AS new UNION ALL SELECT 'web', 'ok', 5, 0 UNION ALL SELECT 'ai', 'ok', 4, 0) s;
    UPDATE search SET new = 1, duplicate = found - 1 WHERE source <> 'social' AND run / {TOPICS} % 8 = 0;
    INSERT INTO answer (run, text, model, partial, cited) SELECT id, 'What was said of it, in a few sentences. ' || hex(randomblob(300)), 'm', 0, '[]' FROM run WHERE (id - 1) / {TOPICS} % 4 = 0;
    UPDATE follower SET seq = {last} WHERE name = 'days';
    INSERT OR REPLACE INTO topic_day_due (topic, turn) SELECT id, 1 FROM topic;
    INSERT OR REPLACE INTO item_words_rules (version) VALUES (0);
    COMMIT""")
    db.execute("BEGIN")
    for number in missed:
        slot, topic = begin + number * 86_400_000 // 8 + 1, f"topic-{number % TOPICS:03}"
        state = ("failed", "missed", "missed", "over_quota")[number % 4]
        seq = last + number if state != "missed" else None
        db.execute(
            "INSERT INTO run (public_id, job, topic, slot, trigger, state, reason, due_at, planned_at, started_at, finished_at, seq) "
            "VALUES (?, ?, ?, ?, 'scheduled', ?, 'nobody was up', ?, ?, ?, ?, ?)",
            (f"topic:{topic}@{slot}", f"topic:{topic}", topic, slot, state, slot, slot, seq and slot, seq and slot, seq),
        )
    for number in range(4_000):
        at = begin + number * 3_600_000 // 4
        files = f'["/var/lib/topicwatch/daily-{number}.html"]'
        db.execute("INSERT INTO report (run, name, made_at, span_from, span_until, seq, subject, files) VALUES (?, 'report:daily', ?, ?, ?, ?, 'What a day brought', ?)",
                   (f"report:daily@{at}", at, at - 86_400_000, at, number, files))
        db.execute("INSERT INTO export_edition (export, number, run, at, seq_since, seq_until, definition, files, written, done_at) VALUES ('export:items', ?, ?, ?, 0, ?, '{}', ?, 100, ?)",
                   (number, f"export:items@{at}", at, number, files, at))
    for number in range(20_000):
        at, topic = begin + number * 600_000, f"topic-{number % TOPICS:03}"
        db.execute("INSERT INTO alert_event (event, alert, subject, kind, at, summary, lines, message) VALUES (?, ?, ?, ?, ?, 'more than usual', '[]', 'm')",
                   (f"alert:alert-{number % 9}/topic:{topic}@{at}/{topic}/fired", f"alert-{number % 9}", topic, ("fired", "recovered")[number % 2], at))
    db.execute("COMMIT")
    db.close()


def is_empty(place: str) -> bool:
    """Whether the database has no runs yet."""
    db = sqlite3.connect(f"file:{place}?mode=ro", uri=True)
    many, = db.execute("SELECT count(*) FROM (SELECT 1 FROM run LIMIT 1)").fetchone()
    db.close()
    return many == 0


def has_derived_work(place: str) -> bool:
    """Whether derived data still has to be computed."""
    db = sqlite3.connect(f"file:{place}?mode=ro", uri=True)
    many, = db.execute("SELECT (SELECT count(*) FROM topic_day_due) + (SELECT count(*) FROM item_words_due)").fetchone()
    version, = db.execute("SELECT max(version) FROM item_words_rules").fetchone()
    db.close()
    return many > 0 or version == 0


def copy_to_postgres(bench: Bench, place: Path, schema: str) -> None:
    """Copies the rows to PostgreSQL."""
    db = sqlite3.connect(place)
    for table in ("job", "run", "item", "topic_item", "sighting", "store_info"):
        names = ", ".join(name for _, name, *_ in db.execute(f"PRAGMA table_info({table})"))
        psql(bench, f"TRUNCATE {schema}.{table} CASCADE")
        dump = subprocess.Popen(["sqlite3", "-readonly", "-csv", str(place), f"SELECT {names} FROM {table}"], stdout=subprocess.PIPE)
        load = ["psql", bench.args.postgres, "-qc", f"\\copy {schema}.{table} ({names}) FROM STDIN CSV"]
        subprocess.run(load, stdin=dump.stdout, check=True)
    db.close()
    for table in ("run", "item", "topic_item", "sighting"):
        psql(bench, f"ANALYZE {schema}.{table}")


def set_queries(place: str) -> None:
    """Gives past searches the topics' present queries; otherwise all queries would have changed today."""
    db = sqlite3.connect(place, isolation_level=None)
    db.execute("""UPDATE search SET query = coalesce((SELECT coalesce(json_extract(t.definition, '$.' || search.source || '.query'),
        json_extract(t.definition, '$.ai.prompt')) FROM run r JOIN topic t ON t.id = r.topic WHERE r.id = search.run), query)""")
    db.close()
