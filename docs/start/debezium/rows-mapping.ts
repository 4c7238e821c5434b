import { debeziumRows } from '@vitrine/ingest/mappings/debezium-rows';

/**
 * Maps the rows that rows-connector.json publishes (docs/start/ingest.md). Change topics and columns to fit your
 * tables: npm run ingest -- --mapping docs/start/debezium/rows-mapping.ts
 */
export default debeziumRows({
  listings: {
    topic: 'marketplace.public.listings',
    id: 'id',
    deletedAt: 'deleted_at',
    fields: {
      ad_type: 'ad_type',
      title: 'title',
      description: 'description',
      category: 'category',
      sub_category: 'sub_category',
      price: 'price',
      location: { city: 'city', state: 'state', lat: 'lat', lng: 'lng' },
      provider: { name: 'provider_name', slug: 'provider_slug' },
      rating: 'rating',
      review_count: 'review_count',
      images: 'images',
      url: 'url',
      published_at: 'published_at',
    },
  },
  calendar: {
    topic: 'marketplace.public.calendar',
    listingId: 'listing_id',
    date: 'day',
    available: 'available',
    price: 'price',
  },
});
