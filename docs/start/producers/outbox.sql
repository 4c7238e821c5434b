-- An outbox for Vitrine: every change of a listing puts its id into the table "outbox", and a relay publishes
-- what listing_events() returns (docs/start/producers.md). Tested with PostgreSQL 15. Change the view and
-- the triggers below to fit your tables. The rest stays as it is, except for the name of your source.
BEGIN;
-- A trigger waits for the transactions that write its table, and later writes wait for it. If this limit ends
-- the installation, nothing has changed: run the file again.
SET LOCAL lock_timeout = '5s';

CREATE TABLE outbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  listing_id text NOT NULL
);
-- The gap between two numbers has room for the parts of a long calendar.
CREATE SEQUENCE listing_versions INCREMENT BY 100 START WITH 100;
-- Raise a listing's epoch here if its versions are burned. The epoch outlives the listing.
CREATE TABLE version_epochs (
  listing_id text PRIMARY KEY,
  epoch integer NOT NULL CHECK (epoch BETWEEN 0 AND 1000000)
);

-- The argument is the column that contains the id of the listing. A part that moves from one listing to
-- another changes both. The function runs with its owner's rights, so your services need none for the outbox.
CREATE FUNCTION put_into_outbox() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  old_id text;
  new_id text;
BEGIN
  IF TG_OP <> 'INSERT' THEN EXECUTE format('SELECT ($1).%I::text', TG_ARGV[0]) INTO old_id USING OLD; END IF;
  IF TG_OP <> 'DELETE' THEN EXECUTE format('SELECT ($1).%I::text', TG_ARGV[0]) INTO new_id USING NEW; END IF;
  INSERT INTO outbox (listing_id)
    SELECT DISTINCT id FROM (VALUES (old_id), (new_id)) AS ids (id) WHERE id IS NOT NULL;
  RETURN NULL;
END $$;

-- Rows that several listings share need more: the last lines of this file replace this function.
CREATE FUNCTION put_shared_rows_into_outbox() RETURNS void LANGUAGE sql AS '';

-- The next events, and the rows of the outbox that they cover. A relay publishes all events, and then deletes
-- these rows. It calls the function outside of a transaction, because the version must be stored before the
-- first event is published. A second session receives nothing until the first one ends.
CREATE FUNCTION listing_events(maximum integer, OUT numbers bigint[], OUT keys text[], OUT events text[])
  LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  ids text[];
  first_version bigint;
  too_long text;
BEGIN
  -- Each statement must see what was committed before it, and a crash must not give a version again.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'listing_events needs the isolation level READ COMMITTED';
  END IF;
  PERFORM set_config('synchronous_commit', 'on', true);
  -- Compiling the query takes longer than running it.
  PERFORM set_config('jit', 'off', true);
  IF NOT pg_try_advisory_lock(hashtext('listing_events')) THEN RETURN; END IF;
  PERFORM put_shared_rows_into_outbox();
  -- 1. Take rows.
  SELECT array_agg(number), array_agg(DISTINCT listing_id) INTO numbers, ids
    FROM (SELECT number, listing_id FROM outbox ORDER BY number LIMIT maximum) AS taken;
  IF ids IS NULL THEN RETURN; END IF;
  -- 2. Take a version. It is higher than all earlier versions.
  first_version := nextval('listing_versions');
  -- 3. Read the listings. A change that this statement does not see has a row of its own, which a later call
  -- takes with a higher version.
  WITH public_listings AS MATERIALIZED (SELECT * FROM published_listings WHERE id = ANY (ids))
  SELECT coalesce(array_agg(id ORDER BY id, part) FILTER (WHERE octet_length(event) < 1000000), '{}'),
    coalesce(array_agg(event ORDER BY id, part) FILTER (WHERE octet_length(event) < 1000000), '{}'),
    string_agg(id, ', ') FILTER (WHERE octet_length(event) >= 1000000)
  INTO keys, events, too_long FROM (
    SELECT id, part, jsonb_build_object(
      'specversion', '1.0',
      'id', concat_ws('-', md5(id), version),
      'source', '/marketplace/relay', -- the name of your source
      'type', 'marketplace.listing.' || CASE WHEN listing IS NULL THEN 'removed'
        WHEN part = 0 THEN 'snapshot' ELSE 'availability_changed' END,
      'subject', id,
      'time', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'datacontenttype', 'application/json',
      'data', jsonb_build_object('version', version, 'version_epoch', coalesce(epoch, 0)) ||
        CASE WHEN listing IS NULL THEN '{}'
          WHEN part > 0 THEN jsonb_build_object('dates', dates)
          -- Without a calendar in the view, the calendar in the feed stays.
          ELSE jsonb_build_object('listing',
            listing || jsonb_strip_nulls(jsonb_build_object('availability', dates))) END
    )::text AS event
    FROM unnest(ids) AS id
    LEFT JOIN public_listings USING (id)
    LEFT JOIN version_epochs ON listing_id = id
    CROSS JOIN LATERAL (
      SELECT CASE jsonb_typeof(listing -> 'availability')
        WHEN 'array' THEN listing -> 'availability' WHEN 'null' THEN '[]' END AS calendar
    ) AS whole
    -- An event has at most 1,096 dates, so a long calendar has several parts.
    CROSS JOIN generate_series(0, greatest((jsonb_array_length(calendar) - 1) / 1000, 0)) AS part
    CROSS JOIN LATERAL (
      SELECT first_version + part AS version, jsonb_path_query_array(calendar, '$[$first to $last]',
        jsonb_build_object('first', part * 1000, 'last', part * 1000 + 999)) AS dates
    ) AS parts
  ) AS all_events;
  -- Kafka refuses an event of this size. One listing must not block all others.
  IF too_long IS NOT NULL THEN
    RAISE WARNING 'listing_events: not published, because the event has more than 1 MB: %', too_long;
  END IF;
