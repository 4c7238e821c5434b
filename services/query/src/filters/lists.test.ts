import { expect } from 'chai';
import { encodeCursor } from '../request/cursor.ts';
import { readFeedRequest } from '../request/feed-request.ts';
import { pageLinks } from '../response/page-links.ts';
import { feedQuery } from '../search/feed-query.ts';
import { city } from './slugs.ts';

const read = (query: string, pathType?: 'rent') => readFeedRequest('public-feed', pathType, query);
const criteriaOf = (query: string, pathType?: 'rent') => {
  const request = read(query, pathType);
  if ('bad' in request) throw new Error(`${query}: ${JSON.stringify(request.bad)}`);
  return request;
};
const badOf = (query: string, pathType?: 'rent') => {
  const request = read(query, pathType);
  return 'bad' in request ? request.bad : [];
};
const values = (name: 'city' | 'category', text: string) =>
  criteriaOf(`${name}=${encodeURIComponent(text)}`)[name]?.split(',');
const clausesOf = (query: string) =>
  feedQuery(criteriaOf(query), { today: '2026-12-01', localRadiusKm: 50 }).request.query?.bool?.filter;

describe('list of filter values', () => {
  it('is separated by commas that no white space follows', () => {
    expect(values('category', 'Casa, mesa e banho')).to.deep.equal(['casa-mesa-e-banho']);
    expect(values('category', 'Casa, mesa e banho,Chalé')).to.deep.equal(['casa-mesa-e-banho', 'chale']);
    for (const space of ['\t', '\n', '\u00a0'])
      expect(values('category', `a,${space}b`)).to.deep.equal(['a-b']);
    expect(values('category', 'a ,b')).to.deep.equal(['a', 'b']);
  });

  it('means the same in any order, with repeated and with blank values', () => {
    for (const text of [
      'natal,recife',
      'Recife,NATAL',
      ',natal,,recife,',
      'natal,recife,Natal',
      'recife,---,natal',
    ])
      expect(criteriaOf(`city=${text}`), text).to.deep.equal(criteriaOf('city=natal,recife'));
    expect(criteriaOf('city=,'), 'only commas match nothing, as before').to.include({ city: '' });
  });

  it('is the same request under the legacy name', () => {
    expect(criteriaOf('cidade=Recife,Natal')).to.deep.equal(criteriaOf('city=natal,recife'));
    expect(criteriaOf('cidade=Recife,Natal&city=natal,recife')).to.include({ city: 'natal,recife' });
    expect(badOf('cidade=Recife,Natal&city=natal').map(({ parameter }) => parameter)).to.deep.equal([
      'city',
      'cidade',
    ]);
  });

  it('has at most 20 values', () => {
    const list = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`).join(',');
    expect(values('city', list(20))).to.have.length(20);
    for (const name of ['city', 'category', 'sub_category'])
      expect(badOf(`${name}=${list(21)}`)).to.deep.equal([
        { parameter: name, detail: 'must have at most 20 values' },
      ]);
    expect(badOf(`ad_type=${Array(21).fill('rent').join(',')}`)[0]).to.include({ parameter: 'ad_type' });
  });

  it('matches the items with any of its values, in every spelling of an apostrophe', () => {
    expect(clausesOf('category=casa,chale')).to.deep.equal([{ terms: { category: ['casa', 'chale'] } }]);
    expect(clausesOf("city=Mãe d'Água,natal")).to.deep.equal([
      { terms: { city: ['mae-d-agua', 'mae-dagua', 'natal'] } },
    ]);
  });

  it('is part of links and of the fingerprint of cursors', () => {
    const criteria = criteriaOf('city=recife,natal');
    const links = pageLinks(criteria, {
      page: 1,
      pageSize: 20,
      pageCount: 1,
      total: 1,
      endpoint: 'public-feed',
    });
    expect(links).to.include('city=natal%2Crecife');
    const cursor = (query: string) => encodeCursor(criteriaOf(query), { key: 1, id: 'a' });
    expect(cursor('city=natal,recife')).to.equal(cursor('cidade=Recife,Natal'));
    expect(cursor('city=natal,recife')).not.to.equal(cursor('city=natal-recife'));
  });
});

describe('city with its state', () => {
  const inMs = [{ terms: { city: ['bonito'] } }, { term: { state: 'ms' } }];

  for (const text of [
    'Bonito, MS',
    'Bonito,MS',
    'Bonito - MS',
    'bonito/ms',
    'BONITO (ms)',
    'bonito-ms',
    'Bonito,ms',
  ])
    it(`${text} matches the whole slug, and the city in the state`, () => {
      expect(values('city', text)).to.deep.equal(['bonito-ms']);
      expect(clausesOf(`city=${encodeURIComponent(text)}`)).to.deep.equal([
        { bool: { should: [{ term: { city: 'bonito-ms' } }, { bool: { filter: inMs } }] } },
      ]);
    });

  it('may be one of several values', () => {
    expect(values('city', 'Bonito,MS,Natal')).to.deep.equal(['bonito-ms', 'natal']);
    expect(values('city', 'Bonito,MS,Bonito,PE')).to.deep.equal(['bonito-ms', 'bonito-pe']);
    expect(values('city', 'Bonito, MS,Mãe d’Água,PB')).to.deep.equal(['bonito-ms', 'mae-d-agua-pb']);
  });

  it('has every spelling of an apostrophe', () => {
    expect(JSON.stringify(clausesOf("city=Mãe d'Água,PB"))).to.include('["mae-d-agua","mae-dagua"]');
  });

  it('is only a city directly before one of the 27 codes', () => {
    expect(values('city', 'MS,Bonito')).to.deep.equal(['ms', 'bonito']);
    expect(values('city', 'Bonito,XX')).to.deep.equal(['bonito', 'xx']);
    expect(values('city', 'Bonito,MSX')).to.deep.equal(['bonito', 'msx']);
    expect(JSON.stringify(clausesOf('city=xique-xique'))).not.to.include('state');
    expect(JSON.stringify(clausesOf('city=ms'))).not.to.include('state');
  });

  it('does not join a code that stands alone, wherever the sorted list has it', () => {
    for (const text of ['MS,Bonito', 'MS,PE,Bonito', 'bonito-ms,pe', 'Bonito,MS,PE']) {
      const criteria = criteriaOf(`city=${text}`);
      const [link = ''] = pageLinks(criteria, {
        page: 1,
        pageSize: 20,
        pageCount: 1,
        total: 1,
        endpoint: 'public-feed',
      }).split('>');
      expect(criteriaOf(link.slice(link.indexOf('?') + 1)), text).to.deep.equal(criteria);
    }
  });

  it('is compared with the city and the state of a listing in lookups', () => {
    const listing = (name: string, state?: string) => ({
      item: { location: { city: name, country: 'BR', ...(state && { state }) } } as never,
    });
    const passes = (query: string, name: string, state?: string) =>
      city.passes?.(listing(name, state), criteriaOf(query));
    expect(passes('city=Bonito,MS', 'Bonito', 'Mato Grosso do Sul')).to.equal(true);
    expect(passes('city=Bonito,MS', 'Bonito', 'PE')).to.equal(false);
    expect(passes('city=Bonito,MS', 'Bonito')).to.equal(false);
    expect(passes('city=Bonito,MS', 'Bonito - MS')).to.equal(true);
  });
});

describe('state', () => {
  it('is its code, or the slug of another text', () => {
    for (const text of ['MS', 'ms', 'Mato Grosso do Sul', 'mato-grosso-do-sul'])
      expect(criteriaOf(`state=${text}`).state, text).to.equal('ms');
    expect(criteriaOf('state=Lisboa').state).to.equal('lisboa');
    expect(criteriaOf('state=---').state).to.equal('');
    expect(criteriaOf('state=+')).not.to.have.property('state');
    expect(clausesOf('state=Ceará')).to.deep.equal([{ term: { state: 'ce' } }]);
  });
});

describe('ad_type', () => {
  it('is a parameter of the feeds without an ad type in the path', () => {
    expect(criteriaOf('ad_type=rental')).to.deep.equal(criteriaOf('ad_type=rent'));
    expect(criteriaOf('ad_type=sale,rent'))
      .to.include({ adTypes: 'rent,sale' })
      .and.not.have.property('adType');
    expect(clausesOf('ad_type=rent')).to.deep.equal([{ term: { ad_type: 'rent' } }]);
    expect(clausesOf('ad_type=sale,rent')).to.deep.equal([{ terms: { ad_type: ['rent', 'sale'] } }]);
  });

  it('stays a parameter in links, and the path stays the path', () => {
    const meta = { page: 1, pageSize: 20, pageCount: 1, total: 1, endpoint: '' };
    expect(pageLinks(criteriaOf('ad_type=rent'), meta)).to.match(
      /^<public-feed\?page=1&pageSize=20&ad_type=rent>/,
    );
    expect(pageLinks(criteriaOf('ad_type=rent', 'rent'), meta)).to.match(/^<rent\?page=1&pageSize=20>/);
  });

  it('must be the same as in the path', () => {
    for (const text of ['', 'rent', 'rental', 'rent,rent'])
      expect(criteriaOf(`ad_type=${text}`, 'rent'), text).to.deep.equal(criteriaOf('', 'rent'));
    for (const text of ['sale', 'rent,sale'])
      expect(badOf(`ad_type=${text}`, 'rent')).to.deep.equal([
        { parameter: 'ad_type', detail: 'must be rent, as in the path' },
      ]);
  });

  it('refuses every other value', () => {
    for (const text of ['car', 'Rent', 'rent,', 'rent, sale', 'rent,car', 'constructor'])
      expect(badOf(`ad_type=${text}`)[0], text).to.include({ parameter: 'ad_type' });
  });
});
