import { expect } from 'chai';
import { representChanges } from './changes-response.ts';

const origin = { base: 'https://host/api', license: 'https://license.test/' };
const criteria = { after: 5, hasAfter: true, limit: 500, hasLimit: false };
const item = { id: 'a', data: [Buffer.from('{"id":"a"'), Buffer.from('}')] };
const parse = (...args: Parameters<typeof representChanges>) =>
  JSON.parse(representChanges(...args).body.toString()) as unknown;

describe('page of changes', () => {
  it('contains entries, the license, and the URL that follows the last entry', () => {
    const changes = [
      { id: 'a', modified: 2 ** 40 + 7, note: { at: 0 }, item },
      { id: 'b"', modified: 2 ** 40 + 8, note: { at: 61_000 }, item: undefined },
    ];
    expect(parse(criteria, changes, origin)).to.deep.equal({
      next: `https://host/api/changes?afterChangeNumber=${2 ** 40 + 8}`,
      items: [
        {
          state: 'updated',
          kind: 'listing',
          id: 'a',
          modified: 2 ** 40 + 7,
          at: '1970-01-01T00:00:00.000Z',
          data: { id: 'a' },
        },
        {
          state: 'deleted',
          kind: 'listing',
          id: 'b"',
          modified: 2 ** 40 + 8,
          at: '1970-01-01T00:01:01.000Z',
        },
      ],
      license: 'https://license.test/',
    });
  });

  it('leads to itself if it is empty, and keeps a requested limit', () => {
    expect(parse({ ...criteria, limit: 7, hasLimit: true }, [], origin)).to.deep.equal({
      next: 'https://host/api/changes?afterChangeNumber=5&limit=7',
      items: [],
      license: 'https://license.test/',
    });
  });

  it('leads to itself even if it is empty and the request contains no change number', () => {
    const atBeginning = { ...criteria, after: 0, hasAfter: false };
    const urlOf = (hasLimit: boolean) =>
      (parse({ ...atBeginning, hasLimit }, [], origin) as { next: string }).next;
    expect(urlOf(false)).to.equal('https://host/api/changes');
    expect(urlOf(true)).to.equal('https://host/api/changes?limit=500');
  });

  it('has another entity tag if its content or its URL differs', () => {
    const tags = [
      representChanges(criteria, [], origin),
      representChanges({ ...criteria, after: 6 }, [], origin),
      representChanges(criteria, [], { ...origin, base: 'https://other/api' }),
    ].map(({ etag }) => etag);
    expect(new Set(tags).size).to.equal(3);
  });
});
