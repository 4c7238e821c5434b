import { wholeListing } from '@vitrine/ingest/mappings/whole-listing';

interface Listing {
  revision: number;
  title: string;
  price: number;
  city: string;
  url: string;
}

/**
 * Maps one whole listing per record, as JSON. Replace it with your topics' mapping (docs/start/ingest.md).
 */
export default wholeListing<Listing>({
  topic: 'marketplace.listings',
  version: ({ revision }) => revision,
  listing: ({ title, price, city, url }) => ({ title, price, location: { city }, url }),
});
