"""What an outsider looks for: a service that says the key back in every place and spelling, a database URL with a
password, and links planted where files are written. Nothing that was printed or written may hold the secret."""

import base64
import gzip
import html
import http.server
import json
import os
import pathlib
import re
import socket
import stat
import threading
import urllib.parse

from harness import KEY, Checks, House, sandbox

check = Checks("leaks")
PASSWORD = "S3cret-Pa55word"


def spellings(secret):
    """How a server or a library writes a text down."""
    inside = json.dumps(secret)[1:-1]
    unicode = "".join(c if c.isalnum() else f"\\u{ord(c):04x}" for c in secret)
    return {
        "plain": secret, "json": inside, "json, unicode": unicode, "json, slash": inside.replace("/", "\\/"),
        "percent": urllib.parse.quote(secret, safe=""), "form": urllib.parse.quote_plus(secret),
        "lower percent": re.sub("%..", lambda code: code[0].lower(), urllib.parse.quote(secret, safe="")),
        "html": html.escape(secret), "json in json": json.dumps(inside)[1:-1], "html in json": json.dumps(html.escape(secret))[1:-1],
    }


FORBIDDEN = set(spellings(KEY).values()) | {repr(KEY)[1:-1], base64.b64encode(KEY.encode()).decode().rstrip("=")}


