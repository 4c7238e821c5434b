import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { EventStore } from './event-store.ts';

/** The lines of each listing, in their order. */
function stored(store: EventStore): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const part of store.parts()) {
    const ofPart = new Map<string, string[]>();
    for (const { id, line } of part) ofPart.set(id, [...(ofPart.get(id) ?? []), line]);
    for (const [id, lines] of ofPart) {
      expect(found.has(id), `${id} is in two parts`).to.equal(false);
      found.set(id, lines);
    }
  }
  return found;
}

describe('the store of events', () => {
  for (const [where, memoryBytes] of [
    ['memory', undefined],
    ['a file', 10_000],
  ] as const)
    it(`returns the lines of each listing together and in order, from ${where}`, () => {
      const store = new EventStore(memoryBytes);
      const expected = new Map<string, string[]>();
      for (let i = 0; i < 20_000; i++) {
        const id = `listing-${(i * 7) % 1_000}`;
        const line = `${i} ${'é'.repeat(i % 97)}`;
        store.add(id, line);
        expected.set(id, [...(expected.get(id) ?? []), line]);
      }
      store.add('listing-0', 'x'.repeat(1_500_000));
      expected.get('listing-0')?.push('x'.repeat(1_500_000));
      try {
        expect(store.lines).to.equal(20_001);
        expect(stored(store)).to.deep.equal(expected);
        expect(readdirSync(tmpdir()).filter((name) => name.startsWith('vitrine-check-'))).to.deep.equal([]);
      } finally {
        store.close();
      }
    });

  it('names the temporary folder that it cannot use', () => {
    const { TMPDIR } = process.env;
    process.env.TMPDIR = '/nowhere';
    const store = new EventStore(1);
    try {
      expect(() => {
        for (let i = 0; i < 100_000; i++) store.add('a', 'x'.repeat(100));
      }).to.throw(/temporary folder \/nowhere.*Set TMPDIR/);
    } finally {
      store.close();
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  });
});
