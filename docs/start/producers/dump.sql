-- The listings that the feed should contain, in the order that `cli -- reconcile` needs:
-- psql "$DATABASE_URL" -At -f dump.sql > listings.jsonl
SELECT jsonb_build_object('id', id) || listing FROM published_listings ORDER BY id COLLATE "C";
