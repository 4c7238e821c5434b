import type { FeedItem } from '@vitrine/feed-index';
import { expect } from 'chai';
import example from '../../../docs/operate/my-rules.ts';
import { type Derived, deriveItem, deriveSafely, HIDDEN_REASONS, RULES } from './derive-item.ts';
import { fold } from './fold.ts';
import { EMPTY_STATE } from './listing-state.ts';
import { defineRules, type RulesModule, reasonsOf, rulesModuleFaults, rulesWith } from './rules-module.ts';

const COMPLETE = {
  title: 'Casa <b>azul</b>',
  description: 'Ligue (11) 98765-4321',
  price: 100,
  category: 'Imóveis',
  location: { city: 'Curitiba', state: 'PR' },
  provider: { name: 'Ana' },
  images: ['https://a.example/1.jpg'],
  url: 'https://a.example/1',
};
const stateOf = (changes: object = {}) =>
  fold(EMPTY_STATE, [
    { kind: 'changed', id: 'a', version: 1, time: 1_000, fields: { ...COMPLETE, ...changes } },
  ]);
const derived = (module: RulesModule, changes: object = {}): Derived =>
  rulesWith(module, 'abc').derive('a', stateOf(changes));

describe('a rules module', () => {
  const needsImage = defineRules({
    name: 'shop',
    version: 3,
    reasons: { image: 'the listing has no usable image' },
    hide: ({ images }) => (images ? undefined : 'image'),
  });

  it('hides complete listings for its own reasons, after the built-in ones', () => {
    expect(derived(needsImage)).to.have.property('item');
    expect(derived(needsImage, { images: ['ftp://a.example/1.jpg'] })).to.deep.equal({ hidden: 'image' });
    expect(derived(needsImage, { images: null, price: 0 })).to.deep.equal({ hidden: 'price' });
    expect(reasonsOf(rulesWith(needsImage, 'abc'))).to.deep.equal([...HIDDEN_REASONS, 'image']);
  });

  it('changes no item that it does not hide', () =>
    expect(derived(needsImage)).to.deep.equal(RULES.derive('a', stateOf())));

  it('receives the listing as the feed shows it, with its type, place and calendar', () => {
    let seen: unknown;
    derived(
      {
        name: 'shop',
        version: 1,
        reasons: { x: 'x' },
        hide: (listing) => {
          seen = listing;
          return undefined;
        },
        text: { title: (title) => title.toUpperCase() },
      },
      { ad_type: 'rental', location: { city: 'Curitiba', lat: -25, lng: -49 } },
    );
    expect(seen).to.deep.include({
      id: 'a',
      title: 'CASA AZUL',
      category: 'imoveis',
      ad_type: 'rental',
      point: { lat: -25, lon: -49 },
      calendar: [],
    });
  });

  it('has a version of its own beside that of the built-in rules', () =>
    expect(rulesWith(needsImage, 'abc').version).to.equal(`${RULES.version}+shop@3:abc`));

  it('gives the item that it would have without its reasons, for comparisons of incomplete lines', () => {
    const rules = rulesWith(needsImage, 'abc');
    expect(rules.complete?.('a', stateOf({ images: null })).item?.feed_item.title).to.equal('Casa azul');
  });

  it('cannot change the item, because hide receives a frozen listing', () => {
    const changing = (change: (listing: FeedItem) => unknown) => () =>
      derived({
        ...needsImage,
        hide: (listing) => {
          change(listing as FeedItem);
          return undefined;
        },
      });
    expect(changing(({ images }) => images?.push('javascript:1'))).to.throw(TypeError, /not extensible/);
    expect(changing(({ location }) => Object.assign(location, { city: 'x' }))).to.throw(TypeError);
  });

  it('fails for one listing with a short text, whatever it throws or returns', async () => {
    const failure = (hide: () => unknown) =>
      deriveSafely(rulesWith({ ...needsImage, hide: hide as () => undefined }, 'abc'), 'a', stateOf())
        .failure;
    const throwing = (value: unknown) =>
      failure(() => {
        throw value;
      });
    expect(throwing(new Error('x'.repeat(1_000_000))))
      .to.match(/^the rules could not derive.*x…$/)
      .and.have.length.below(400);
    expect(throwing(Object.create(null))).to.include('object without a text form');
    expect(failure(() => 'x'.repeat(1_000_000))).to.have.length.below(500);
    expect(failure(() => Object.create(null))).to.include('object without a text form');
    const rejections: unknown[] = [];
    const note = (error: unknown) => rejections.push(error);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
    try {
      const rejected = () => Promise.reject(new Error('later'));
      expect(failure(rejected)).to.include('[object Promise]');
      expect(() => derived({ name: 'shop', version: 1, text: { title: rejected as never } })).to.throw(
        'Promise',
      );
      await new Promise(setImmediate);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const other of others) process.on('unhandledRejection', other);
    }
    expect(rejections).to.deep.equal([]);
  });

  it('fails for one listing if it returns what it does not declare', () => {
    const returning = (reason: unknown) => () => derived({ ...needsImage, hide: () => reason as 'image' });
    for (const reason of ['photo', 'toString', null, false, Promise.resolve()])
      expect(returning(reason), String(reason)).to.throw(TypeError, /rules module shop returned .*\(image\)/);
  });
});

