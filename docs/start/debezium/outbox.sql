-- Publishes the listings of this database through Debezium and its Outbox Event Router. docs/start/debezium.md
-- explains it. Adapt the view, the triggers, and the tables in publish_all_listings. Run it once, as a superuser
-- or as an owner of the tables who may create roles and replication slots.
BEGIN;

-- Whole listings, as the event format names their members. A listing that is not here leaves the feed.
CREATE VIEW published_listings AS
SELECT id AS listing_id, jsonb_build_object(
  'ad_type', ad_type,
  'title', title,
  'description', left(description, 100000),
  'category', category,
  'sub_category', sub_category,
  -- The event format refuses a negative price. A listing without a price is hidden.
  'price', CASE WHEN price BETWEEN 0 AND 1e12 THEN price END,
  'location', jsonb_build_object('city', city, 'state', state, 'lat', lat, 'lng', lng),
  'provider', jsonb_build_object('name', provider_name, 'slug', provider_slug),
  'rating', rating,
  'review_count', review_count,
  'images', images[1:200],
  'url', url,
  'published_at', to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
) AS listing, coalesce((
  SELECT jsonb_agg(jsonb_build_object('date', day, 'available', available,
    'price', CASE WHEN calendar.price BETWEEN 0 AND 1e12 THEN calendar.price END) ORDER BY day)
  FROM calendar WHERE listing_id = listings.id
), '[]') AS dates
FROM listings WHERE deleted_at IS NULL;

-- The router reads these columns. The table is always empty, because each row is deleted in the transaction
-- that inserted it. Debezium reads the insertion from the write-ahead log.
CREATE TABLE outbox (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  aggregatetype text NOT NULL DEFAULT 'listing',
  aggregateid text NOT NULL,
  payload text NOT NULL
);

-- One row for each listing that was ever published, also for a deleted one.
CREATE SEQUENCE listing_versions;
CREATE TABLE outbox_listings (listing_id text PRIMARY KEY, published_at timestamptz NOT NULL);

-- Writes the events of these listings. The first statement locks the rows of the listings, so it waits until
-- every other transaction that published one of them has ended. The second statement sees what those
-- transactions committed, and takes higher versions than theirs. So the highest version of a listing has the
-- state that was committed last.
CREATE FUNCTION publish_listings(ids text[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  written uuid[];
BEGIN
  -- The update is a real one: under REPEATABLE READ, the later transaction fails instead of writing old state.
  INSERT INTO outbox_listings SELECT DISTINCT id, now() FROM unnest(ids) AS id ORDER BY id
    ON CONFLICT (listing_id) DO UPDATE SET published_at = now();

  WITH parts AS (
    -- An event has at most 1,096 dates, so the dates of a long calendar follow in further events.
    SELECT listing_id, listing, part, nextval('listing_versions') AS version,
      jsonb_path_query_array(dates, format('$[%s to %s]', part * 1000, part * 1000 + 999)::jsonpath) AS dates
    FROM outbox_listings LEFT JOIN published_listings USING (listing_id),
      generate_series(0, coalesce(jsonb_array_length(dates) - 1, 0) / 1000) AS part
    WHERE listing_id = ANY (ids)
    ORDER BY listing_id, part
  ), events AS (
    SELECT listing_id, version, CASE
      -- The topic refuses records above 1 MiB, which would stop the connector.
      WHEN listing IS NULL OR octet_length(listing::text) > 900000
        THEN '{"type": "marketplace.listing.removed", "data": {}}'
      WHEN part = 0
        THEN jsonb_build_object('type', 'marketplace.listing.snapshot', 'data',
          jsonb_build_object('listing', listing || jsonb_build_object('availability', dates)))
      ELSE jsonb_build_object('type', 'marketplace.listing.availability_changed', 'data',
        jsonb_build_object('dates', dates))
      END AS event
    FROM parts
  ), inserted AS (
    INSERT INTO outbox (aggregateid, payload)
      SELECT listing_id, jsonb_set(event, '{data,version}', to_jsonb(version)) || jsonb_build_object(
        'specversion', '1.0', 'id', version::text, 'source', '/marketplace/outbox', 'subject', listing_id,
        'time', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'datacontenttype', 'application/json')
      FROM events ORDER BY version
    RETURNING id
  )
  SELECT array_agg(id) INTO written FROM inserted;

  DELETE FROM outbox WHERE id = ANY (written);
END $$;

-- The listings whose ids are in this column of the changed rows.
CREATE FUNCTION publish_changed_rows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ids text[];
BEGIN
  EXECUTE format('SELECT array_agg(DISTINCT %I) FROM changed', TG_ARGV[0]) INTO ids;
  PERFORM publish_listings(ids);
  RETURN NULL;
END $$;

-- One call for each statement: a statement that changes a whole calendar writes one event.
CREATE TRIGGER publish_inserted AFTER INSERT ON listings REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('id');
CREATE TRIGGER publish_updated AFTER UPDATE ON listings REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('id');
CREATE TRIGGER publish_deleted AFTER DELETE ON listings REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('id');
CREATE TRIGGER publish_inserted AFTER INSERT ON calendar REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('listing_id');
CREATE TRIGGER publish_updated AFTER UPDATE ON calendar REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('listing_id');
CREATE TRIGGER publish_deleted AFTER DELETE ON calendar REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('listing_id');

-- The initial load, and every later one: CALL publish_all_listings();
-- Each block of listings is one transaction, so that changes wait only for a moment.
CREATE PROCEDURE publish_all_listings(block integer DEFAULT 500) LANGUAGE plpgsql AS $$
DECLARE
  ids text[];
  last text := '';
BEGIN
  LOOP
    SELECT array_agg(id), max(id) INTO ids, last FROM (
      SELECT id FROM listings WHERE id > last
      UNION SELECT listing_id FROM outbox_listings WHERE listing_id > last
      ORDER BY id LIMIT block
    ) AS next;
    EXIT WHEN ids IS NULL;
    PERFORM publish_listings(ids);
    COMMIT;
  END LOOP;
END $$;

-- What Debezium reads. The deletions from the outbox are not sent to it.
CREATE PUBLICATION vitrine_outbox FOR TABLE outbox WITH (publish = 'insert');
CREATE ROLE vitrine_debezium LOGIN REPLICATION;
GRANT SELECT ON outbox TO vitrine_debezium;

COMMIT;

-- From here on, the server keeps every event until Debezium has read it. PostgreSQL needs wal_level=logical.
SELECT pg_create_logical_replication_slot('vitrine_outbox', 'pgoutput');
