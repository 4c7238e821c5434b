/**
 * The natural schema. `items` has a column per filter and the open dates as an array. `contents` has the
 * served JSON, so that an index scan over the narrow rows of `items` reads few pages. `calendar` has one row
 * per open date with its price in cents, and repeats the item's city. A short key joins the tables.
 *
 * Prices are integers, because PostgreSQL stores equal keys of a B-tree index once for integers, but not for
 * floating-point numbers. The index of dates and prices is therefore four times as small and twice as fast.
 * Positions are points on the sphere as `cube`, which is the type of the extension earthdistance: the
 * straight line between two points grows with their distance on the sphere, and GiST finds the nearest first.
 */
export const SCHEMA = `
  CREATE EXTENSION cube;
  CREATE EXTENSION btree_gin;
  CREATE TABLE items (
    key integer NOT NULL,
    id text NOT NULL,
    published_at bigint NOT NULL,
    ad_type text,
    city text,
    category text,
    sub_category text,
    position cube,
    open_dates date[] NOT NULL
  );
  CREATE TABLE contents (key integer NOT NULL, feed_item text NOT NULL, calendar text NOT NULL);
  CREATE TABLE calendar (item integer NOT NULL, city text, date date NOT NULL, cents integer NOT NULL);`;

/**
 * The indexes. They are created after the rows, which is faster. In this order, they are: keys; the order of
 * the feed for all items, for a city, for a category and for both, each with the joining key, so that
 * skipping and counting items read only the index; the nearest items; any set of dates, also within a city
 * and a category; the prices of an item; the number of items and the lowest and highest price of a date, also
 * within a city.
 */
export const INDEXES = `
  ALTER TABLE items ADD PRIMARY KEY (key);
  ALTER TABLE items ADD UNIQUE (id);
  ALTER TABLE contents ADD PRIMARY KEY (key);
  CREATE INDEX ON items (published_at DESC, id) INCLUDE (key);
  CREATE INDEX ON items (city, published_at DESC, id) INCLUDE (key);
  CREATE INDEX ON items (category, published_at DESC, id) INCLUDE (key);
  CREATE INDEX ON items (city, category, published_at DESC, id) INCLUDE (key);
  CREATE INDEX ON items USING gist (position) INCLUDE (key);
  CREATE INDEX ON items USING gin (city, category, open_dates);
  ALTER TABLE calendar ADD PRIMARY KEY (item, date) INCLUDE (cents);
  CREATE INDEX ON calendar (date, cents);
  CREATE INDEX ON calendar (city, date, cents);`;

/** The radius of Elasticsearch's sphere, so that both sides find the same items near a point. */
export const EARTH_RADIUS_METERS = 6_371_008.7714;

/**
 * Returns a point on the sphere as the text of a `cube`: in meters from the sphere's center, like
 * `ll_to_earth` in PostgreSQL's earthdistance. The straight line between two points grows with their distance
 * on the sphere.
 * @param lat degrees
 * @param lon degrees
 */
export function cubeOf(lat: number, lon: number): string {
  const [north, east] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180];
  const axes = [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
  return `(${axes.map((axis) => axis * EARTH_RADIUS_METERS).join(',')})`;
}
