"""Our client against servers that others wrote, and against bare sockets that answer as no server should: what came of
each search is read from the database. Python's http.server, uvicorn and nginx say the same page in many framings."""

import contextlib
import gzip
import http.server
import json
import os
import pathlib
import shutil
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import time
import zlib

from harness import Checks, House, Server, sandbox

check = Checks("transport")
TEXT = "naïve – 地震 🌊 \"quoted\""
BODY = json.dumps({"results": [{"title": TEXT, "url": "https://example.com/a?b=c"}]}, ensure_ascii=False).encode()
TYPE = b"Content-Type: application/json\r\n"


# --------------------------------------------------------------------------------------------- bare sockets
# Each behaviour gets (connection, number of the request on this server, from 0) and returns whether to keep the
# connection. What must come of it: state, error class, HTTP status, tries (with at most two).

def head(status=b"200 OK", *headers, version=b"HTTP/1.1"):
    return version + b" " + status + b"\r\n" + TYPE + b"".join(h + b"\r\n" for h in headers) + b"\r\n"


def length(body):
    return b"Content-Length: %d" % len(body)


def chunks(body, size, extension=b"", trailer=b""):
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x%s\r\n%s\r\n" % (len(p), extension, p) for p in parts) + b"0\r\n" + trailer + b"\r\n"


def says(*parts, keep=False, pause=0.0):
    def behave(connection, _):
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)
        return keep
    return behave


def first_then(first, then):
    return lambda connection, number: (first if number == 0 else then)(connection, number)


def reset(connection, _):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def silent(connection, _):
    connection.settimeout(30)
    with contextlib.suppress(OSError):
        connection.recv(1)
    return False


def drips(connection, _):
    connection.sendall(head(b"200 OK", length(BODY)))
    with contextlib.suppress(OSError):
        for byte in BODY:
            connection.sendall(bytes([byte]))
            time.sleep(0.2)
    return False


def endless(connection, _):
    connection.sendall(head(b"200 OK", b"Transfer-Encoding: chunked"))
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
    return False


def endless_header(connection, _):
    with contextlib.suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
        while True:
            connection.sendall(b"x" * 65536)
    return False


GOOD = says(head(b"200 OK", length(BODY)), BODY)
ZIPPED = gzip.compress(BODY)
BOMB = gzip.compress(b" " * 100_000_000)
OK = ("ok", None, 200, 1)
CUT = ("error", "cut", 200, 2)
BROKEN = ("error", "transport", None, 2)

