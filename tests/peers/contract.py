"""Our client against a server that was made from tests/peers/openapi.yaml by Prism (npm @stoplight/prism-cli): every
request of the real binary must be one that the description allows, in both dialects and every operation. Behind
Prism as a proxy stands our own sandbox, so that its replies are checked by the same description."""

import json
import os
import pathlib
import re
import urllib.error
import urllib.request

from harness import KEY, Checks, House, Server, sandbox

HERE = pathlib.Path(__file__).parent
PRISM = os.environ["PRISM"]
DESCRIPTION = str(HERE / "openapi.yaml")

# name, dialect, [defaults] of jobs.toml, path asked for social, web, ai
JOBS = [
    ("contract", "spec", "", "/X/search", "/web/search", "/ai/search"),
    ("contract, a week, ordered", "spec", 'window = "PAST_7_DAYS"\nresponse_order = "SUMMARY_FIRST"\nweb.limit = 1',
     "/X/search", "/web/search", "/ai/search"),
    ("contract, posts and links", "spec", 'social.operation = "posts"\nsocial.limit = 10\nweb.operation = "links"',
     "/desearch/ai/search/links/twitter", "/desearch/ai/search/links/web", "/ai/search"),
    ("contract, basic", "spec", 'social.operation = "basic"\nsocial.limit = 100\nweb.operation = "basic"',
     "/twitter", "/web", "/ai/search"),
    ("deployed", "desearch", "", "/twitter", "/web", "/desearch/ai/search"),
    ("deployed, a week, tools", "desearch",
     'window = "PAST_7_DAYS"\nsocial.limit = 1\nai.count = 10\nai.tools = ["twitter", "web", "reddit"]',
     "/twitter", "/web", "/desearch/ai/search"),
    ("deployed, posts and links", "desearch",
     'social.operation = "posts"\nsocial.limit = 100\nweb.operation = "links"\nweb.limit = 100\nai.count = 200',
     "/desearch/ai/search/links/twitter", "/desearch/ai/search/links/web", "/desearch/ai/search"),
    ("deployed, basic", "desearch", 'social.operation = "basic"\nweb.operation = "basic"',
     "/twitter", "/web", "/desearch/ai/search"),
]
# Queries that encoders get wrong.
QUERIES = ["acme launch", 'a & b = "c" + 100% #d?', "地震 🌊 Überflutung"]
QUERY_NAMES = {
    "/twitter": {"query", "sort", "count", "start_date", "end_date", "lang", "min_likes"},
    "/web": {"query", "start"},
}

check = Checks("contract")


def prism(*args):
    command = [PRISM, args[0], "--errors", "-h", "127.0.0.1", "-p", "0", DESCRIPTION, *args[1:]]
    # Plain text without colours, so that the address can be read.
    env = os.environ | {"NO_COLOR": "1", "FORCE_COLOR": "0"}
    return Server(command, b"listening on http://", wait=60, env=env)


def refuses(url):
    """The description is only worth something if it refuses: nine wrong requests and a right one."""
    right = {"query": "a", "date_filter": "PAST_24_HOURS", "tools": ["X Search"]}
    for what, status, path, body, key in [
        ("a right request", 200, "/X/search", right, "k"),
        ("no key", 401, "/X/search", right, None),
        ("an unknown field", 422, "/X/search", right | {"limit": 3}, "k"),
        ("another tool", 422, "/X/search", right | {"tools": ["x search"]}, "k"),
        ("another window", 422, "/X/search", right | {"date_filter": "PAST_WEEK"}, "k"),
        ("a number as text", 422, "/web/search", {"query": "a", "results_limit": "5"}, "k"),
        ("streaming left out", 422, "/ai/search", {"model": "NOVA", "prompt": "a"}, "k"),
        ("count 5", 422, "/desearch/ai/search", {"prompt": "a", "tools": ["web"], "streaming": False, "count": 5}, "k"),
        ("count 101", 422, "/twitter?query=a&count=101", None, "k"),
        ("count 101 in a body", 422, "/twitter", {"query": "a", "count": 101}, "k"),
    ]:
        headers = {"Content-Type": "application/json"} | ({"Authorization": key} if key else {})
        request = urllib.request.Request(url + path, json.dumps(body).encode() if body else None, headers)
        try:
            got = urllib.request.urlopen(request, timeout=20).status
        except urllib.error.HTTPError as error:
            got = error.code
        check.equal(got, status, f"the description and {what}")


