/**
 * An example of a rules module (rules-module.md). A test runs it. Copy it, and change its name and its rules.
 */
import { defineRules } from '@vitrine/listing';

/** A number of at least eight digits, in the forms in which people write telephone numbers. */
const PHONE = /\+?\(?\d(?:[\s().-]{0,3}\d){7,}/g;
const CATEGORIES = new Set(['moveis', 'eletronicos', 'imoveis', 'veiculos', 'hospedagem']);
const HIGHEST_PRICE = 5_000_000;

export default defineRules({
  name: 'example-shop',
  version: 1,
  reasons: {
    image: 'the listing has no usable image',
    category: 'the listing has no category, or an unknown one',
    'price-ceiling': 'the price is above R$ 5,000,000',
  },
  hide({ images, category, price }) {
    if (!images) return 'image';
    if (!category || !CATEGORIES.has(category)) return 'category';
    if (price > HIGHEST_PRICE) return 'price-ceiling';
    return undefined;
  },
  text: {
    description: (text) => text.replace(PHONE, '…'),
  },
});