describe('the text rules of a module', () => {
  const withText = (text: RulesModule['text']) => ({ name: 'shop', version: 1, text: text ?? {} });

  it('change normalized text, and their result is normalized again', () => {
    const { item } = derived(
      withText({
        title: (title) => `${title}<script>\u0000 `,
        description: (text) => text.replace(/\(?\d.*/, ''),
        state: () => '',
        provider: (name) => `${name} & Cia`,
      }),
    );
    expect(item?.feed_item).to.deep.include({
      title: 'Casa azul',
      description: 'Ligue',
      location: { city: 'Curitiba', country: 'BR' },
      provider: { name: 'Ana & Cia', slug: 'ana-cia' },
    });
  });

  it('change slugs and labels together, so that filters find what lists of filter values show', () => {
    const { item } = derived(
      withText({
        category: (text) => text.replace('Imóveis', 'Casas & Apês'),
        city: () => 'Grande Curitiba',
      }),
    );
    expect(item).to.deep.include({
      category: 'casas-apes',
      city: 'grande-curitiba',
      labels: { city: 'Grande Curitiba', category: 'Casas & Apês' },
    });
    expect(item?.feed_item).to.deep.include({ category: 'casas-apes' });
    expect(item?.feed_item.location.city).to.equal('Grande Curitiba');
  });

  it('also decide which words a search finds, and whether a required text is present', () => {
    expect(derived(withText({ title: () => 'Chácara' })).item?.title_words).to.deep.equal(['chacara']);
    expect(derived(withText({ title: () => ' ' }))).to.deep.equal({ hidden: 'title' });
  });

  it('leave every other text as the built-in rules have it', () => {
    const state = stateOf({ title: '&amp;lt;b', category: '&amp;lt;b' });
    expect(deriveItem('a', state, { description: (text) => text })).to.deep.equal(deriveItem('a', state));
  });

  it('fail for one listing if they return no text', () =>
    expect(() => derived(withText({ title: () => undefined as unknown as string }))).to.throw(
      TypeError,
      'text.title of the rules module returned undefined',
    ));

  it('fail for one listing if they make a text much longer, because the feed would have no bound', () => {
    const longer = (by: number) => derived(withText({ title: (text) => text + 'W'.repeat(by) }));
    expect(longer(1_000).item?.feed_item.title).to.have.length.above(1_000);
    expect(() => longer(1_001)).to.throw(TypeError, 'longer by 1001 characters. The limit is 1000');
  });
});

describe('the faults of a rules module', () => {
  const valid = { name: 'shop', version: 1, reasons: { image: 'x' }, hide: () => undefined };
  const faults = (changes: object) => rulesModuleFaults({ ...valid, ...changes }).join('\n');

  it('are absent for the documented example, and for a module with only texts', () => {
    expect(rulesModuleFaults(example)).to.deep.equal([]);
    expect(rulesModuleFaults({ name: 'shop', version: 1, text: { title: () => '' } })).to.deep.equal([]);
  });

  it('are all named at once', () =>
    expect(
      rulesModuleFaults({
        name: 'My Shop',
        version: 0,
        reasons: { price: 'x', Image: '', failed: 'x' },
        hide: 'image',
        text: { titel: (text: string) => text, title: 'x' },
        hidden: 1,
      }),
    ).to.deep.equal([
      'hidden is unknown; the members are name, version, reasons, hide, text',
      'name must begin with a letter and have at most 40 lowercase letters, digits and hyphens',
      'version must be a positive integer',
      'the reason "price" is one of Vitrine\'s own reasons',
      'the reason "Image" must begin with a letter and have at most 40 lowercase letters, digits and hyphens',
      'the reason "Image" must have a text of 1 to 200 characters',
      'the reason "failed" is one of Vitrine\'s own reasons',
      'hide must be a function',
      'text.titel is unknown; the members are title, description, category, sub_category, city, state, provider',
      'text.title must be a function',
    ]));

  it('include a missing export, rules without effect, and too many reasons', () => {
    expect(rulesModuleFaults(undefined)).to.deep.equal([
      'the default export must be an object, for example defineRules({ … })',
    ]);
    expect(faults({ hide: undefined })).to.equal('the module must have hide or text');
    expect(faults({ reasons: undefined })).to.include('hide needs reasons');
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`r${i}`, 'x']));
    expect(faults({ reasons: many })).to.equal('reasons must have at most 50 members');
  });
});

describe('the example of the documents', () => {
  const check = (changes: object = {}) => derived(example, changes);

  it('hides listings without an image, without a known category, and above its highest price', () => {
    expect(check({ images: null })).to.deep.equal({ hidden: 'image' });
    expect(check({ category: 'Outros' })).to.deep.equal({ hidden: 'category' });
    expect(check({ price: 5_000_001 })).to.deep.equal({ hidden: 'price-ceiling' });
  });

  it('removes telephone numbers from descriptions', () => {
    expect(check().item?.feed_item.description).to.equal('Ligue …');
    expect(check({ description: 'Sofá de 2020, 3 lugares' }).item?.feed_item.description).to.equal(
      'Sofá de 2020, 3 lugares',
    );
  });
});
