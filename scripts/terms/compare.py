#!/usr/bin/env python3
"""The terms that plain TF-IDF and YAKE name for the days of core/tests/simulations/terms_found.rs: rows of
docs/dev/terms-measured.md.

    pip install yake==0.7.3
    TERMS_DAYS=$PWD/days.json TOPICWATCH_TEST_DATA=... cargo test --locked --test simulations -- terms_found
    scripts/terms/compare.py days.json
"""

import collections
import datetime
import json
import math
import re
import sys
import unicodedata

import yake

FIRST = 10
LEAST_DAYS = 7
LANGUAGES = {"Costa_Rica": "es", "Italy": "it", "Russia": "ru"}
WORD = re.compile(r"[#@]?\w+")
LINK = re.compile(r"https?://\S*")


def fold(text):
    """Lower case without accents."""
    plain = unicodedata.normalize("NFKD", text.lower())
    return unicodedata.normalize("NFC", "".join(c for c in plain if not unicodedata.combining(c) or c == "\u0306"))


def terms(text):
    """Words and pairs of neighbouring words, each once per text."""
    words = [word for word in WORD.findall(fold(LINK.sub(" ", text))) if len(word) > 1]
    return set(words) | {" ".join(pair) for pair in zip(words, words[1:])}


def names(term, words):
    """Like the test: one of the words, or a phrase that contains it."""
    bare = fold(term).lstrip("#@")
    return any(bare == word or word in [one.lstrip("#@") for one in bare.split()] for word in map(fold, words))


def query_words(query):
    return set(re.findall(r"\w+", fold(query)))


def tf_idf(days, date, query):
    """The ten terms of the day with the highest weights. Each day is a document: the 28 days before and the day itself."""
    day = datetime.date.fromisoformat(date)
    dates = [(day - datetime.timedelta(days=back)).isoformat() for back in range(29)]
    known = [collections.Counter(t for text in days[one] for t in terms(text)) for one in dates if one in days]
    frequency = collections.Counter(term for counts in known for term in counts)
    weight = {
        term: many * math.log(len(known) / frequency[term])
        for term, many in known[0].items()
        if term.lstrip("#@") not in query_words(query)
    }
    told = sorted((term for term in weight if weight[term] > 0), key=lambda term: (-weight[term], term))
    return told[:FIRST]


def of_yake(extractor, days, date, query):
    """The ten key phrases of the day's different texts."""
    text = "\n".join(dict.fromkeys(LINK.sub(" ", text) for text in days[date]))
    found = [word for word, _ in extractor.extract_keywords(text) if fold(word) not in query_words(query)]
    return found[:FIRST]


def days_between(first, date):
    return (datetime.date.fromisoformat(date) - datetime.date.fromisoformat(first)).days


def main():
    streams = json.load(open(sys.argv[1], encoding="utf-8"))
    methods = ["TF-IDF", "YAKE"]
    found, first_days, told = collections.Counter(), collections.Counter(), collections.Counter()
    all_days, all_first, calm = 0, 0, 0
    for name, stream in streams.items():
        language = next((code for part, code in LANGUAGES.items() if part in name), "en")
        extractor = yake.KeywordExtractor(lan=language, n=2, top=FIRST + 5)
        pick = {
            "TF-IDF": lambda days, date: tf_idf(days, date, stream["query"]),
            "YAKE": lambda days, date: of_yake(extractor, days, date, stream["query"]),
        }
        begin = stream["events"][0][0]
        for date, words in stream["events"]:
            is_first = days_between(min(stream["days"]), date) < LEAST_DAYS
            all_first += is_first
            all_days += not is_first
            for method in methods:
                first = pick[method](stream["days"], date)
                hit = any(names(term, words) for term in first)
                (first_days if is_first else found)[method] += hit
                print(f"{date} {method:7} {'yes' if hit else 'no ':3} {first}", file=sys.stderr)
        for days in stream["shuffled"][:1]:
            later = [date for date in days if date >= begin and days_between(min(days), date) >= LEAST_DAYS]
            for date in later:
                calm += 1
                for method in methods:
                    told[method] += bool(pick[method](days, date))
    for method in methods:
        shown = f"{found[method]} of {all_days} | {first_days[method]} of {all_first}"
        print(f"| {method} | {shown} | {100 * told[method] / calm:.1f} % |")


if __name__ == "__main__":
    main()
