-- An outbox for Vitrine that Debezium reads (docs/start/debezium.md): every change of a listing writes its
-- complete event. Needs PostgreSQL 13 or newer with wal_level=logical. Change the end of this file to fit your
-- tables. The rest stays as it is, except for the name of your source. Run it as the owner of the tables, who
-- needs the rights to create roles and replication slots.
BEGIN;
-- A trigger waits for the transactions that write its table, and later writes wait for it. If this limit ends
-- the installation, nothing has changed: run the file again.
SET LOCAL lock_timeout = '5s';

-- The Outbox Event Router reads these columns. The table is always empty, because each row is deleted in the
-- transaction that inserted it. Debezium reads the insertion from the write-ahead log.
CREATE TABLE outbox (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  aggregatetype text NOT NULL DEFAULT 'listing',
  aggregateid text NOT NULL,
  payload text NOT NULL
);
CREATE SEQUENCE listing_versions;
-- One row for each listing that was ever published. It outlives the listing. Raise the epoch of a listing here
-- if its versions are burned, and publish the listing.
CREATE TABLE outbox_listings (
  listing_id text PRIMARY KEY,
  version_epoch integer NOT NULL DEFAULT 0 CHECK (version_epoch BETWEEN 0 AND 1000000),
  published_at timestamptz NOT NULL
);

-- Writes the events of these listings. The first statement locks the rows of the listings, so it waits until
-- every other transaction that published one of them has ended. The second statement sees what those
-- transactions committed, and takes higher versions than theirs. So the highest version of a listing has the
-- state that was committed last. The function runs with its owner's rights, so your services need none for the
-- outbox.
CREATE FUNCTION publish_listings(ids text[]) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  written uuid[];
BEGIN
  -- A real update: under REPEATABLE READ, the later transaction fails here instead of writing an old state.
  INSERT INTO outbox_listings (listing_id, published_at)
    SELECT DISTINCT id, now() FROM unnest(ids) AS id ORDER BY id
    ON CONFLICT (listing_id) DO UPDATE SET published_at = now();

  WITH parts AS (
    -- An event has at most 1,096 dates, so the dates of a long calendar follow in further events.
    SELECT listing_id, version_epoch, listing, part, nextval('listing_versions') AS version,
      jsonb_path_query_array(listing -> 'availability', '$[$first to $last]',
        jsonb_build_object('first', part * 1000, 'last', part * 1000 + 999)) AS dates
    FROM outbox_listings LEFT JOIN published_listings ON id = listing_id
    CROSS JOIN generate_series(0, greatest((jsonb_array_length(listing -> 'availability') - 1) / 1000, 0)) AS part
    WHERE listing_id = ANY (ids)
    ORDER BY listing_id, part
  ), events AS (
    SELECT listing_id, version, jsonb_build_object('version', version, 'version_epoch', version_epoch) AS versions,
      CASE
        -- The topic refuses an event above 1 MiB, which would stop the connector.
        WHEN listing IS NULL OR octet_length((listing - 'availability')::text) > 900000 THEN '{"type": "removed"}'
        WHEN part = 0 THEN jsonb_build_object('type', 'snapshot', 'data', jsonb_build_object('listing',
          listing || jsonb_strip_nulls(jsonb_build_object('availability', dates))))
        ELSE jsonb_build_object('type', 'availability_changed', 'data', jsonb_build_object('dates', dates))
      END AS event
    FROM parts
  ), inserted AS (
    INSERT INTO outbox (aggregateid, payload)
      SELECT listing_id, jsonb_build_object(
        'specversion', '1.0',
        'id', version::text,
        'source', '/marketplace/outbox', -- the name of your source
        'type', 'marketplace.listing.' || (event ->> 'type'),
        'subject', listing_id,
        'time', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'datacontenttype', 'application/json',
        'data', versions || coalesce(event -> 'data', '{}'))
      FROM events ORDER BY version
    RETURNING id
  )
  SELECT array_agg(id) INTO written FROM inserted;
  DELETE FROM outbox WHERE id = ANY (written);