class Echo(http.server.BaseHTTPRequestHandler):
    """Says the Authorization header back, everywhere it can; what exactly, the server's `kind` decides."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer()

    def answer(self):
        kind, key = self.server.kind, self.headers["Authorization"]
        spelled = spellings(key)
        status, more, reply = 200, [], b""
        if kind == "items":
            items = [
                {"text": f"post {n} {s} end", "title": None, "user": {"username": "u", "name": s}, "id": str(2031610711893905000 + n),
                 "lang": s, "conversation_id": s, "url": f"https://x.com/u/status/{n}?k={urllib.parse.quote(s)}"}
                for n, s in enumerate(spelled.values())
            ]
            pages = [{"title": s, "url": f"https://example.com/{n}/{urllib.parse.quote(s, safe='')}", "snippet": s} for n, s in enumerate(spelled.values())]
            body = {"/X/search": {"results": items}, "/web/search": {"results": pages}}.get(
                self.path, {"response": f"The key is {key}; {' '.join(spelled.values())}.", "source": key})
            reply = json.dumps(body).encode()
        elif kind == "stream":
            pieces = [f"The key is {key}", key, "."]
            events = [{"type": "text", "role": "summary", "content": c} for c in pieces]
            reply = b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in events) + b"data: [DONE]\n\n"
        elif kind == "nested":
            inner = json.dumps({"summary": f"The key is {key}", "note": json.dumps(key)})
            reply = json.dumps({"completion": inner, "results": [{"title": "t", "url": "https://example.com/t"}]}).encode()
        elif kind == "redirect":
            status, more = 302, [("Location", f"http://127.0.0.1:1/?key={spelled['percent']}&k={key}")]
        elif kind == "broken":
            reply = b'{"results": [{"title": "' + key.encode() + b'", "url": '
        elif kind == "html":
            reply = f"<html><body>Authorization: {html.escape(key)} {key}</body></html>".encode()
        elif kind == "list":
            reply = json.dumps({key: [{"a": 1}], "x" + key: {}}).encode()
        elif kind == "frame":
            reply = b"data: " + json.dumps({"error": f"no such key {key}", "detail": spelled["html"]}).encode() + b"\n\n"
        else:
            status = int(kind.split()[0])
            detail = {
                "text": f"key {key} {' '.join(spelled.values())}", "object": {"msg": key, key: [key]},
                "array": [{"loc": ["header", key], "msg": key, "type": key}], "plain": None,
            }[kind.split()[1]]
            reply = json.dumps({"detail": detail}).encode() if detail else f"bad key {key} / {spelled['html']}".encode()
        self.send_response(status, f"Sorry {key}" if status != 200 else None)
        ascii_key = spelled["plain"]
        for name, value in [
            ("X-Request-Id", ascii_key), ("X-Desearch-Service", ascii_key), ("X-Desearch-Cost-Usd", ascii_key),
            ("Retry-After", ascii_key), ("Content-Type", f"application/json; key={ascii_key}"), ("WWW-Authenticate", ascii_key), *more,
            (f"X-Desearch-{base64.b16encode(b'k').decode()}", spelled["percent"]),
        ]:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


KINDS = ["items", "stream", "nested", "redirect", "broken", "html", "list", "frame"] + [
    f"{status} {form}" for status in (400, 401, 402, 403, 404, 422, 429, 500) for form in ("text", "object", "array", "plain")
]


def holds(found, forbidden, where):
    text = found.decode("utf-8", "replace") if isinstance(found, bytes) else found
    hit = next((secret for secret in forbidden if secret in text), None)
    at = text.find(hit) if hit else 0
    check(hit is None, f"{where}: {text[max(0, at - 80):at + 80]!r}")


def files(house, where, forbidden):
    """Every byte of every file in the folder, and compressed replies unpacked."""
    for path in sorted(house.folder.rglob("*")):
        if path.is_file() and path.name != "jobs.toml":
            holds(path.read_bytes(), forbidden, f"{where}: {path.name}")
    if house.db.exists():
        for row in house.rows("SELECT * FROM raw_reply"):
            holds(gzip.decompress(row["body"]), forbidden, f"{where}: raw reply")
        # Python's SQLite may be too old for the word index; the tables that hold it are read all the same.
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE%'"
        for table, in [tuple(row.values()) for row in house.rows(tables)]:
            for row in house.rows(f"SELECT * FROM {table}"):
                holds(" ".join(str(value) for value in row.values()), forbidden, f"{where}: table {table}")


VERBS = [
    ["status", "--json"], ["runs", "--searches"], ["runs", "--searches", "--json"], ["show", "acme"], ["show", "acme", "--md"],
    ["show", "acme", "--json"], ["items"], ["items", "--json"], ["check"], ["check", "--json"],
] + [["export", "--what", what, "--profile", profile] for what in ("items", "sightings", "answers", "runs") for profile in ("machine", "excel")]


def echoes():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        for kind in KINDS:
            server.kind = kind
            streaming = "true" if kind in ("stream", "frame") else "false"
            with House(url, defaults=f'ai.when = "always"\nstreaming = {streaming}') as house:
                calls = [["once", "-vv"], ["once", "-vv", "--log-format", "json", "--json"], ["try", "acme", "-vv"],
                         ["try", "acme", "--json"], ["check", "--probe", "-vv"]]
                # Failures read alike after the fact; what was kept does not.
                verbs = VERBS if kind in ("items", "stream", "nested", "401 text", "redirect") else [["runs", "--searches", "--json"]]
                for args in (calls if kind in ("items", "stream", "nested", "redirect") else calls[:1] + calls[3:]) + verbs:
                    done = house.run(*args, env={"RUST_LOG": "trace", "RUST_BACKTRACE": "1"})
                    # 2: a topic whose only run failed has nothing to show.
                    check(done.returncode in (0, 3) or args[0] == "show" and done.returncode == 2, f"{kind}: `{' '.join(args)}` ended with {done.returncode}: {done.stderr[-200:]}")
                    for name, text in (("stdout", done.stdout), ("stderr", done.stderr)):
                        holds(text, FORBIDDEN, f"{kind}: {name} of `{' '.join(args)}`")
                house.run("export", "--out", str(house.folder / "out.csv"))
                files(house, kind, FORBIDDEN)
        server.shutdown()


def keys():
    """A key in a file that others may read, or in jobs.toml, is refused and not shown."""
    with House("http://127.0.0.1:1", service='api_key_file = "service.key"', key="") as house:
        file = house.folder / "service.key"
        file.write_text(KEY + "\n")
        for mode, exit_code in ((0o644, 2), (0o640, 2), (0o600, 3)):
            file.chmod(mode)
            done = house.run("check", "--probe", "-vv")
            check.equal(done.returncode, exit_code, f"a key file of mode {mode:o} ({done.stderr[-300:]})")
            holds(done.stdout + done.stderr, FORBIDDEN, f"a key file of mode {mode:o}")
    for line in (f"api_key = {json.dumps(KEY)}", f"key = {json.dumps(KEY)}", f"api_key_env = {json.dumps(KEY)}", f"token = '{KEY}'"):
        with House("http://127.0.0.1:1", service=line) as house:
            done = house.run("once", "-vv")
            check.equal(done.returncode, 2, f"a key in jobs.toml ({line[:12]}): {done.stderr[-300:]}")
            check(not house.db.exists(), f"a key in jobs.toml ({line[:12]}): a database was made")
            if not line.startswith("api_key_env"):
                holds(done.stdout + done.stderr, FORBIDDEN, f"a key in jobs.toml ({line[:12]})")
    for key in ("", " ", "line\nbreak" + KEY, KEY + "\x7f", "schlüssel" + KEY):
        with House("http://127.0.0.1:1", key=key) as house:
            done = house.run("once", "-vv")
            check.equal(done.returncode, 2, f"the key {key[:5]!r}…: {done.stderr[-200:]}")
            holds(done.stdout + done.stderr, FORBIDDEN, f"the key {key[:5]!r}…")


def passwords():
    """A database URL's password, in every way to give it and every way to fail."""
    encoded = urllib.parse.quote(PASSWORD + "/@:?#", safe="")
    forbidden = {PASSWORD, encoded, "S3cret", "Pa55"}
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        given = os.environ.get("TEST_POSTGRES_URL")
        urls = [
            f"postgres://me:{PASSWORD}@127.0.0.1:{port}/nowhere", f"postgresql://me:{encoded}@127.0.0.1:{port}/nowhere",
            f"postgres://me:{PASSWORD}@127.0.0.1:notaport/nowhere", f"postgres://me:{PASSWORD}/@127.0.0.1:{port}/x",
            f"postgres://127.0.0.1:{port}/nowhere?user=me&password={PASSWORD}", f"postgres://me:{PASSWORD}@",
            f"mysql://me:{PASSWORD}@127.0.0.1/x", f"postgres:me:{PASSWORD}@127.0.0.1/x", f"postgres//me:{PASSWORD}@127.0.0.1/x",
            f"me:{PASSWORD}@127.0.0.1/x", f"POSTGRES://me:{PASSWORD}@127.0.0.1:{port}/x", f" postgres://me:{PASSWORD}@127.0.0.1:{port}/x",
            f"host=127.0.0.1 port={port} user=me password={PASSWORD}", f"postgres://:{PASSWORD}@127.0.0.1:{port}/x",
            f"postgres://me:{PASSWORD}@127.0.0.1:{port}/x?sslmode=nonsense", f"postgres://me:{PASSWORD}@[::1:{port}/x",
        ]
        if given:
            parts = urllib.parse.urlsplit(given)
            urls.append(f"postgres://nobody_here:{PASSWORD}@{parts.hostname}:{parts.port}/no_such_database")
        for url in urls:
            for way in ("flag", "environment", "file"):
                env, args = {}, []
                with House("sandbox") as house:
                    house.database = "sqlite:unused.db"
                    if way == "environment":
                        env["TOPICWATCH_DATABASE_URL"] = url
                    elif way == "file":
                        path = house.folder / "jobs.toml"
                        path.write_text(path.read_text() + f"\n[database]\nurl = {json.dumps(url)}\n")
                    for verb in (["status"], ["check", "--json"], ["once", "-vv"]):
                        done = run_without_database(house, [*(["--database", url] if way == "flag" else []), *verb], env)
                        if verb != ["check", "--json"]:
                            check(done.returncode in (2, 4), f"{url.replace(PASSWORD, '…')} by {way}: exit {done.returncode} {done.stderr[-200:]}")
                        holds(done.stdout + done.stderr, forbidden, f"{url.replace(PASSWORD, '…')} by {way}, `{verb[0]}`")
                    for file in house.folder.iterdir():
                        if file.name != "jobs.toml":
                            check(PASSWORD not in file.name, f"{file.name.replace(PASSWORD, '…')} was made")


