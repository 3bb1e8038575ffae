"""Measures how long each page takes with a large database, by a load generator, and which statements take longest."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

from . import fill
from .program import Bench, psql

TARGET_MS, SLOW_MS = 50, 5


def pages(bench: Bench):
    """Median and 99th percentile of each page with one connection that requests without pauses, and with two, on both databases."""
    if not shutil.which("wrk"):
        print("bench: wrk is not installed (Debian's package `wrk`): the pages are skipped", file=sys.stderr)
        return
    measured = {}
    with FilledDatabases(bench) as databases:
        for name, database in databases:
            measured[name] = dict(each(bench, name, database))
    for page in measured["SQLite"]:
        cells, good = [], True
        for name in ("SQLite", "PostgreSQL"):
            took = measured.get(name, {}).get(page)
            cells.append(format_times(*took) if took else "not measured")
            good = good and (not took or took[0] < TARGET_MS)
        yield page, f"< {TARGET_MS} ms", *cells, good


def format_times(alone: float, most: float, two: float, cpu: float) -> str:
    return f"{alone:.1f} ms (99 %: {most:.1f}; of two at once {two:.1f}; CPU {cpu:.1f})"


class FilledDatabases:
    """A SQLite file with the given number of sightings, and a copy that the program moved to PostgreSQL. With `--kept`, both
    stay and are used again next time."""

    def __init__(self, bench: Bench):
        self.bench, self.many = bench, max(bench.args.sightings)
        self.kept = bench.args.kept and Path(bench.args.kept).resolve()
        self.place = (self.kept or bench.folder) / f"pages-{self.many}.db"
        self.schema = f"topicwatch_bench_pages_{self.many if self.kept else os.getpid()}"

    def __enter__(self):
        return self.each()

    def __exit__(self, *_):
        if self.bench.args.postgres and not self.kept:
            psql(self.bench, f"SET client_min_messages = error; DROP SCHEMA IF EXISTS {self.schema} CASCADE")

    def each(self):
        bench, place = self.bench, self.place
        with bench.sandbox() as sandbox:
            config = str(bench.config(sandbox.url))
            sqlite = ("--config", config, "--database", f"sqlite:{place}")
            bench.measured("migrate", *sqlite)
            if fill.is_empty(str(place)):
                self.fill()
                bench.measured("once", *sqlite, "--quiet", "--json", "--due")
                fill.set_queries(str(place))
            self.work(sqlite, lambda: fill.has_derived_work(str(place)))
            yield "SQLite", (sqlite, lambda sql: sqlite_plan(place, sql))
            if not bench.args.postgres:
                return
            # The server itself explains slow statements, with their parameters.
            explain = f"session_preload_libraries=auto_explain auto_explain.log_min_duration={SLOW_MS} auto_explain.log_level=notice"
            explain = " ".join(f"-c {setting}" for setting in explain.split())
            bench.env |= {"TOPICWATCH_DATABASE_SCHEMA": self.schema} | ({"PGOPTIONS": explain} if bench.args.plans else {})
            postgres = ("--config", config, "--database", bench.args.postgres)
            there = psql(bench, f"SELECT count(*) FROM pg_namespace WHERE nspname = '{self.schema}'")
            if there == "0":
                bench.measured("db", "move", *sqlite, "--quiet", "--to", bench.args.postgres)
            bench.measured("migrate", *postgres)
            count = f"SELECT (SELECT count(*) FROM {self.schema}.topic_day_due) + (SELECT count(*) FROM {self.schema}.item_words_due)"
            self.work(postgres, lambda: psql(bench, count) != "0")
            # As on a server that has had these rows for some time.
            for table in psql(bench, f"SELECT tablename FROM pg_tables WHERE schemaname = '{self.schema}'").split():
                psql(bench, f"VACUUM (ANALYZE) {self.schema}.{table}")
            yield "PostgreSQL", (postgres, None)

    def fill(self) -> None:
        begin = (int(time.time() * 1000) // 1000 - 3_600) * 1000 - self.many // fill.A_RUN // fill.TOPICS * fill.SLOTS_APART
        fill.fill(str(self.place), str(self.many), begin)
        fill.add_details(str(self.place), begin)

    def work(self, database: tuple, has_work) -> None:
        """Runs every topic once. The program then computes derived data and plans slots."""
        for _ in range(20):
            begun = time.monotonic()
            self.bench.measured("once", *database, "--quiet", "--json")
            print(f"  a run of all topics, including waiting work: {time.monotonic() - begun:.0f} s", file=sys.stderr)
            if not has_work():
                self.bench.measured("once", *database, "--quiet", "--json", "--due")
                return
        raise SystemExit("bench: twenty runs did not work out everything that waited")


def each(bench: Bench, name: str, database: tuple):
    """Median and 99th percentile of every page in milliseconds."""
    words, plan = database
    log = bench.folder / "pages.log"
    loud = ["--log-format", "json"] if bench.args.plans else []
    bench.env["RUST_LOG"] = "topicwatch=info,sqlx=debug" if bench.args.plans else "topicwatch=info"
    with open(log, "w") as err:
        child = bench.spawn("serve", "--listen", "127.0.0.1:0", *loud, *words, stdout=subprocess.PIPE, stderr=err, text=True)
    try:
        at = child.stdout.readline().strip()
        if not at:
            raise SystemExit(f"bench: serve ended:\n{log.read_text()}")
        for title, path in paths(at):
            answer = get(at + path)
            if bench.args.plans:
                show(name, title, log, lambda: get(at + path), plan)
                continue
            before = ticks(bench, name, child.pid)
            half, most, many = load(at + path, bench.args.seconds, 1)
            after = ticks(bench, name, child.pid)
            two, *_ = load(at + path, bench.args.seconds, 2)
            # CPU time of the program and its database backends: a busy machine affects it less than wall-clock time.
            used = sum(taken - before.get(process, 0) for process, taken in after.items())
            cpu = used / os.sysconf("SC_CLK_TCK") / max(many, 1) * 1000
            yield title, (half, most, two, cpu)
            print(f"  {name}, {title}: {format_times(half, most, two, cpu)}, {len(answer) / 1000:.0f} kB, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    finally:
        del bench.env["RUST_LOG"]
        child.send_signal(signal.SIGTERM)
        child.wait(30)


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=120) as answer:
        return answer.read()


def load(url: str, seconds: int, connections: int) -> tuple:
    said = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "--latency", url], check=True, capture_output=True, text=True).stdout
    units = {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}
    found = {part: float(number) * units[unit] for part, number, unit in re.findall(r"^\s+(50|99)%\s+([\d.]+)(us|ms|s|m)$", said, re.M)}
    many = re.search(r"(\d+) requests in", said)
    if "Non-2xx" in said or "Socket errors" in said or not {"50", "99"} <= found.keys():
        raise SystemExit(f"bench: {url} was not answered well:\n{said}")
    return found["50"], found["99"], int(many[1])


def ticks(bench: Bench, name: str, program: int) -> dict:
    """Processor time of the program, and of each PostgreSQL process that serves it if the server is on this machine."""
    processes = [program]
    if name == "PostgreSQL":
        inodes = set()
        for file in Path(f"/proc/{program}/fd").iterdir():
            try:
                link = os.readlink(file)
            except FileNotFoundError:
                continue
            if link.startswith("socket:["):
                inodes.add(link[len("socket:["):-1])
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        ports = [str(int(row[1].split(":")[1], 16)) for row in rows if row[9] in inodes]
        processes += map(int, psql(bench, f"SELECT pid FROM pg_stat_activity WHERE client_port IN ({', '.join(ports)})").split())
    taken = {}
    for process in processes:
        try:
            taken[process] = sum(map(int, Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
        except FileNotFoundError:
            pass
    return taken


def paths(at: str):
    """The requested paths, by their names in the table."""
    item = json.loads(get(f"{at}/api/v1/topics/topic-000/items?limit=200"))["data"][-1]["key"]
    runs = json.loads(get(f"{at}/api/v1/runs?limit=1"))["data"]
    key = urllib.parse.quote(item, safe="")
    yield "all topics", "/"
    for topic, name in (("topic-001", "a topic"), ("topic-000", "a busy topic")):
        yield name, f"/topics/{topic}"
        for order in ("engagement", "velocity", "negative"):
            yield f"{name}, by {order}", f"/topics/{topic}?order={order}"
        yield f"{name}, a word of most items", f"/topics/{topic}?search=launch"
        yield f"{name}, two words of most items, by engagement", f"/topics/{topic}?search=launch%20price&order=engagement"
        yield f"{name}, a word of every 22nd item", f"/topics/{topic}?search={fill.SOME}"
        yield f"{name}, a word of every 1000th item", f"/topics/{topic}?search={fill.RARE}"
        yield f"{name}, a word that nothing has", f"/topics/{topic}?search=nowhere"
    yield "a busy topic's answers", "/answers/topic-000"
    yield "an item", f"/item?key={key}"
    yield "runs", "/runs"
    yield "runs that failed", "/runs?state=failed"
    yield "runs of a busy topic", "/runs?topic=topic-000"
    yield "runs of a topic that failed", "/runs?topic=topic-001&state=failed"
    yield "reports and exports", "/files"
    yield "alerts", "/alerts"
    yield "health", "/health"
    api = "/api/v1"
    yield "API: topics", f"{api}/topics"
    yield "API: what alerts saw", f"{api}/alert-events"
    yield "API: a busy topic's items", f"{api}/topics/topic-000/items"
    yield "API: the same by velocity", f"{api}/topics/topic-000/items?order=velocity"
    yield "API: a busy topic's answers", f"{api}/topics/topic-000/answers"
    yield "API: a busy topic's days", f"{api}/topics/topic-000/days"
    yield "API: an item", f"{api}/items?key={key}"
    yield "API: runs", f"{api}/runs"
    yield "API: runs that failed", f"{api}/runs?state=failed"
    yield "API: one run", f"{api}/runs/{urllib.parse.quote(runs[0]['run'], safe='')}"
    yield "API: reports", f"{api}/reports"
    yield "API: exports", f"{api}/exports"
    yield "metrics", "/metrics"


def show(name: str, title: str, log: Path, ask, plan) -> None:
    """Requests the page once more and prints the slow statements that the program logged, each with its plan."""
    before = log.stat().st_size
    begun = time.monotonic()
    ask()
    print(f"\n{name}, {title}: {(time.monotonic() - begun) * 1000:.1f} ms")
    with open(log) as file:
        file.seek(before)
        events = [json.loads(line) for line in file if line.startswith("{")]
    for event in events:
        took = event.get("elapsed_secs")
        sql = (event.get("db.statement") or event.get("summary") or "").strip()
        if took is not None and took * 1000 > SLOW_MS:
            print(f"  {took * 1000:.1f} ms, {event.get('rows_returned')} rows: {' '.join(sql.split())}")
            for line in plan(sql) if plan else []:
                print(f"      {line}")
        elif "plan:" in (said := str(event.get("message", ""))):
            # The server explained it, with its own timing.
            print("\n".join(f"      {line}" for line in said.splitlines()))


def sqlite_plan(place: Path, sql: str) -> list:
    db = sqlite3.connect(f"file:{place}?mode=ro", uri=True)
    try:
        many = max((int(number) for number in re.findall(r"[$?](\d+)", sql)), default=0) or sql.count("?")
        rows = db.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * many).fetchall()
    except sqlite3.Error as error:
        return [f"no plan: {error} (this python's SQLite is {sqlite3.sqlite_version})"]
    finally:
        db.close()
    depth, lines = {0: -1}, []
    for number, parent, _, detail in rows:
        depth[number] = depth.get(parent, -1) + 1
        lines.append("  " * depth[number] + detail)
    return lines