def journey(base_url, name, dialect, defaults, paths, query, real_reply):
    """`once`, `try` and `check --probe`: nothing is refused, and what was asked went where it should."""
    said = json.dumps(query, ensure_ascii=False)
    with House(base_url, dialect, defaults=f'ai.when = "always"\n{defaults}', topics=[f'id = "acme"\nquery = {said}']) as house:
        for args in (["once"], ["try", query, "--json"], ["check", "--probe"]):
            done = house.run(*args)
            check(done.returncode == 0, f"{name}: `{args[0]}` ended with {done.returncode}: {done.stdout[-600:]}{done.stderr[-600:]}")
        if not house.db.exists():
            return 0
        searches = house.searches()
        requests = {
            row["source"]: json.loads(row["request"])
            for row in house.rows("SELECT s.source, r.request FROM raw_reply r JOIN search s ON s.id = r.search")
        }
        for source, path in zip(("social", "web", "ai"), paths):
            row = searches.get(source, {})
            check(row.get("state") in (("ok",) if real_reply else ("ok", "empty")),
                  f"{name}: {source} is {row.get('state')}: {row.get('error_class')} {row.get('error_text')}")
            check.equal(row.get("http_status"), 201 if path == "/web" else 200, f"{name}: status of {source}")
            request = requests.get(source, {})
            check.equal(request.get("path"), path, f"{name}: path of {source}")
            method = "GET" if path == "/web" or (path == "/twitter" and dialect == "desearch") else "POST"
            check.equal(request.get("method"), method, f"{name}: method of {source}")
            # Prism lets unknown query parameters pass.
            names = {pair[0] for pair in request.get("query", [])}
            check(names <= QUERY_NAMES.get(path, set()), f"{name}: {path} was sent {names}")
        return house.rows("SELECT count(*) AS n FROM item")[0]["n"]


def typed_prompt(url, path):
    """A query whose streamed answer says its content type; the sandbox often leaves it out, as deployed services do, and
    Prism cannot check such a reply."""
    for number in range(64):
        prompt = f"acme launch {number}"
        body = {"prompt": prompt, "streaming": True} | ({"tools": ["web", "twitter"]} if "desearch" in path else {})
        headers = {"Content-Type": "application/json", "Authorization": KEY}
        request = urllib.request.Request(url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=20) as reply:
            if "text/event-stream" in reply.headers.get("Content-Type", ""):
                return prompt
    raise RuntimeError(f"no stream of {path} says its content type")


def no_violation(log, what):
    found = re.findall(r"(?m)^.*[Vv]iolation.*$", log)
    check(not found, f"{what}: {len(found)} violations, the first: {found[:1]}")


def main():
    with prism("mock") as server:
        refuses(server.url)
    with prism("mock") as server:
        for name, dialect, defaults, *paths in JOBS:
            for query in QUERIES:
                found = journey(server.url, f"canned, {name}", dialect, defaults, paths, query, True)
                check(found > 0, f"canned, {name}: nothing was kept")
        no_violation(server.said(), "canned")
    # Whatever the description allows as a reply must be readable: Prism makes replies up from the schemas.
    with prism("mock", "--dynamic", "--seed", "topicwatch") as server:
        for name, dialect, defaults, *paths in JOBS:
            journey(server.url, f"made up, {name}", dialect, defaults, paths, QUERIES[0], False)
    with sandbox("--key", KEY) as behind, prism("proxy", behind.url) as server:
        for name, dialect, defaults, *paths in JOBS:
            for streaming, query in (("false", QUERIES[0]), ("true", typed_prompt(behind.url, paths[2]))):
                settings = f"streaming = {streaming}\n{defaults}"
                found = journey(
                    server.url, f"proxied, streaming {streaming}, {name}", dialect, settings, paths, query, True
                )
                check(found > 0, f"proxied, {name}: nothing was kept")
        no_violation(server.said(), "proxied")
    check.end()


main()
