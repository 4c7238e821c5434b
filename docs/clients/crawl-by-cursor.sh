# Prints every item of a feed, one JSON document per line:
# sh crawl-by-cursor.sh http://localhost:8080/api/public-feed
set -e
cursor='*'
while [ -n "$cursor" ]; do
  # curl repeats a request after 429 and 503 and honors Retry-After.
  page=$(curl -fsS --retry 10 -G "$1" -d pageSize=100 --data-urlencode "cursor=$cursor")
  printf '%s\n' "$page" | jq -c '.data[]'
  cursor=$(printf '%s\n' "$page" | jq -r '.meta.nextCursor // empty')
done
