"""Starts the measured program, writes its configuration, and reads its processor time and memory."""

import argparse
import json
import os
import signal
import subprocess
import time
from pathlib import Path

TOPICS = 200
# Words for queries and texts: enough that texts are not all similar.
WORDS = (
    "launch price recall update review outage market report engine cloud battery garden river museum coffee bridge "
    "signal harbor winter summer festival library orchard satellite bicycle theatre compiler database kernel network"
).split()


class Bench:
    """The measured program and a folder for its files."""

    def __init__(self, binary: Path, folder: Path, args: argparse.Namespace):
        self.binary, self.folder, self.args = binary, folder, args
        # No environment variables of the caller.
        self.env = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "TOPICWATCH_API_KEY": "bench", "NO_COLOR": "1"}

    def config(self, base_url: str, max_concurrent: int = 8, schedule: str = "") -> Path:
        """Writes a configuration of 200 topics with all three sources and default settings."""
        text = [
            "[service]",
            f'base_url = "{base_url}"',
            f"max_concurrent = {max_concurrent}",
            'rate_limit = "unlimited"',
            "max_calls_per_day = 1000000",
            "[database]",
            'url = "sqlite:bench.db"',
            "[defaults]",
            schedule,
        ]
        for number in range(TOPICS):
            words = f"{WORDS[number % len(WORDS)]} {WORDS[number // len(WORDS)]} {number}"
            text += ["[[topics]]", f'id = "topic-{number:03}"', f'query = "{words}"']
        file = self.folder / "jobs.toml"
        file.write_text("\n".join(text) + "\n")
        return file

    def many(self, base_url: str, topics: int, schedule: str, database: str, scheduler: str = "") -> Path:
        """Writes a configuration of social topics that share a schedule."""
        text = [
            "[service]", f'base_url = "{base_url}"', 'rate_limit = "unlimited"', "max_calls_per_day = 10000000", "max_concurrent = 64",
            "[database]", database, "[scheduler]", scheduler, "[defaults]", f'schedule = "{schedule}"', 'sources = ["social"]',
        ]
        for number in range(topics):
            text += ["[[topics]]", f'id = "topic-{number:06}"', f'query = "{WORDS[number % len(WORDS)]} {number}"']
        file = self.folder / "many.toml"
        file.write_text("\n".join(text) + "\n")
        return file

    def spawn(self, *words: str, **options) -> subprocess.Popen:
        return subprocess.Popen([str(self.binary), *words], cwd=self.folder, env=self.env, **options)

    def sandbox(self, *faults: str) -> "Sandbox":
        return Sandbox(self, faults)

    def measured(self, *words: str) -> "Usage":
        """Runs a command to its end and returns what the kernel counted."""
        with open(self.folder / "out", "w+") as out, open(self.folder / "err", "w+") as err:
            begun = time.monotonic()
            child = self.spawn(*words, stdout=out, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.monotonic() - begun
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            if child.returncode != 0:
                raise SystemExit(f"bench: {' '.join(words)} ended with {child.returncode}:\n{err.read()}")
            return Usage(seconds, usage, out.read())

    def run_once(self, config: Path) -> None:
        """Runs once before the measured runs."""
        self.measured("once", "--json", "--quiet", "--config", str(config))


class Usage:
    """Wall and processor seconds, and peak memory in bytes. The kernel's peak includes the memory of this script
    at the start of the child (about 15 MB), so figures cannot be smaller."""

    def __init__(self, wall_s, usage, out):
        self.wall_s, self.out = wall_s, out
        self.user_s, self.system_s, self.peak = usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024
        self.cpu_s = self.user_s + self.system_s

    def calls(self) -> int:
        runs = json.loads(self.out)["runs"]
        return sum(search["state"] in ("ok", "empty") for run in runs for search in run["searches"])


class Sandbox:
    """A service on a loopback port whose clock is stopped, so that the second run finds nothing new."""

    def __init__(self, bench: Bench, faults):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        words = ["sandbox", "--listen", "127.0.0.1:0", "--at", now]
        for fault in faults:
            words += ["--fault", fault]
        self.child = bench.spawn(*words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.child.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(10)
        self.child.stdout.close()


def wait_until(holds, seconds: float, apart: float) -> None:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise SystemExit("bench: waited in vain")
        time.sleep(apart)


def psql(bench: Bench, sql: str) -> str:
    return subprocess.run(["psql", bench.args.postgres, "-qAtc", sql], check=True, capture_output=True, text=True).stdout.strip()
