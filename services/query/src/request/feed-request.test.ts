import { expect } from 'chai';
import { encodeCursor } from './cursor.ts';
import { readFeedRequest } from './feed-request.ts';

const PLAIN = { feed: 'public-feed', page: 1, pageSize: 20 };
const read = (query: string) => readFeedRequest('public-feed', undefined, query);
/** The names of the refused parameters. */
const refused = (query: string) => {
  const request = read(query);
  return 'bad' in request ? request.bad.map(({ parameter }) => parameter) : [];
};
const accepts = (query: string, expected: object) =>
  expect(read(query), query).to.deep.equal({ ...PLAIN, ...expected });

describe('feed request', () => {
  it('sets defaults and ignores unknown parameters', () => {
    accepts('', {});
    accepts('pagesize=5&Page=2&LAT=1&foo', {});
    expect(readFeedRequest('ai-feed', 'rent', '')).to.deep.equal({
      feed: 'ai-feed',
      adType: 'rent',
      page: 1,
      pageSize: 20,
    });
  });

  for (const [name, maximum] of [
    ['page', 9007199254740991],
    ['pageSize', 100],
  ] as const) {
    describe(name, () => {
      it('accepts a plain decimal integer within its bounds', () => {
        accepts(`${name}=1`, { [name]: 1 });
        accepts(`${name}=${maximum}`, { [name]: maximum });
        accepts(`${name}=007`, { [name]: 7 });
        accepts(`${name}=${'0'.repeat(400)}9`, { [name]: 9 });
      });
      it('uses its default if it is empty', () => accepts(`${name}=`, {}));
      it('refuses values below, above and in any other form', () => {
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
      it('refuses repetition', () => expect(refused(`${name}=1&${name}=1`)).to.deep.equal([name]));
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
          for (const value of [
            'sao-paulo',
            'S%C3%A3o%20Paulo',
            'SAO+PAULO',
            'Sa%CC%83o-Paulo',
            '%20s%C3%A3o_paulo%0A',
          ]) {
            accepts(`${given}=${value}`, { [name]: 'sao-paulo' });
          }
        });
        it(`${given}: empty or blank is absent`, () => {
          for (const value of ['', '%20', '+', '%09%0D%0A', '%C2%A0']) accepts(`${given}=${value}`, {});
        });
        it(`${given}: text without a letter or digit is an empty slug, which no item has`, () => {
          for (const value of ['%E6%97%A5%E6%9C%AC', '---', '%00', '%3Cb%3E', '*', '%F0%9F%98%80'])
            accepts(`${given}=${value}`, { [name]: '' });
        });
        it(`${given}: repeated or malformed is refused`, () => {
          for (const query of [
            `${given}=a&${given}=a`,
            `${given}=&${given}=`,
            `${given}=%FF`,
            `${given}=%4`,
          ]) {
            expect(refused(query), query).to.deep.equal([given]);
          }
        });
      }
      it('accepts both if they mean the same or one is empty', () => {
        accepts(`${name}=S%C3%A3o+Paulo&${alias}=sao-paulo`, { [name]: 'sao-paulo' });
        accepts(`${name}=---&${alias}=%E6%97%A5`, { [name]: '' });
        accepts(`${name}=+&${alias}=x`, { [name]: 'x' });
        accepts(`${name}=x&${alias}=`, { [name]: 'x' });
      });
      it('refuses both if they differ', () => {
        expect(refused(`${name}=a&${alias}=b`)).to.deep.equal([name, alias]);
        expect(refused(`${name}=a&${alias}=---`)).to.deep.equal([name, alias]);
      });
    });
  }

  describe('date (data)', () => {
    for (const given of ['date', 'data']) {
      it(`${given}: accepts a real date or none`, () => {
        for (const date of ['2026-12-01', '2028-02-29', '0000-01-01', '9999-12-31'])
          accepts(`${given}=${date}`, { date });
        accepts(`${given}=`, {});
      });
      it(`${given}: refuses anything else`, () => {
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
      it(`${given}: refuses repetition`, () =>
        expect(refused(`${given}=2026-01-01&${given}=2026-01-01`)).to.deep.equal([given]));
    }
    it('accepts both if they are the same date', () =>
      accepts('date=2026-01-01&data=2026-01-01', { date: '2026-01-01' }));
    it('refuses both if they differ', () =>
      expect(refused('date=2026-01-01&data=2026-01-02')).to.deep.equal(['date', 'data']));
    it('refuses only the malformed parameter', () =>
      expect(refused('date=2026-01-01&data=x')).to.deep.equal(['data']));
  });

  describe('date_to', () => {
    it('ends a range of at most 31 dates that begins at date', () => {
      accepts('date=2026-12-05&date_to=2026-12-06', { date: '2026-12-05', dateTo: '2026-12-06' });
      accepts('data=2026-12-05&date_to=2027-01-04', { date: '2026-12-05', dateTo: '2027-01-04' });
      accepts('date=9999-12-31&date_to=9999-12-31', { date: '9999-12-31' });
    });
    it('is ignored if it equals date', () =>
      accepts('date=2026-12-05&date_to=2026-12-05', { date: '2026-12-05' }));
    it('is refused without date, before it, too far after it, or malformed', () => {
      for (const query of [
        'date_to=2026-12-05',
        'date=&date_to=2026-12-05',
        'date=2026-12-05&date_to=2026-12-04',
        'date=2026-12-05&date_to=2027-01-05',
      ])
        expect(refused(query), query).to.deep.equal(['date_to']);
      expect(refused('date=2026-12-05&date_to=2026-02-29')).to.deep.equal(['date_to']);
      expect(refused('date=2026-12-05&date_to=2026-12-06&date_to=2026-12-06')).to.deep.equal(['date_to']);
    });
    it('causes no additional error if only date is bad', () => {
      expect(refused('date=x&date_to=2026-12-05')).to.deep.equal(['date']);
      expect(refused('date=2026-12-01&data=2026-12-02&date_to=2026-12-05')).to.deep.equal(['date', 'data']);
    });
  });

  describe('lat and lng', () => {
    it('accept decimal numbers', () => {
      accepts('lat=-23.55&lng=-46.63', { point: { lat: -23.55, lon: -46.63 } });
      accepts('lat=90&lng=180', { point: { lat: 90, lon: 180 } });
      accepts('lat=-90.0&lng=-180.000', { point: { lat: -90, lon: -180 } });
      accepts('lat=1e-7&lng=05', { point: { lat: 1e-7, lon: 5 } });
      accepts('lat=&lng=', {});
    });
    it('treat -0 as 0', () => {
      const request = read('lat=-0&lng=-0.0');
      expect(
        'point' in request && Object.is(request.point?.lat, 0) && Object.is(request.point?.lon, 0),
      ).to.equal(true);
    });
    it('are both listed as errors if one is missing', () => {
      for (const query of ['lat=1', 'lng=1', 'lat=1&lng=', 'lat=&lng=1'])
        expect(refused(query), query).to.deep.equal(['lat', 'lng']);
    });
    it('refuse values out of range and in any other form', () => {
      const values = [
        'x',
        '+1',
        '%2B1',
        '%201',
        '1%20',
        '.5',
        '5.',
        '1,5',
        '0x1',
        'NaN',
        'Infinity',
        '-Infinity',
        '1e400',
        '--1',
        '1_0',
        '%D9%A1',
        '%20',
      ];
      for (const value of [...values, '90.000001', '-91'])
        expect(refused(`lat=${value}&lng=1`), value).to.deep.equal(['lat']);
      for (const value of [...values, '180.1', '-181'])
        expect(refused(`lat=1&lng=${value}`), value).to.deep.equal(['lng']);
    });
    it('are refused when repeated', () =>
      expect(refused('lat=1&lng=1&lng=2')).to.deep.equal(['lng', 'lat', 'lng']));
  });

  describe('localOnly', () => {
    const point = { lat: 1, lon: 2 };
    it('is on or off, in any letter case', () => {
      for (const on of ['true', '1', 'on', 'True', 'TRUE', 'oN'])
        accepts(`lat=1&lng=2&localOnly=${on}`, { point, localOnly: true });
      for (const off of ['false', '0', 'off', '', 'False', 'OFF'])
        accepts(`lat=1&lng=2&localOnly=${off}`, { point });
      accepts('localOnly=off', {});
    });
    it('refuses any other form', () => {
      for (const value of ['yes', 'Y', 'truE%20', '2', '%20', 'on%20', 'null'])
        expect(refused(`lat=1&lng=2&localOnly=${value}`), value).to.deep.equal(['localOnly']);
    });
    it('is refused if it is on without a point', () => {
      expect(refused('localOnly=true')).to.deep.equal(['localOnly']);
      expect(refused('localOnly=true&lat=x&lng=1')).to.deep.equal(['lat']);
    });
  });

  describe('cursor', () => {
    const cursorOf = (query: string) => {
      const request = read(query);
      if ('bad' in request) throw new Error(query);
      return encodeCursor(request, { key: 5, id: 'a' });
    };
    const { page: _, ...byCursor } = PLAIN;
    it('starts with * and has no page number', () => expect(read('cursor=*')).to.deep.equal(byCursor));
    it('continues after its position, even with another page size', () => {
      expect(read(`cursor=${cursorOf('cursor=*')}&pageSize=7`)).to.deep.equal({
        ...byCursor,
        pageSize: 7,
        after: { key: 5, id: 'a' },
      });
    });
    it('is refused together with page', () =>
      expect(refused('cursor=*&page=1')).to.deep.equal(['page', 'cursor']));
    it('is refused if it is malformed', () => {
      for (const value of [
        'x',
        '**',
        '%20',
        'a%20b',
        'eyJ',
        'W10',
        'a'.repeat(3_000),
        `${cursorOf('')}A`,
        '%C3%A3',
      ])
        expect(refused(`cursor=${value}`), value).to.deep.equal(['cursor']);
    });
    it('is refused with other filters', () => {
      expect(refused(`cursor=${cursorOf('city=a')}&city=a`)).to.deep.equal([]);
      expect(refused(`cursor=${cursorOf('city=a')}&cidade=A`)).to.deep.equal([]);
      expect(refused(`cursor=${cursorOf('city=a')}&city=b`)).to.deep.equal(['cursor']);
      expect(refused(`cursor=${cursorOf('city=a')}`)).to.deep.equal(['cursor']);
    });
  });

  it('lists every bad parameter with the reason', () => {
    expect(
      read('page=0&pageSize=101&city=a&cidade=b&category=%FF&sub_category=a&sub_category=b&date=x'),
    ).to.deep.equal({
      bad: [
        { parameter: 'category', detail: 'must be percent-encoded UTF-8' },
        { parameter: 'sub_category', detail: 'must not be repeated' },
        { parameter: 'page', detail: 'must be a decimal integer from 1 to 9007199254740991' },
        { parameter: 'pageSize', detail: 'must be a decimal integer from 1 to 100' },
        { parameter: 'date', detail: 'must be a calendar date, written YYYY-MM-DD' },
        { parameter: 'city', detail: 'must have the same meaning as its legacy alias cidade' },
        { parameter: 'cidade', detail: 'must have the same meaning as city' },
      ],
    });
  });
});