def run_without_database(house, args, env):
    """The same run without the harness's own --database."""
    import subprocess

    from harness import BIN

    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOPICWATCH_", "PG"))}
    clean |= {"TOPICWATCH_API_KEY": KEY, "NO_COLOR": "1"} | env
    return subprocess.run([BIN, *args], cwd=house.folder, env=clean, stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", errors="replace", timeout=60)


def on_disk():
    """Who may read what was written, and what is done to links and special files where files are written."""
    with sandbox() as server:
        old = os.umask(0)
        try:
            with House(server.url) as house:
                house.once()
                out = house.folder / "out.csv"
                check.equal(house.run("export", "--out", str(out)).returncode, 0, "export")
                for path in house.folder.iterdir():
                    if path.name != "jobs.toml":
                        check.equal(oct(stat.S_IMODE(path.stat().st_mode)), "0o600", f"mode of {path.name}")
                links(house, out)
        finally:
            os.umask(old)


def links(house, out):
    size = out.stat().st_size
    victim = house.folder / "victim"
    for target in ("victim", "missing"):
        victim.write_text("precious")
        link = house.folder / f"link-{target}.csv"
        link.symlink_to(house.folder / target)
        done = house.run("export", "--out", str(link))
        check(done.returncode == 0 and not link.is_symlink() and link.stat().st_size == size, f"a link to {target} at --out: {done.stderr}")
        check(victim.read_text() == "precious" and not (house.folder / "missing").exists(), f"a link to {target} was followed")
    folder = house.folder / "folder"
    folder.mkdir()
    os.mkfifo(house.folder / "pipe")
    special = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(house.folder)  # a socket's path must be short
    special.bind("socket")
    os.chdir(here)
    for name, is_kept in (("folder", stat.S_ISDIR), ("pipe", stat.S_ISFIFO), ("socket", stat.S_ISSOCK)):
        for link in (False, True):
            path = house.folder / (f"link-to-{name}" if link else name)
            if link:
                path.symlink_to(house.folder / name)
            done = house.run("export", "--out", str(path))
            check(done.returncode == 5 and path.name in done.stderr, f"--out on a {name}: exit {done.returncode} {done.stderr}")
            check(is_kept(path.stat().st_mode), f"--out on a {path.name}: it was replaced")
    special.close()
    # As root a mistake would take /dev/null or /dev/stdout away from everybody, so this is told from a copy.
    device = house.folder / "stdout"
    device.symlink_to("/proc/self/fd/1")
    done = house.run("export", "--out", str(device))
    check(device.is_symlink(), f"--out on a link to stdout: it was replaced ({done.returncode})")
    check(not list(house.folder.glob(".topicwatch-*")), "unfinished files are left over")

    # A lock file that is a link must not harm what it points to.
    with House("sandbox") as other:
        victim = other.folder / "victim"
        victim.write_text("precious")
        victim.chmod(0o644)
        for name in ("house.db.lock", "house.db.migrate.lock", "house.db-journal"):
            (other.folder / name).symlink_to(victim)
        done = other.once()
        check.equal(victim.read_text(), "precious", f"a file behind planted links ({done.returncode})")


def main():
    pathlib.Path(os.environ["PEERS_TMP"]).mkdir(exist_ok=True)
    echoes()
    keys()
    passwords()
    on_disk()
    check.end()


main()