RAW = {
    "one write": (says(head(b"200 OK", length(BODY)) + BODY), OK),
    "byte by byte": (says(*(bytes([b]) for b in head(b"200 OK", length(BODY)) + BODY)), OK),
    "HTTP/1.0 ended by closing": (says(head(version=b"HTTP/1.0") + BODY), OK),
    "HTTP/1.1 ended by closing": (says(head() + BODY), OK),
    "chunks of one byte": (says(head(b"200 OK", b"Transfer-Encoding: chunked") + chunks(BODY, 1)), OK),
    "chunks with extensions and a trailer": (
        says(head(b"200 OK", b"Transfer-Encoding: chunked", b"Trailer: X-Sum") + chunks(BODY, 7, b";a=b", b"X-Sum: 1\r\n")), OK),
    "gzip": (says(head(b"200 OK", b"Content-Encoding: gzip", length(ZIPPED)) + ZIPPED), OK),
    "gzip in chunks": (says(head(b"200 OK", b"Content-Encoding: gzip", b"Transfer-Encoding: chunked") + chunks(ZIPPED, 3)), OK),
    # RFC 1952, section 2.2.
    "gzip in two members": (
        says(head(b"200 OK", b"Content-Encoding: gzip") + gzip.compress(BODY[:20]) + gzip.compress(BODY[20:])), OK),
    "gzip whose second member is cut": (
        says(head(b"200 OK", b"Content-Encoding: gzip") + gzip.compress(BODY[:20]) + gzip.compress(BODY[20:])[:-9]), CUT),
    # The old name of gzip (RFC 9110, section 8.4.1.3).
    "x-gzip": (says(head(b"200 OK", b"Content-Encoding: x-gzip", length(ZIPPED)) + ZIPPED), OK),
    "Identity as coding": (says(head(b"200 OK", b"Content-Encoding: identity", length(BODY)) + BODY), OK),
    "a coding nobody asked for": (
        says(head(b"200 OK", b"Content-Encoding: deflate") + zlib.compress(BODY)), ("error", "malformed", 200, 1)),
    "plain text called gzip": (
        says(head(b"200 OK", b"Content-Encoding: gzip", length(BODY)) + BODY), ("error", "malformed", 200, 1)),
    "gzip cut, said to be whole": (says(head(b"200 OK", b"Content-Encoding: gzip", length(ZIPPED[:-9])) + ZIPPED[:-9]), CUT),
    "a gzip bomb": (says(head(b"200 OK", b"Content-Encoding: gzip", length(BOMB)) + BOMB), ("error", "too_large", 200, 1)),
    "a body without end": (endless, ("error", "too_large", 200, 1)),
    "a header without end": (endless_header, BROKEN),
    "two hundred headers": (says(head(b"200 OK", length(BODY), *(b"X-%d: a" % n for n in range(200))) + BODY), OK),
    "too many headers": (says(head(b"200 OK", length(BODY), *(b"X-%d: a" % n for n in range(5000))) + BODY), BROKEN),
    "an interim 100": (says(b"HTTP/1.1 100 Continue\r\n\r\n", head(b"200 OK", length(BODY)) + BODY), OK),
    "early hints": (says(b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n", head(b"200 OK", length(BODY)) + BODY), OK),
    "headers in odd case": (says(b"HTTP/1.1 200 ok\r\ncOnTeNt-LeNgTh:%d\r\n\r\n" % len(BODY) + BODY), OK),
    "no reason phrase": (says(b"HTTP/1.1 200\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY), OK),
    "another 2xx": (says(head(b"299 Fine", length(BODY)) + BODY), ("ok", None, 299, 1)),
    "204": (says(head(b"204 No Content")), ("error", "malformed", 204, 1)),
    "an empty body": (says(head(b"200 OK", b"Content-Length: 0")), ("error", "malformed", 200, 1)),
    "more than announced": (says(head(b"200 OK", length(BODY)) + BODY + b"HTTP/1.1 200 OK\r\n\r\nGET / rest"), OK),
    "less than announced": (says(head(b"200 OK", b"Content-Length: %d" % (len(BODY) + 5)) + BODY), CUT),
    "chunks without their end": (says(head(b"200 OK", b"Transfer-Encoding: chunked") + chunks(BODY, 9)[:-5]), CUT),
    "a chunk that is none": (says(head(b"200 OK", b"Transfer-Encoding: chunked") + chunks(BODY, 9)[:-5] + b"zz\r\n"), CUT),
    "two lengths": (says(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\n" + BODY), BROKEN),
    "a length that is no number": (says(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n" + BODY), BROKEN),
    "no HTTP": (says(b"220 mail.example.com ESMTP\r\n"), BROKEN),
    "HTTP/0.9": (says(BODY), BROKEN),
    "TLS": (says(b"\x15\x03\x01\x00\x02\x02\x28"), BROKEN),
    "another protocol": (
        says(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
        ("error", "malformed", 101, 1)),
    "closed at once": (says(), BROKEN),
    "reset at once": (reset, BROKEN),
    "reset, then well": (first_then(reset, GOOD), ("ok", None, 200, 2)),
    "cut, then well": (first_then(says(head(b"200 OK", b"Content-Length: 999") + BODY), GOOD), ("ok", None, 200, 2)),
    "503, then well": (first_then(says(head(b"503 Busy", length(b"")), keep=True), GOOD), ("ok", None, 200, 2)),
    "silence": (silent, ("error", "timeout", None, 2)),
    "a byte now and then": (drips, ("error", "timeout", 200, 2)),
    "a byte order mark": (says(head() + b"\xef\xbb\xbf" + BODY), OK),
    "HTML": (says(head() + b"<!DOCTYPE html><html><title>Sign in</title></html>"), ("error", "malformed", 200, 1)),
    "305": (says(head(b"305 Use Proxy", b"Location: http://127.0.0.1:1/", b"Content-Length: 0")), ("error", "redirect", 305, 1)),
    "401 with a challenge": (says(head(b"401 No", b'WWW-Authenticate: Basic realm="x"', b"Content-Length: 0")), ("error", "key_refused", 401, 1)),
    "407": (says(head(b"407 Proxy", b'Proxy-Authenticate: Basic', b"Content-Length: 0")), ("error", "bad_request", 407, 1)),
    "429 in HTTP/1.0": (says(head(b"429 Slow", b"Retry-After: 0", version=b"HTTP/1.0") + b'{"detail": "slow"}'), ("error", "rate_limited", 429, 2)),
}


class Bare(socketserver.ThreadingTCPServer):
    """Reads whole requests and lets a behaviour answer them."""

    allow_reuse_address, daemon_threads, block_on_close = True, True, False

    def __init__(self, behave):
        self.behave, self.seen, self.lock = behave, 0, threading.Lock()
        super().__init__(("127.0.0.1", 0), Connection)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, *_):
        pass


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rest = b""
        while True:
            while b"\r\n\r\n" not in rest:
                part = self.request.recv(65536)
                if not part:
                    return
                rest += part
            headers, rest = rest.split(b"\r\n\r\n", 1)
            wanted = next((int(h.split(b":")[1]) for h in headers.split(b"\r\n") if h.lower().startswith(b"content-length:")), 0)
            while len(rest) < wanted:
                rest += self.request.recv(65536)
            rest = rest[wanted:]
            with self.server.lock:
                number, self.server.seen = self.server.seen, self.server.seen + 1
            if not self.server.behave(self.request, number):
                return


def page(base_url, what, expected):
    """One run of one web search; `expected` is (state, class, status, tries)."""
    service = 'max_tries = 2\ncall_timeout = "2s"\nmax_response_bytes = 1000000'
    with House(base_url, service=service, defaults='sources = ["web"]') as house:
        began = time.monotonic()
        done = house.once(timeout=60)
        took = time.monotonic() - began
        row = house.searches().get("web", {})
        got = tuple(row.get(name) for name in ("state", "error_class", "http_status", "tries"))
        check.equal(got, expected, f"{what} ({row.get('error_text')})")
        check.equal(done.returncode, 0 if expected[0] in ("ok", "empty") else 3, f"{what}: exit code ({done.stdout[-400:]})")
        if expected[0] == "error":
            text = row.get("error_text") or ""
            check(len(text) > 10 and "\n" not in text, f"{what}: says {text!r}")
        titles = [item["title"] for item in house.rows("SELECT title FROM item")]
        check.equal(titles, [TEXT] if got[0] == "ok" else [], f"{what}: items")
        check("panicked" not in done.stderr, f"{what}: {done.stderr[-500:]}")
        check(took < 25, f"{what}: took {took:.0f} s")
        return row


def bare():
    for what, (behave, expected) in RAW.items():
        with Bare(behave) as server:
            page(server.url, what, expected)
            check.equal(server.seen, expected[3], f"{what}: requests")


def redirects():
    """No 3xx is followed: the place it points to hears nothing, and so learns no key."""
    with Bare(GOOD) as elsewhere:
        for status in (300, 301, 302, 303, 307, 308):
            with Bare(says(head(b"%d To" % status, b"Location: " + elsewhere.url.encode() + b"/a", b"Content-Length: 0"))) as server:
                page(server.url, f"a {status}", ("error", "redirect", status, 1))
        check.equal(elsewhere.seen, 0, "redirects followed")


def dead_idle_connections():
    """A server that closes a connection after each reply without saying so: the next call must not fail."""
    def behave(connection, _):
        connection.sendall(head(b"200 OK", b"Connection: keep-alive", length(BODY)) + BODY)
        return False
    with Bare(behave) as server:
        topics = [f'id = "t{n}"\nquery = "q {n}"' for n in range(12)]
        with House(server.url, service="max_tries = 3\nmax_concurrent = 1", topics=topics, defaults='sources = ["web"]') as house:
            done = house.once()
            check.equal(done.returncode, 0, f"idle connections closed by the server: {done.stdout[-800:]}")
            states = house.rows("SELECT state, count(*) AS n FROM search GROUP BY state")
            check.equal(states, [{"state": "ok", "n": 12}], "idle connections closed by the server: searches")


# --------------------------------------------------------------------------------------------- real servers

class Plain(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if self.protocol_version == "HTTP/1.1":
            self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_):
        pass


def http_server():
    for version in ("HTTP/1.0", "HTTP/1.1"):
        handler = type("Handler", (Plain,), {"protocol_version": version})
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            page(f"http://127.0.0.1:{server.server_port}", f"http.server {version}", OK)
            server.shutdown()


APP = '''
import asyncio, gzip, json
BODY = {body!r}
EVENTS = [
    {{"type": "text", "role": "summary", "content": "One "}}, {{"type": "text", "role": "summary", "content": "lau\\u00efnch 🌊"}},
    {{"type": "search", "content": [{{"title": "T", "link": "https://example.org/t", "snippet": "S"}}]}},
    {{"type": "completion", "content": "One lau\\u00efnch 🌊."}},
]
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    async def reply(headers, parts):
        await send({{"type": "http.response.start", "status": 200, "headers": headers}})
        for part in parts:
            await send({{"type": "http.response.body", "body": part, "more_body": True}})
            await asyncio.sleep(0.002)
        await send({{"type": "http.response.body", "body": b""}})
    if scope["path"].endswith("/ai/search"):
        text = b"".join(b"data: " + json.dumps(e, ensure_ascii=False).encode() + b"\\r\\n\\r\\n" for e in EVENTS)
        if "/zip/" in scope["path"]:
            text = gzip.compress(text)
        headers = [(b"content-encoding", b"gzip")] if "/zip/" in scope["path"] else []
        await reply(headers, [text[at:at + 5] for at in range(0, len(text), 5)])
    else:
        await reply([(b"content-type", b"application/json")], [BODY[at:at + 11] for at in range(0, len(BODY), 11)])
'''


def uvicorn():
    try:
        import uvicorn  # noqa: F401
    except ImportError:
        print("skipped: uvicorn (not installed)", flush=True)
        return
    folder = pathlib.Path(os.environ["PEERS_TMP"])
    (folder / "peer_app.py").write_text(APP.format(body=BODY))
    command = [sys.executable, "-m", "uvicorn", "peer_app:app", "--port", "0", "--timeout-keep-alive", "1"]
    with Server(command, b"running on http://", cwd=folder) as server:
        page(server.url, "uvicorn, chunked", OK)
        for path in ("", "/zip"):
            what = f"uvicorn, a stream of pieces{' compressed' if path else ''}"
            with House(server.url + path, defaults='sources = ["ai"]\nstreaming = true\nai.when = "always"') as house:
                done = house.once()
                check.equal(done.returncode, 0, f"{what}: {done.stdout[-400:]}")
                answers = house.rows("SELECT text, partial FROM answer")
                check.equal(answers, [{"text": "One lauïnch 🌊.", "partial": 0}], what)
                check.equal(house.rows("SELECT count(*) AS n FROM item")[0]["n"], 1, f"{what}: items")


def nginx_binary():
    """nginx from PATH, or unpacked from Debian's package without installing it."""
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if found or not (shutil.which("apt-get") and shutil.which("dpkg")):
        return found
    folder = pathlib.Path(os.environ["PEERS_TMP"]) / "nginx"
    folder.mkdir()
    with contextlib.suppress(subprocess.SubprocessError, OSError, IndexError):
        options = {"cwd": folder, "check": True, "timeout": 60, "capture_output": True}
        subprocess.run(["apt-get", "download", "nginx"], **options)
        subprocess.run(["dpkg", "-x", next(folder.glob("*.deb")).name, "root"], **options)
        binary = folder / "root/usr/sbin/nginx"
        subprocess.run([str(binary), "-v"], **options)
        return str(binary)
    return None


def nginx():
    binary = nginx_binary()
    if not binary:
        print("skipped: nginx (neither installed nor to be had)", flush=True)
        return
    folder = pathlib.Path(os.environ["PEERS_TMP"]) / "web"
    folder.mkdir()
    (folder / "page.json").write_bytes(BODY)
    (folder / "long.json").write_bytes(BODY + b" " * 20_000)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with sandbox() as behind:
        (folder / "nginx.conf").write_text(f"""
            daemon off; master_process off; pid {folder}/pid; error_log stderr crit;
            events {{}}
            http {{
              access_log off; default_type application/json; keepalive_timeout 1s;
              client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
              uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
              server {{
                listen 127.0.0.1:{port}; root {folder}; error_page 405 =200 /page.json;
                location / {{ try_files /page.json =404; }}
                location = /page.json {{ }}
                location /gzip/ {{ gzip on; gzip_min_length 1; gzip_types application/json; try_files /page.json =404; }}
                location = /slow/web/search {{ limit_rate 1000; error_page 405 =200 /long.json; try_files /none =405; }}
                location = /long.json {{ limit_rate 1000; }}
                location /moved/ {{ return 301 /page.json; }}
                location /bad/ {{ proxy_pass http://127.0.0.1:1; }}
                location /proxy/ {{ proxy_pass {behind.url}/; gzip on; gzip_min_length 1; gzip_types application/json; }}
              }}
            }}""")
        child = subprocess.Popen([binary, "-p", str(folder), "-c", str(folder / "nginx.conf")],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            until = time.monotonic() + 10
            while child.poll() is None and time.monotonic() < until:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            if child.poll() is not None:
                print(f"skipped: nginx (does not start: {child.stderr.read()[-200:]!r})", flush=True)
                return
            base = f"http://127.0.0.1:{port}"
            page(base, "nginx", OK)
            page(f"{base}/gzip", "nginx, gzip", OK)
            page(f"{base}/slow", "nginx, 1000 bytes a second", ("error", "timeout", 200, 2))
            page(f"{base}/moved", "nginx, moved", ("error", "redirect", 301, 1))
            page(f"{base}/bad", "nginx without what stands behind it", ("error", "server", 502, 2))
            with House(f"{base}/proxy", defaults='ai.when = "always"\nstreaming = true') as house:
                done = house.once()
                check.equal(done.returncode, 0, f"nginx in front of a sandbox: {done.stdout[-600:]}{done.stderr[-300:]}")
                check.equal({row["state"] for row in house.searches().values()}, {"ok"}, "nginx in front of a sandbox")
        finally:
            child.terminate()
            child.wait(10)
            child.stderr.close()


def main():
    http_server()
    bare()
    redirects()
    dead_idle_connections()
    uvicorn()
    nginx()
    check.end()


main()