END $$;

-- Publishes the listings of the rows that a statement changed. The argument is the column with their ids. A row
-- that moves from one listing to another changes both.
CREATE FUNCTION publish_changed_rows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ids text[];
BEGIN
  EXECUTE format('SELECT array_agg(DISTINCT id) FROM (SELECT %1$I::text FROM changed' ||
    CASE TG_OP WHEN 'UPDATE' THEN ' UNION ALL SELECT %1$I::text FROM replaced' ELSE '' END ||
    ') AS rows (id) WHERE id IS NOT NULL', TG_ARGV[0]) INTO ids;
  PERFORM publish_listings(ids);
  RETURN NULL;
END $$;

-- The initial load, and every later one: CALL publish_all_listings(). It commits after each block of listings,
-- so that changes wait only for a moment. It also removes the listings that are gone.
CREATE PROCEDURE publish_all_listings(block integer DEFAULT 500) LANGUAGE plpgsql AS $$
DECLARE
  ids text[];
  last text := '';
BEGIN
  LOOP
    SELECT array_agg(id), max(id) INTO ids, last FROM (
      SELECT id FROM published_listings WHERE id > last
      UNION SELECT listing_id FROM outbox_listings WHERE listing_id > last
      ORDER BY id LIMIT block
    ) AS next;
    EXIT WHEN ids IS NULL;
    PERFORM publish_listings(ids);
    COMMIT;
  END LOOP;
END $$;

-- The publication that Debezium reads, and its user. Set a password. The publication contains no deletions.
CREATE PUBLICATION vitrine_outbox FOR TABLE outbox WITH (publish = 'insert');
CREATE ROLE vitrine_debezium LOGIN REPLICATION;
GRANT SELECT ON outbox TO vitrine_debezium;

-- From here to COMMIT, change everything to fit your tables. The view has one row for each public listing: its
-- id, and the members of a snapshot. A listing that is not in the view is removed from the feed.
CREATE VIEW published_listings AS
SELECT id, jsonb_build_object(
  'ad_type', ad_type,
  'title', title,
  'description', left(description, 100000),
  'category', category,
  'sub_category', sub_category,
  -- An event with a negative price is refused as a whole. Without a price, the listing is hidden.
  'price', CASE WHEN price BETWEEN 0 AND 1e12 THEN price END,
  'location', jsonb_build_object('city', city, 'state', state, 'lat', lat, 'lng', lng),
  'provider', jsonb_build_object('name', provider_name, 'slug', provider_slug),
  'rating', rating,
  'review_count', review_count,
  'images', images[1:200],
  'url', url,
  'published_at', to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'availability', coalesce((
    SELECT jsonb_agg(jsonb_build_object('date', day, 'available', available,
      'price', CASE WHEN calendar.price BETWEEN 0 AND 1e12 THEN calendar.price END) ORDER BY day)
    FROM calendar WHERE listing_id = listings.id
  ), '[]')
) AS listing
FROM listings WHERE deleted_at IS NULL;

-- Every table that the view reads needs these three triggers. A statement that changes a whole calendar writes
-- one event. TRUNCATE fires no trigger: use DELETE.
CREATE TRIGGER publish_inserted AFTER INSERT ON listings REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('id');
CREATE TRIGGER publish_updated AFTER UPDATE ON listings
  REFERENCING OLD TABLE AS replaced NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('id');
CREATE TRIGGER publish_deleted AFTER DELETE ON listings REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('id');
CREATE TRIGGER publish_inserted AFTER INSERT ON calendar REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('listing_id');
CREATE TRIGGER publish_updated AFTER UPDATE ON calendar
  REFERENCING OLD TABLE AS replaced NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('listing_id');
CREATE TRIGGER publish_deleted AFTER DELETE ON calendar REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION publish_changed_rows('listing_id');
COMMIT;

-- From here on, the server keeps every event until Debezium has read it.
SELECT pg_create_logical_replication_slot('vitrine_outbox', 'pgoutput');
