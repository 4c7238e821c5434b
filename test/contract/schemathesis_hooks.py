"""Enforces the rules between parameters. OpenAPI cannot express these rules, so info.description states them.

If a valid case breaks such a rule, the hook repairs the case, so that the service must accept it. Invalid
cases stay unchanged.
"""

import atexit
import sys
import time
from collections import Counter
from datetime import date, timedelta

import requests
import schemathesis

ON = ("true", "1", "on")
LEGACY = {"city": "cidade", "category": "categoria", "sub_category": "subcategoria", "date": "data"}
LISTS = ("city", "category", "sub_category", "cidade", "categoria", "subcategoria")
LIST_VALUES = 20
RANGE_DAYS = 31
WINDOW_DAYS = 92
STAYS = ("nights", "min_total_price", "max_total_price")
seen = Counter()


@schemathesis.hook
def map_case(context, case):
    mode = case.meta.generation.mode
    seen["invalid" if mode.is_negative else "valid"] += 1
    if mode.is_positive and case.query:
        mend(case.query, case.path_parameters.get("adType"))
    return case


@schemathesis.hook
def after_call(context, case, response):
    """Repeats a request once if the service asks for that, as it does while Elasticsearch is slow."""
    if response.status_code != 503 or "retry-after" not in response.headers:
        return
    seen["repeated"] += 1
    time.sleep(int(response.headers["retry-after"][0]))
    with requests.Session() as session:
        received = session.send(response.request, verify=response.verify, timeout=60)
        again = type(response).from_requests(received, verify=response.verify)
    # The checks receive the original response object, so it gets the values of the new one.
    for name in type(response).__slots__:
        if name != "_override":
            setattr(response, name, getattr(again, name))


def mend(query, path_type):
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
    for name in LISTS:
        if given(name) and query[name].count(",") >= LIST_VALUES:
            drop("a list with too many values", name)
    if path_type and given("ad_type") and set(types(query["ad_type"])) != set(types(path_type)):
        drop("ad_type that differs from the path", "ad_type")
    for least, most in (("min_price", "max_price"), ("min_total_price", "max_total_price")):
        if given(least) and given(most) and float(query[least]) > float(query[most]):
            drop("a lower limit above its upper limit", least)
    first = query.get("date") or query.get("data")
    if given("date_to"):
        days = WINDOW_DAYS if given("nights") else RANGE_DAYS
        if not first or not first <= query["date_to"] <= date_after(first, days - 1):
            drop("date_to without date, before it, or too far from it", "date_to")
    if not first:
        for name in filter(given, STAYS):
            drop("a stay without date", name)
    if given("nights"):
        last = query["date_to"] if given("date_to") else str(date.max)
        if (date.fromisoformat(last) - date.fromisoformat(first)).days + 1 < int(query["nights"]):
            drop("a stay that is longer than its window", "nights")
            if given("date_to") and query["date_to"] > date_after(first, RANGE_DAYS - 1):
                drop("date_to without date, before it, or too far from it", "date_to")
    if (query.get("sort") == "total_price" and not first) or (query.get("sort") == "distance" and not given("lat")):
        drop("an order without what it sorts by", "sort")


def types(text):
    return text.replace("rental", "rent").split(",")


def date_after(first, days):
    start = date.fromisoformat(first)
    return str(start + min(timedelta(days=days), date.max - start))


@atexit.register
def tell():
    for what, count in sorted(seen.items()):
        print(f"cases: {count} {what}", file=sys.stderr)