END $$;

-- From here, change everything to fit your tables. The view has one row for each public listing: its id, and
-- the members of a snapshot. A listing that is not in the view is removed from the feed.
CREATE VIEW published_listings AS
SELECT l.id, jsonb_build_object(
  'ad_type', CASE l.kind WHEN 'SALE' THEN 'sale' WHEN 'RENTAL' THEN 'rent' ELSE 'service' END,
  'title', l.title,
  'description', left(l.body_html, 100000),
  'category', l.category,
  'sub_category', l.sub_category,
  -- An event with a negative price is refused as a whole. Without a price, the listing is hidden.
  'price', CASE WHEN l.price >= 0 THEN l.price END,
  'location', jsonb_build_object('city', l.city, 'state', l.state, 'lat', l.latitude, 'lng', l.longitude),
  'provider', CASE WHEN h.id IS NOT NULL
    THEN jsonb_build_object('name', h.display_name, 'slug', h.handle) END,
  'rating', (SELECT round(avg(stars), 1) FROM reviews WHERE listing_id = l.id),
  'review_count', (SELECT count(*) FROM reviews WHERE listing_id = l.id),
  'images', (SELECT jsonb_agg(url ORDER BY position) FROM
    (SELECT url, position FROM images WHERE listing_id = l.id ORDER BY position LIMIT 200) AS first_images),
  -- People typed the slugs. A space is the only character in them that a URL must escape.
  'url', coalesce(l.external_url, 'https://www.vitrine.example/anuncio/' || replace(l.slug, ' ', '%20')),
  'published_at', to_char(l.published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'availability', coalesce((
    SELECT jsonb_agg(jsonb_build_object('date', day, 'available', open, 'price', price) ORDER BY day)
    FROM calendar WHERE listing_id = l.id AND (price IS NULL OR price >= 0)), '[]')
) AS listing
FROM listings l LEFT JOIN hosts h ON h.id = l.host_id
WHERE l.deleted_at IS NULL;

-- Every table that the view reads needs a trigger. TRUNCATE fires none of them: use DELETE.
CREATE TRIGGER put_into_outbox AFTER INSERT OR UPDATE OR DELETE ON listings
  FOR EACH ROW EXECUTE FUNCTION put_into_outbox('id');
CREATE TRIGGER put_into_outbox AFTER INSERT OR UPDATE OR DELETE ON images
  FOR EACH ROW EXECUTE FUNCTION put_into_outbox('listing_id');
CREATE TRIGGER put_into_outbox AFTER INSERT OR UPDATE OR DELETE ON reviews
  FOR EACH ROW EXECUTE FUNCTION put_into_outbox('listing_id');
CREATE TRIGGER put_into_outbox AFTER INSERT OR UPDATE OR DELETE ON calendar
  FOR EACH ROW EXECUTE FUNCTION put_into_outbox('listing_id');
CREATE TRIGGER put_into_outbox AFTER INSERT OR UPDATE OR DELETE ON version_epochs
  FOR EACH ROW EXECUTE FUNCTION put_into_outbox('listing_id');

-- Delete this part if your listings share no rows. A row that many listings share waits in a table of its own,
-- and listing_events() puts its listings into the outbox. The trigger must not look for them, because a
-- transaction that it does not see may give the row another listing, and commit first.
CREATE TABLE outbox_hosts (host_id integer NOT NULL);
CREATE FUNCTION put_host_into_outbox() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO outbox_hosts VALUES (NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER put_into_outbox AFTER UPDATE ON hosts
  FOR EACH ROW EXECUTE FUNCTION put_host_into_outbox();
CREATE OR REPLACE FUNCTION put_shared_rows_into_outbox() RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH changed AS (DELETE FROM outbox_hosts RETURNING host_id)
  INSERT INTO outbox (listing_id) SELECT id FROM listings WHERE host_id IN (SELECT host_id FROM changed);
$$;
COMMIT;
