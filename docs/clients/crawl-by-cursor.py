# Prints every item of a feed, one JSON document per line:
# python3 crawl-by-cursor.py http://localhost:8080/api/public-feed
import json, sys, time
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import urlopen

ATTEMPTS = 10

def get(url):
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with urlopen(url, timeout=60) as response:
                return json.load(response)
        except HTTPError as error:
            if error.code not in (429, 503) or attempt == ATTEMPTS:
                sys.exit(f"{url}: {error.code} {error.read().decode()}")
            time.sleep(int(error.headers.get("Retry-After", 0)))

cursor = "*"
while cursor:
    page = get(f"{sys.argv[1]}?pageSize=100&cursor={quote(cursor)}")
    for item in page["data"]:
        print(json.dumps(item, ensure_ascii=False))
    cursor = page["meta"].get("nextCursor")  # The last page has none.
