"""Our CSV against readers that others wrote: every cell of every export, in both profiles, read by Python's csv and by
pandas, is compared with what the database itself says by SQL. The findings are the sandbox's own, real posts (from the
folder TOPICWATCH_TEST_DATA, when it is set) and a fake service's naughty texts."""

import csv
import datetime
import http.server
import io
import json
import os
import pathlib
import threading
import uuid

import pandas

from harness import Checks, House, postgres, sandbox

try:
    import psycopg
except ImportError:
    psycopg = None

check = Checks("tables")
SERVER = {"url": None}
AT = "2026-03-11T09:00:00Z"
WHATS = ["items", "sightings", "answers", "runs"]
COUNTS = ["likes", "reposts", "replies", "quotes", "bookmarks", "views"]
TIMES = {
    "published_at", "first_seen", "last_seen", "seen_at", "asked_at", "slot", "started_at", "finished_at", "pruned_at", "starred_at",
}
FLAGS = {"is_repost", "is_quote", "is_new", "partial", "thinned"}
# Columns in words from anywhere, which `excel` guards, and ids, which it keeps from becoming numbers.
TEXTS = {
    "topic", "run", "key", "url", "author", "author_name", "title", "text", "lang", "first_run", "last_run", "model",
    "cited", "reason", "error_class", "error_text", "conversation_id", "cluster", "scorer", "note",
}
GUARDED = tuple("=+-@|%\t\r\n＝＋－＠'")
BLANKS = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

MARK = "(SELECT m.mark FROM item_mark m WHERE m.topic = t.topic AND m.item = i.id) AS mark"
NATURE = "SELECT value FROM store_info WHERE name = 'nature'"
# Below 20 marks, nothing is learned from them: `relevance` is empty.
# What each export must hold, by the tables and not by the program's own statements or views.
SQL = {
    "items": f"""
        SELECT t.topic, i.key, i.kind, i.url, i.author, i.author_name, i.title, i.text, i.lang, i.published_at,
               t.first_seen, f.public_id AS first_run, t.last_seen, l.public_id AS last_run, t.times_seen, i.is_repost,
               i.is_quote, i.conversation_id, {", ".join("i." + name for name in COUNTS)}, i.revisions,
               (SELECT c.key FROM item c WHERE c.id = i.cluster) AS cluster, i.tone, i.score, i.scorer, i.pruned_at,
               {MARK}, NULL AS relevance, (SELECT b.at FROM item_star b WHERE b.item = i.id) AS starred_at,
               (SELECT n.note FROM item_note n WHERE n.item = i.id) AS note
        FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run JOIN run l ON l.id = t.last_run""",
    "sightings": f"""
        SELECT r.public_id AS run, r.topic, r.started_at AS seen_at, s.source, s.rank, i.key, i.kind, s.fit,
               CASE WHEN t.first_run = r.id THEN 1 ELSE 0 END AS is_new, i.published_at, i.url, i.author, i.title, i.text,
               {", ".join("s." + name for name in COUNTS)},
               CASE WHEN s.source IN ('social', 'web', 'ai') THEN 'service' ELSE s.source END AS provider, {MARK}, NULL AS relevance
        FROM sighting s JOIN run r ON r.id = s.run JOIN item i ON i.id = s.item
             JOIN topic_item t ON t.topic = r.topic AND t.item = i.id""",
    "answers": """
        SELECT r.public_id AS run, r.topic, r.started_at AS asked_at, a.model, a.partial, a.text, a.cited
        FROM answer a JOIN run r ON r.id = a.run""",
    "runs": """
        SELECT public_id AS run, topic, trigger, state, reason, slot, started_at, finished_at, attempt, found, new,
               duplicate, outside, undated, unreadable, cost AS cost_usd, error_class, error_text,
               coalesce(thinned, 0) AS thinned, (
                   SELECT CAST(coalesce(sum(coalesce(s.cost, s.expected_cost)), 0) AS BIGINT) FROM search s
                   WHERE s.run = run.id AND s.tries > 0 AND (s.cost_basis = 'assumed' OR s.cost IS NULL)
               ) AS assumed_usd
        FROM run""",
}


def cell(column, value):
    """How a value of the database must be written."""
    if column == "cited":
        return " ".join(json.loads(value))
    if value is None:
        return ""
    if column in ("cost_usd", "assumed_usd"):
        return f"{value // 1_000_000}.{value % 1_000_000:06}"
    if column == "score":
        return f"{'-' if value < 0 else ''}{abs(value) // 1000}.{abs(value) % 1000:03}"
    if column in TIMES:
        at = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=value)
        return at.isoformat(timespec="milliseconds") + "Z"
    if column in FLAGS:
        return "true" if value else "false"
    return str(value)


