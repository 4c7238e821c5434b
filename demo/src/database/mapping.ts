import { debeziumRows } from '@vitrine/ingest/mappings/debezium-rows';

/** The connector's `topic.prefix`, and the schema of the tables. */
const prefix = `${process.env.SOURCE_TOPIC_PREFIX || 'marketplace'}.public`;

/** The demo's database: one row per listing, and one row per listing and day. */
export default debeziumRows({
  listings: {
    topic: `${prefix}.listings`,
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
    topic: `${prefix}.calendar`,
    listingId: 'listing_id',
    date: 'day',
    available: 'available',
    price: 'price',
  },
});
