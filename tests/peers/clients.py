"""Lets published clients of the search service check a sandbox's replies. Run by scripts/conformance; not a test of the
clients, and nothing of topicwatch is imported."""

import asyncio
import json
import logging
import warnings

# The clients report the refusals that are provoked below, and their own dependencies' future.
logging.disable(logging.ERROR)
warnings.simplefilter("ignore")

import aiohttp
from datura_py import Datura
from desearch_py import Desearch
from desearch_py.models import ResponseData

from harness import KEY, sandbox

QUERIES = ["coffee", "rust language", "地震", "a \"quoted\" OR b -c"]


async def current_client(base_url: str) -> int:
    """desearch-py 1.2.1: its pydantic models refuse a reply with a missing or mistyped field."""
    checked = 0
    async with Desearch(KEY, base_url=base_url) as client:
        for query in QUERIES:
            answer = await client.ai_search(query, ["web", "twitter", "hackernews"], count=10, include_metadata=True)
            # The client hands back a plain dict when its model refuses the reply.
            assert isinstance(answer.data, ResponseData), f"the AI reply to {query!r} was refused"
            assert answer.data.completion and answer.data.tweets and answer.data.search
            assert answer.metadata.cost_usd == 0.004 and answer.metadata.usage_count == 1

            links = await client.ai_web_links_search(query, ["web", "reddit"], count=10)
            assert links.search_results and links.reddit_search_results

            posts = await client.ai_x_links_search(query, count=20)
            assert posts.miner_tweets

            found = await client.x_search(
                query, sort="Latest", count=20, start_date="2020-01-01", include_metadata=True
            )
            assert isinstance(found.data, list) and found.data and found.metadata.cost_usd == 0.003

            pages = await client.web_search(query, start=10)
            assert pages.data
            checked += 5
    return checked


async def refusals(base_url: str) -> int:
    """A missing key and a count out of range reach the caller as errors with the service's status."""
    checked = 0
    async with Desearch("", base_url=base_url) as client:
        checked += await expect(401, client.web_search("coffee"))
    async with Desearch(KEY, base_url=base_url) as client:
        checked += await expect(422, client.ai_search("coffee", ["web"], count=5))
        checked += await expect(422, client.x_search("coffee", count=101))
    return checked


async def expect(status: int, call) -> int:
    try:
        await call
    except aiohttp.ClientResponseError as error:
        assert error.status == status, f"expected {status}, got {error.status}"
        return 1
    raise AssertionError(f"expected {status}, got an answer")


def older_client(base_url: str) -> int:
    """datura-py 0.0.16: sends null for what is left out, and can ask for a stream."""
    Datura.BASE_URL = base_url
    client = Datura(api_key=KEY)
    chunks = client.ai_search("coffee", ["web", "twitter"], "NOVA", date_filter="PAST_24_HOURS", streaming=True)
    text = b"".join(chunks).decode()
    events = [json.loads(event.removeprefix("data: ")) for event in text.split("\n\n") if event]
    assert events[-1]["type"] == "completion" and events[-1]["content"]
    assert {"text", "tweets", "search"} <= {event["type"] for event in events}

    plain = client.ai_search("coffee", ["web", "twitter"], "NOVA", date_filter="PAST_24_HOURS", streaming=False)
    assert plain["completion"] == events[-1]["content"]
    client.web_links_search("coffee", ["web"], "NOVA")
    assert client.twitter_links_search("coffee", "NOVA")["miner_tweets"]
    assert client.basic_twitter_search("coffee", sort="Latest", is_quote=True, count=5)
    assert client.basic_web_search("coffee", 10, 0)["data"]
    return 6


def main() -> None:
    with sandbox() as server:
        base_url = server.url
        checked = asyncio.run(current_client(base_url)) + asyncio.run(refusals(base_url)) + older_client(base_url)
    print(f"clients: {checked} calls of two published clients, all shapes accepted")


main()
