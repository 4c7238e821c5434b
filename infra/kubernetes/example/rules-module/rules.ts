import { defineRules } from '@vitrine/listing';

export default defineRules({
  name: 'needs-image',
  version: 1,
  reasons: { image: 'the listing has no usable image' },
  hide: ({ images }) => (images ? undefined : 'image'),
});
