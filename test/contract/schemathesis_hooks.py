"""Enforces the rules between parameters. OpenAPI cannot express these rules, so info.description states them.

If a valid case breaks such a rule, the hook repairs the case, so that the service must accept it. Invalid
cases stay unchanged.
"""

import atexit
import sys
from collections import Counter
from datetime import date, timedelta

import schemathesis

ON = ("true", "1", "on")
LEGACY = {"city": "cidade", "category": "categoria", "sub_category": "subcategoria", "date": "data"}
RANGE_DAYS = 31
seen = Counter()


@schemathesis.hook
def map_case(context, case):
    mode = case.meta.generation.mode
    seen["invalid" if mode.is_negative else "valid"] += 1
    if mode.is_positive and case.query:
        mend(case.query)
    return case


def mend(query):
    """Removes from `query` the parameters that break a rule. An empty value counts as absent."""

    def given(name):
        return query.get(name) not in (None, "")

    def drop(rule, *names):
        seen[rule] += 1
        for name in names:
            query.pop(name, None)

    if given("cursor") and query["cursor"] != "*":
        drop("a cursor is opaque", "cursor")
    if given("cursor") and given("page"):
        drop("cursor and page", "page")
    for name, alias in LEGACY.items():
        if given(name) and given(alias) and query[name] != query[alias]:
            drop("a legacy name beside its successor", alias)
    if given("lat") != given("lng"):
        drop("lat and lng", "lat", "lng")
    if query.get("localOnly") in ON and not given("lat"):
        drop("localOnly without a point", "localOnly")
    if given("date_to"):
        first = query.get("date") or query.get("data")
        if not first or not first <= query["date_to"] <= last_of_range(first):
            drop("date_to without date, before it, or too far from it", "date_to")


def last_of_range(first):
    start = date.fromisoformat(first)
    return str(start + min(timedelta(days=RANGE_DAYS - 1), date.max - start))


@atexit.register
def tell():
    for what, count in sorted(seen.items()):
        print(f"cases: {count} {what}", file=sys.stderr)