def compare(house, what, rows, nature, where):
    """One export in both profiles against the database's rows."""
    exports = {}
    for profile in ("machine", "excel"):
        done = house.run("export", "--what", what, "--profile", profile, text=False)
        check.equal(done.returncode, 0, f"{where}: export of {what} ({done.stderr[-300:]!r})")
        path = house.folder / f"{what}-{profile}.csv"
        to_file = house.run("export", "--what", what, "--profile", profile, "--out", str(path))
        check(to_file.returncode == 0 and path.read_bytes() == done.stdout, f"{where}: {what} to a file differs")
        exports[profile] = done.stdout
    # The last column says of every row whether it is invented.
    rows = [row | {"origin": {"sandbox": "SANDBOX", "real": "service", None: ""}[nature]} for row in rows]
    expected = sorted(tuple(cell(column, value) for column, value in row.items()) for row in rows)
    # "new" is a flag of a sighting and a count of a run.
    columns = [column.removeprefix("is_") if column == "is_new" else column for column in rows[0]] if rows else None
    machine, excel = exports["machine"], exports["excel"]

    check(not machine.startswith(b"\xef\xbb\xbf") and excel.startswith(b"\xef\xbb\xbf"), f"{where}: {what}: byte order marks")
    header, *read = csv.reader(io.StringIO(machine.decode("utf-8"), newline=""), strict=True)
    check(columns is None or header == columns, f"{where}: {what}: columns {header}")
    matches(sorted(map(tuple, read)), expected, f"{where}: {what} by csv")
    options = {"dtype": str, "keep_default_na": False}
    for engine in ("c", "python"):
        frame = pandas.read_csv(io.BytesIO(machine), engine=engine, **options)
        matches(sorted(frame.itertuples(index=False, name=None)), expected, f"{where}: {what} by pandas, engine {engine}")
    for column in TIMES & set(header):
        times = pandas.to_datetime(frame[column])
        given = frame[column] != ""
        back = [at.isoformat(timespec="milliseconds").replace("+00:00", "Z") for at in times[given]]
        check(times.isna().equals(~given) and back == list(frame[column][given]), f"{where}: {what}.{column} as times")
    # Read without care, numbers must still be numbers.
    plain = pandas.read_csv(io.BytesIO(machine))
    for column in set(COUNTS + ["rank", "times_seen", "found", "attempt", "cost_usd"]) & set(header):
        check(plain[column].dtype.kind in "if", f"{where}: {what}.{column} is read as {plain[column].dtype}")

    excel_header, *excel_rows = csv.reader(io.StringIO(excel.decode("utf-8-sig"), newline=""), strict=True)
    check.equal(excel_header, header, f"{where}: {what}: columns of the two profiles")
    stripped = []
    for row in excel_rows:
        for column, value in zip(header, row):
            if column in TEXTS:
                check(not value.startswith(GUARDED[:-1]), f"{where}: {what}.{column} is a formula: {value[:40]!r}")
            else:
                check(not value.startswith("'"), f"{where}: {what}.{column} is guarded and should not be: {value[:40]!r}")
            if column == "conversation_id":
                check(not value.isdecimal(), f"{where}: the id {value} would become a number")
        stripped.append([
            value[1:] if column in TEXTS and value.startswith("'") else value for column, value in zip(header, row)
        ])
    check(stripped == read, f"{where}: {what}: taking one apostrophe away does not give the machine's cells")
    return machine


def matches(read, expected, what):
    if read != expected:
        wrong = next(((a, b) for a, b in zip(read, expected) if a != b), (len(read), len(expected)))
        cells = [pair for pair in zip(*wrong) if pair[0] != pair[1]] if isinstance(wrong[0], tuple) else wrong
        check(False, f"{what}: {len(read)} rows read, {len(expected)} stored; first difference {str(cells)[:400]}")
    else:
        check.passed += sum(map(len, expected)) or 1


def lossless(house, where):
    """An empty cell means unknown: so no text that is there may be empty."""
    for column in ("url", "author", "author_name", "title", "text", "lang", "conversation_id"):
        empty = house.rows(f"SELECT count(*) AS n FROM item WHERE {column} = ''")[0]["n"]
        check.equal(empty, 0, f"{where}: empty texts in item.{column}")


FIRST = "SELECT min(t.topic) AS topic, i.key FROM item i JOIN topic_item t ON t.item = i.id GROUP BY i.key ORDER BY i.key LIMIT 4"


