-- The listings that the feed should contain, in the order that `cli -- reconcile` needs. A line has at most 1,096
-- nights, so longer calendars are not compared:
-- psql "$DATABASE_URL" -At -f dump.sql > listings.jsonl
SELECT jsonb_build_object('id', id) || CASE WHEN jsonb_path_exists(listing, '$.availability[1096]')
  THEN listing - 'availability' ELSE listing END
FROM published_listings ORDER BY id COLLATE "C";
