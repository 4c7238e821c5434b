-- The database of the profile `database` in compose.yaml: the tables of `npm run start:database`, with 400
-- listings. One listing in twenty lacks a price, so the feed hides it.
CREATE TABLE listings (
  id text PRIMARY KEY,
  ad_type text,
  title text,
  description text,
  category text,
  sub_category text,
  price numeric,
  city text,
  state text,
  lat double precision,
  lng double precision,
  provider_name text,
  provider_slug text,
  rating numeric,
  review_count integer,
  images text[],
  url text,
  published_at timestamptz,
  deleted_at timestamptz
);
CREATE TABLE calendar (
  listing_id text REFERENCES listings,
  day date,
  available boolean NOT NULL,
  price numeric,
  PRIMARY KEY (listing_id, day)
);

-- The listings' pages and pictures are on the website of the service `site`.
\getenv site SITE_URL
INSERT INTO listings
SELECT
  format('anuncio-%s', lpad(n::text, 6, '0')),
  kind.ad_type,
  format('%s em %s, número %s', kind.thing, place.city, n),
  'Anúncio de demonstração.',
  kind.category,
  NULL,
  CASE WHEN n % 20 > 0 THEN 50 + n END,
  place.city, place.state, place.lat, place.lng,
  'Casa Verde', 'casa-verde', 4.5, n,
  ARRAY[format('%s/imagens/%s/anuncio-%s/1.svg', :'site', kind.picture, n)],
  format('%s/catalogo/anuncio-%s', :'site', lpad(n::text, 6, '0')),
  now() - n * interval '1 hour',
  NULL
FROM generate_series(1, 400) AS n
JOIN (VALUES
  (0, 'rent', 'Apartamento', 'Imóveis', 'apartamento'), (1, 'sale', 'Violão', 'Instrumentos', 'violoes'),
  (2, 'service', 'Aula de violão', 'Aulas Particulares', 'violao')
) AS kind (number, ad_type, thing, category, picture) ON kind.number = n % 3
JOIN (VALUES
  (0, 'São Paulo', 'SP', -23.55, -46.63), (1, 'Florianópolis', 'SC', -27.59, -48.55),
  (2, 'Salvador', 'BA', -12.97, -38.50), (3, 'Recife', 'PE', -8.05, -34.90)
) AS place (number, city, state, lat, lng) ON place.number = n % 4;

INSERT INTO calendar
SELECT id, current_date + day, (day + length(title)) % 5 > 0, price
FROM listings, generate_series(0, 13) AS day
WHERE ad_type = 'rent';