def mark_and_note(house, rows, where):
    """Marks and notes on some items, as a reader makes them."""
    check(len(rows) == 4, f"{where}: {len(rows)} items to mark")
    for row, mark, note in zip(rows, ["good", "noise", "good", "noise"], ["=1+1", "two\nlines, \"quoted\"", "@handle", "'"]):
        for verb in (["mark", row["topic"], row["key"], mark], ["note", row["key"], note]):
            done = house.run("items", *verb)
            check.equal(done.returncode, 0, f"{where}: items {verb[0]} ({done.stderr[-300:]})")


def star(house, where):
    """A star has the time of its command, which no other database has: so after the comparison of databases."""
    row = house.rows(FIRST)[0]
    done = house.run("items", "star", row["key"])
    check.equal(done.returncode, 0, f"{where}: items star ({done.stderr[-300:]})")
    nature = next((row["value"] for row in house.rows(NATURE)), None)
    compare(house, "items", house.rows(SQL["items"]), nature, f"{where} with a star")


def sqlite(house, where):
    lossless(house, where)
    nature = next((row["value"] for row in house.rows(NATURE)), None)
    return [compare(house, what, house.rows(SQL[what]), nature, where) for what in WHATS]


def views(house, where):
    """The documented views agree with the exports."""
    for what, view in (("items", "v_item"), ("sightings", "v_sighting"), ("answers", "v_answer"), ("runs", "v_run")):
        expected = [{c: cell(c, v) for c, v in row.items() if c not in ("cost_usd", "assumed_usd", "score")} for row in house.rows(SQL[what])]
        shown = [
            {c: "" if v is None else cell(c, v) if c in FLAGS | {"cited"} else str(v) for c, v in row.items()}
            for row in house.rows(f"SELECT * FROM {view}")
        ]
        both = sorted(set(expected[0]) & set(shown[0])) if expected and shown else []
        pick = lambda rows: sorted(tuple(row[c] for c in both) for row in rows)
        matches(pick(shown), pick(expected), f"{where}: {view}")


def on_both(base_url, where, defaults, topics, times):
    """The same findings into SQLite and PostgreSQL: cells as stored, and the same bytes from both."""
    with House(base_url, defaults=defaults, topics=topics) as house:
        for at in times:
            done = house.once("--at", at)
            check.equal(done.returncode, 0, f"{where}: once ({done.stdout[-500:]}{done.stderr[-500:]})")
        mark_and_note(house, house.rows(FIRST), where)
        exports = sqlite(house, where)
        views(house, where)
        star(house, where)
        stored = house.rows("SELECT kind, title, text, author_name, post_id, conversation_id FROM item")
    url = SERVER["url"]
    if not url or psycopg is None:
        print(f"skipped: {where} on PostgreSQL ({'psycopg is not installed' if url else 'no server'})")
        return stored
    schema = f"peers_{uuid.uuid4().hex[:12]}"
    env = {"TOPICWATCH_DATABASE_SCHEMA": schema}
    with psycopg.connect(url, autocommit=True, row_factory=psycopg.rows.dict_row) as connection:
        try:
            with House(base_url, defaults=defaults, topics=topics, database=url, env=env) as house:
                for at in times:
                    done = house.once("--at", at)
                    check.equal(done.returncode, 0, f"{where}: once on PostgreSQL ({done.stderr[-500:]})")
                connection.execute(f'SET search_path = "{schema}"')
                mark_and_note(house, connection.execute(FIRST).fetchall(), f"{where} on PostgreSQL")
                nature = next((row["value"] for row in connection.execute(NATURE)), None)
                for what, same in zip(WHATS, exports):
                    rows = connection.execute(SQL[what]).fetchall()
                    machine = compare(house, what, rows, nature, f"{where} on PostgreSQL")
                    check(machine == same, f"{where}: {what} differs between the databases")
        finally:
            connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')
    return stored


