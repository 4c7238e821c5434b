import { expect } from 'chai';
import { readAdType, readFeedRequest } from './feed-request.ts';

const PLAIN = { feed: 'public-feed', page: 1, pageSize: 20 };
const read = (query: string) => readFeedRequest('public-feed', undefined, query);
/** The names of the refused parameters. */
const refused = (query: string) => {
  const request = read(query);
  return 'bad' in request ? request.bad.map(({ parameter }) => parameter) : [];
};
const accepts = (query: string, expected: object) => expect(read(query), query).to.deep.equal({ ...PLAIN, ...expected });

describe('feed request', () => {
  it('has defaults, and ignores unknown parameters', () => {
    accepts('', {});
    accepts('pagesize=5&Page=2&lat=1&foo', {});
    expect(readFeedRequest('ai-feed', 'rent', '')).to.deep.equal({ feed: 'ai-feed', adType: 'rent', page: 1, pageSize: 20 });
  });

  it('knows the ad types, and rental for rent', () => {
    expect(['sale', 'rent', 'rental', 'service'].map(readAdType)).to.deep.equal(['sale', 'rent', 'rent', 'service']);
    for (const other of ['', 'Rent', 'rents', 'sale ', '__proto__', 'constructor']) expect(readAdType(other), other).to.equal(undefined);
  });

  for (const [name, maximum] of [
    ['page', 9007199254740991],
    ['pageSize', 100],
  ] as const) {
    describe(name, () => {
      it('is a plain decimal integer within its bounds', () => {
        accepts(`${name}=1`, { [name]: 1 });
        accepts(`${name}=${maximum}`, { [name]: maximum });
        accepts(`${name}=007`, { [name]: 7 });
        accepts(`${name}=${'0'.repeat(400)}9`, { [name]: 9 });
      });
      it('has its default when empty', () => accepts(`${name}=`, {}));
      it('is refused below, above, and in any other form', () => {
        const above = String(BigInt(maximum) + 1n);
        const values = [
          '0',
          '00',
          '-1',
          '-0',
          '%2B1',
          '+1',
          '1.0',
          '1.',
          '1e1',
          '0x1',
          '%201',
          '1%20',
          '%20',
          '1%00',
          '1,0',
          'x',
          'NaN',
          'Infinity',
          'null',
        ];
        for (const value of [...values, above, '9'.repeat(400), '%EF%BC%91', '%D9%A1'])
          expect(refused(`${name}=${value}`), value).to.deep.equal([name]);
      });
      it('is refused when repeated', () => expect(refused(`${name}=1&${name}=1`)).to.deep.equal([name]));
    });
  }

  for (const [name, alias] of [
    ['city', 'cidade'],
    ['category', 'categoria'],
    ['sub_category', 'subcategoria'],
  ] as const) {
    describe(`${name} (${alias})`, () => {
      for (const given of [name, alias]) {
        it(`${given}: every spelling of a text is its slug`, () => {
          for (const value of ['sao-paulo', 'S%C3%A3o%20Paulo', 'SAO+PAULO', 'Sa%CC%83o-Paulo', '%20s%C3%A3o_paulo%0A']) {
            accepts(`${given}=${value}`, { [name]: 'sao-paulo' });
          }
        });
        it(`${given}: empty or blank is absent`, () => {
          for (const value of ['', '%20', '+', '%09%0D%0A', '%C2%A0']) accepts(`${given}=${value}`, {});
        });
        it(`${given}: not blank but without a slug is an empty slug, that no item has`, () => {
          for (const value of ['%E6%97%A5%E6%9C%AC', '---', '%00', '%3Cb%3E', '*', '%F0%9F%98%80']) accepts(`${given}=${value}`, { [name]: '' });
        });
        it(`${given}: repeated or malformed is refused`, () => {
          for (const query of [`${given}=a&${given}=a`, `${given}=&${given}=`, `${given}=%FF`, `${given}=%4`]) {
            expect(refused(query), query).to.deep.equal([given]);
          }
        });
      }
      it('both are fine when they mean the same, or one says nothing', () => {
        accepts(`${name}=S%C3%A3o+Paulo&${alias}=sao-paulo`, { [name]: 'sao-paulo' });
        accepts(`${name}=---&${alias}=%E6%97%A5`, { [name]: '' });
        accepts(`${name}=+&${alias}=x`, { [name]: 'x' });
        accepts(`${name}=x&${alias}=`, { [name]: 'x' });
      });
      it('both are refused when they differ', () => {
        expect(refused(`${name}=a&${alias}=b`)).to.deep.equal([name, alias]);
        expect(refused(`${name}=a&${alias}=---`)).to.deep.equal([name, alias]);
      });
    });
  }

  describe('date (data)', () => {
    for (const given of ['date', 'data']) {
      it(`${given}: a real date, or absent`, () => {
        for (const date of ['2026-12-01', '2028-02-29', '0000-01-01', '9999-12-31']) accepts(`${given}=${date}`, { date });
        accepts(`${given}=`, {});
      });
      it(`${given}: anything else is refused`, () => {
        const values = [
          '2026-02-29',
          '2026-13-01',
          '2026-00-10',
          '2026-01-00',
          '2026-1-1',
          '01-01-2026',
          '20260101',
          '2026-01-01T00:00:00Z',
          'today',
          '%20',
        ];
        for (const value of [...values, '+2026-01-01', '2026-01-01%0A', '12026-01-01', '-2026-01-01']) {
          expect(refused(`${given}=${value}`), value).to.deep.equal([given]);
        }
      });
      it(`${given}: repeated is refused`, () => expect(refused(`${given}=2026-01-01&${given}=2026-01-01`)).to.deep.equal([given]));
    }
    it('both are fine when they are the same date', () => accepts('date=2026-01-01&data=2026-01-01', { date: '2026-01-01' }));
    it('both are refused when they differ', () => expect(refused('date=2026-01-01&data=2026-01-02')).to.deep.equal(['date', 'data']));
    it('a malformed one is refused alone', () => expect(refused('date=2026-01-01&data=x')).to.deep.equal(['data']));
  });

  it('names every bad parameter at once, and why', () => {
    expect(read('page=0&pageSize=101&city=a&cidade=b&category=%FF&sub_category=a&sub_category=b&date=x')).to.deep.equal({
      bad: [
        { parameter: 'category', detail: 'must be percent-encoded UTF-8' },
        { parameter: 'sub_category', detail: 'must be given once at most' },
        { parameter: 'page', detail: 'must be a decimal integer from 1 to 9007199254740991' },
        { parameter: 'pageSize', detail: 'must be a decimal integer from 1 to 100' },
        { parameter: 'date', detail: 'must be a calendar date, written YYYY-MM-DD' },
        { parameter: 'city', detail: 'must mean the same as its legacy alias cidade' },
        { parameter: 'cidade', detail: 'must mean the same as city' },
      ],
    });
  });
});
