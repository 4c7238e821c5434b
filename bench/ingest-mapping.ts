/** The mapping module for the `ingest` part. Its settings are SOURCE_TOPIC and SOURCE_FORMAT. */
import { debeziumRows, type ListingColumns } from '@vitrine/ingest/mappings/debezium-rows';
import { wholeListing } from '@vitrine/ingest/mappings/whole-listing';
import type { SourceListing } from './source-records.ts';

const { SOURCE_TOPIC: topic = '', SOURCE_FORMAT } = process.env;

const fields: ListingColumns = {
  ad_type: 'ad_type',
  title: 'title',
  description: 'description',
  category: 'category',
  price: 'price',
  location: { city: 'city', state: 'state', lat: 'lat', lng: 'lng' },
  url: 'url',
  published_at: 'published_at',
};

export default SOURCE_FORMAT === 'debezium'
  ? debeziumRows({ listings: { topic, id: 'id', fields } })
  : wholeListing<SourceListing>({
      topic,
      format: SOURCE_FORMAT === 'avro' ? 'confluent' : 'json',
      version: 'offset',
      listing: ({ id: _, ad_type, city, state, lat, lng, ...listing }) => ({
        ...listing,
        ad_type: ad_type as 'rent',
        location: { city, state, lat, lng },
      }),
    });