NAUGHTY = [
    "two\nlines", "two\r\nlines", "lone\rreturn", 'a "quoted" word', '"', '""', '","', "a,b;c\td", "@handle hi", "=1+1",
    "=cmd|' /C calc'!A0", "+1", "-1", "|x", "%x", "'", "''", "'=1+1", "'@", "＝1", "＋1", "－1", "＠a", "\u200b=1", "\ufeff=1",
    "NA", "null", "None", "nan", "N/A", "true", "00123", "2031610711893905509", "1e10", "2026-03-11", "1,5", "\\N", "\\", "\\n",
    "🌊", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301", "\u202eright to left", "a\x00b", "\x01\x02\x1b[31mred", "\x7f", "\x85next", "a\u2028b\u2029c", "\ud83d",
    "x\udc00y", "a" * 40_000, "\U0010ffff", "sep=,", "#comment", " leading", "trailing ", "\u3000wide\u3000",
]


def stored_as(text):
    """What the documentation says becomes of a text on its way in."""
    text = text.replace("\x00", "\ufffd")
    text = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text.strip(BLANKS) or None


def naughty_texts():
    texts = list(NAUGHTY)
    folder = os.environ.get("TOPICWATCH_TEST_DATA")
    if folder:
        texts += json.loads((pathlib.Path(folder) / "csv/blns/blns.json").read_text(encoding="utf-8"))
        payloads = pathlib.Path(folder) / "csv/csv-injection/Intruder/csv-payload.txt"
        texts += payloads.read_text(encoding="utf-8").splitlines()
    else:
        print("skipped: naughty strings (TOPICWATCH_TEST_DATA is not set)")
    texts = [text for text in dict.fromkeys(texts) if stored_as(text)]
    # More than a reply may hold would be dropped, and counted.
    return texts[:990]


class Fake(http.server.BaseHTTPRequestHandler):
    """A service of the contract that says whatever `replies` holds for a path."""

    protocol_version = "HTTP/1.1"
    replies = {}

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        # Escaped, since a lone surrogate has no bytes of its own.
        body = json.dumps(self.replies[self.path]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def naughty():
    texts = naughty_texts()
    first = 2031610711893000000
    posts = [
        {
            "id": first + number if number % 2 else str(first + number), "text": text, "conversation_id": first - number,
            "created_at": "Wed Mar 11 05:45:48 +0000 2026", "user": {"username": f"user{number}", "name": text},
            "like_count": number, "view_count": None if number % 3 else 0, "is_retweet": [True, False, None][number % 3],
        }
        for number, text in enumerate(texts)
    ]
    dates = [None, "1969-12-31T23:59:59.500Z", "1700-01-01", "2026-03-11T05:45:48.007Z", "2199-12-31T23:59:59.999Z",
             "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
    pages = [
        {"title": text, "snippet": text[::-1] if text.isascii() else text, "url": f"https://example.com/{number}",
         "published_date": dates[number % len(dates)]}
        for number, text in enumerate(texts)
    ]
    Fake.replies = {
        "/X/search": {"tweets": posts},
        "/web/search": {"results": pages},
        "/ai/search": {"response": "=" + "\n".join(texts), "source": "@NOVA"},
    }
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fake) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        stored = on_both(url, "naughty", 'ai.when = "always"', None, [AT, "2026-03-11T10:00:00Z"])
        server.shutdown()
    kept = {kind: {row["text" if kind == "post" else "title"] for row in stored if row["kind"] == kind} for kind in ("post", "page")}
    for kind, found in kept.items():
        lost = [text for text in texts if stored_as(text) not in found]
        check(not lost, f"naughty: {len(lost)} {kind}s are not stored as they were sent, the first {lost[:3]!r}")
    ids = {row["post_id"] for row in stored if row["kind"] == "post"}
    check.equal(ids, {str(first + number) for number in range(len(texts))}, "naughty: ids of 19 digits")
    check({row["conversation_id"] for row in stored} >= {str(first)}, "naughty: conversations of 19 digits")
    return len(texts)


def main():
    with postgres() as SERVER["url"]:
        everything()
    check.end()


def everything():
    with sandbox("--at", AT) as server:
        stored = on_both(server.url, "sandbox", 'ai.when = "always"\nwindow = "PAST_7_DAYS"', None, [AT, "2026-03-12T10:00:00Z"])
        check(len(stored) > 10, "sandbox: nothing was kept")
    folder = os.environ.get("TOPICWATCH_TEST_DATA")
    if folder:
        words = ["flood", "hurricane", "boston", "startup", "python", "earthquake", "help", "terremoto", "people", "news"]
        topics = [f'id = "{word}"\nquery = "{word}"' for word in words]
        defaults = 'sources = ["social", "web"]\nwindow = "PAST_7_DAYS"\nsocial.operation = "basic"\nsocial.limit = 100\nweb.limit = 50'
        with sandbox("--corpus", folder, "--at", AT) as server:
            stored = on_both(server.url, "real", defaults, topics, [AT, "2026-03-11T12:00:00Z"])
            check(len(stored) > 400, f"real: only {len(stored)} items were kept")
            print(f"  {len(stored)} real posts and pages", flush=True)
    else:
        print("skipped: real posts (TOPICWATCH_TEST_DATA is not set)")
    print(f"  {naughty()} naughty texts as posts, pages, names and an answer", flush=True)


main()
