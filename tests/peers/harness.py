"""What the conformance steps share: running the real binary in a folder of its own, starting and stopping servers, and
counting what was checked. It knows nothing of any one peer."""

import contextlib
import glob
import os
import pathlib
import pwd
import selectors
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

BIN = os.environ["TOPICWATCH_BIN"]
# An invented key with what real keys have: a dollar sign, and what encoders like to change.
KEY = "dt_$peer/K3y+\"quoted\"&=%1"


class Checks:
    """Counts checks and remembers those that failed; one line each."""

    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, []

    def __call__(self, holds, what):
        if holds:
            self.passed += 1
        else:
            self.failed.append(what)
            print(f"  FAILED {what}", flush=True)
        return bool(holds)

    def equal(self, got, expected, what):
        return self(got == expected, f"{what}: got {short(got)}, expected {short(expected)}")

    def end(self):
        print(f"{self.name}: {self.passed} checks held, {len(self.failed)} failed", flush=True)
        sys.exit(1 if self.failed else 0)


def short(value):
    text = repr(value)
    return text if len(text) <= 300 else text[:300] + "…"


def skip(why):
    """The whole step cannot run here, which is no failure."""
    print(f"skipped: {why}", flush=True)
    sys.exit(77)


class House:
    """A folder with a jobs.toml and a database; removed by `with`."""

    def __init__(self, base_url, dialect="spec", service="", topics=None, defaults="", database=None, key=KEY, env=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="house-", dir=os.environ.get("PEERS_TMP")))
        self.database = database or f"sqlite:{self.folder / 'house.db'}"
        self.db = self.folder / "house.db"
        self.key, self.env = key, env or {}
        given = "".join(f"\n[[topics]]\n{topic}\n" for topic in topics or ['id = "acme"\nquery = "acme launch"'])
        # Quick and without patience: a peer that misbehaves is tried once unless a step says otherwise.
        base = {"max_tries": "1", "call_timeout": '"20s"', "rate_limit": '"unlimited"'}
        base = "\n".join(f"{name} = {value}" for name, value in base.items() if name not in service)
        (self.folder / "jobs.toml").write_text(
            f'[service]\nbase_url = "{base_url}"\ndialect = "{dialect}"\n{base}\n{service}\n'
            f"[defaults]\n{defaults}\n{given}"
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *args, env=None, timeout=60, text=True):
        """Runs the binary; stdout and stderr apart."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TOPICWATCH_")}
        clean |= {"TOPICWATCH_API_KEY": self.key, "NO_COLOR": "1"} | self.env | (env or {})
        return subprocess.run(
            [BIN, "--database", self.database, *args],
            cwd=self.folder, env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=text, timeout=timeout,
            encoding="utf-8" if text else None, errors="replace" if text else None,
        )

    def once(self, *args, **options):
        return self.run("once", *args, **options)

    def rows(self, statement, *values):
        """Rows of the SQLite file as dictionaries."""
        with sqlite3.connect(f"file:{self.db}?mode=ro", uri=True) as connection:
            connection.row_factory = sqlite3.Row
            found = [dict(row) for row in connection.execute(statement, values)]
        connection.close()
        return found

    def searches(self):
        """The last run's searches by source."""
        rows = self.rows("SELECT * FROM search WHERE run = (SELECT max(id) FROM run) ORDER BY id")
        return {row["source"]: row for row in rows}


class Server:
    """A child process that says on a pipe where it listens; stopped by `with`, whatever happens."""

    def __init__(self, command, prefix, cwd=None, env=None, wait=30, log=None):
        """`prefix` is what stands directly before the address in the line that names it."""
        self.command, self.prefix, self.wait = command, prefix, wait
        self.options = {"cwd": cwd, "env": env}
        self.log = open(log, "w+b") if log else tempfile.TemporaryFile()

    def __enter__(self):
        self.child = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **self.options
        )
        self.url = self._address()
        # Whatever follows must not fill the pipe.
        self.rest = subprocess.Popen(["cat"], stdin=self.child.stdout, stdout=self.log)
        self.child.stdout.close()
        return self

    def _address(self):
        until, seen = time.monotonic() + self.wait, b""
        os.set_blocking(self.child.stdout.fileno(), False)
        with selectors.DefaultSelector() as selector:
            selector.register(self.child.stdout, selectors.EVENT_READ)
            while time.monotonic() < until:
                if not selector.select(until - time.monotonic()):
                    break
                part = self.child.stdout.read(4096)
                if part == b"":
                    break
                seen += part or b""
                line = next((line for line in seen.splitlines(True) if self.prefix in line and line.endswith(b"\n")), None)
                if line:
                    os.set_blocking(self.child.stdout.fileno(), True)
                    self.log.write(seen)
                    self.log.flush()
                    return "http://" + line.split(self.prefix, 1)[1].split()[0].decode()
        self.stop()
        raise RuntimeError(f"{self.command[0]} did not say where it listens: {seen.decode(errors='replace')[-2000:]}")

    def said(self):
        """What it has printed so far."""
        return pathlib.Path(f"/proc/self/fd/{self.log.fileno()}").read_bytes().decode(errors="replace")

    def stop(self):
        self.child.terminate()
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait(5)

    def __exit__(self, *_):
        self.stop()
        self.rest.wait(5)
        self.log.close()


def sandbox(*args):
    """A sandbox of ours on a free port."""
    return Server([BIN, "sandbox", "--listen", "127.0.0.1:0", *args], b"http://")


@contextlib.contextmanager
def postgres():
    """The address of a PostgreSQL server: that of TEST_POSTGRES_URL, or a private one on loopback, started here and removed
    afterwards. None if there is neither; a line says so."""
    given = os.environ.get("TEST_POSTGRES_URL")
    installed = sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_ctl"), key=lambda path: int(path.split("/")[4]))
    pg_ctl = shutil.which("pg_ctl") or (installed[-1] if installed else None)
    if given or not pg_ctl:
        if not given:
            print("skipped: PostgreSQL (not installed, and TEST_POSTGRES_URL is not set)", flush=True)
        yield given
        return
    # A step that takes too long is told to end, and must not leave its server behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # It refuses to run as root.
    owner = {"user": "postgres"} if os.geteuid() == 0 else {}
    folder = pathlib.Path(tempfile.mkdtemp(prefix="peers-postgres-", dir="/tmp"))
    if owner:
        account = pwd.getpwnam("postgres")
        owner |= {"group": account.pw_gid, "extra_groups": []}
        os.chown(folder, account.pw_uid, account.pw_gid)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def control(*args):
        subprocess.run([pg_ctl, "-D", str(folder / "data"), "-s", "-w", *args], cwd=folder, check=True, timeout=60,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **owner)

    control("initdb", "-o", "-A trust -U peers -E UTF8 --locale=C --no-sync")
    try:
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        control("-l", str(folder / "log"), "-o", options, "start")
        try:
            yield f"postgres://peers@127.0.0.1:{port}/postgres"
        finally:
            control("-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
