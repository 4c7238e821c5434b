import { expect } from 'chai';
import fc from 'fast-check';
import {
  claimSlice,
  planSlices,
  type Scan,
  type Slice,
  withDone,
  withFreed,
  withProgress,
} from './scan-slices.ts';

const scanOf = (slices: Slice[]): Scan => ({ slices, total: 0, writer: 'w' });

/** Claims a slice that must be free. */
function claim(scan: Scan, builder: string): { scan: Scan; index: number } {
  const claimed = claimSlice(scan, builder);
  if (typeof claimed === 'string') throw new Error(claimed);
  return claimed;
}

describe('the slices of a scan', () => {
  it('cover each sequence number of each shard once, and the last slice of a shard has no end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1, max: 5_000_000 }), { minLength: 1, maxLength: 50 }),
        (highest) => {
          const slices = planSlices(highest.map((highest, i) => ({ shard: String(i), highest })));
          expect(slices.length).to.be.at.most(32 + highest.length);
          for (const i of highest.keys()) {
            const ofShard = slices.filter(({ shard }) => shard === String(i));
            let next = -1;
            for (const { after, last } of ofShard) {
              expect(after).to.equal(next);
              if (last !== undefined) expect(last).to.be.above(after);
              next = last ?? next;
            }
            expect(ofShard.map(({ last }) => last === undefined)).to.deep.equal(
              ofShard.map((_, i) => i === ofShard.length - 1),
            );
          }
        },
      ),
    );
  });

  const plan = () => scanOf(planSlices([{ shard: '0', highest: 2_499 }]));

  it('go to one builder each, and the slice without an end only after all others of its shard are done', () => {
    const first = claim(plan(), 'a');
    const second = claim(first.scan, 'b');
    expect([first.index, second.index]).to.deep.equal([0, 1]);
    expect(claimSlice(second.scan, 'c')).to.equal('wait');
    const oneDone = withDone(second.scan, 'a', 0);
    expect(claimSlice(oneDone, 'a')).to.equal('wait');
    const last = claim(withDone(oneDone, 'b', 1), 'a');
    expect(last.index).to.equal(2);
    expect(claimSlice(last.scan, 'b')).to.equal('wait');
    expect(claimSlice(withDone(last.scan, 'a', 2), 'b')).to.equal('done');
  });

  it('continue with another builder at the stored position', () => {
    const { scan } = claim(plan(), 'a');
    const stored = withProgress(scan, 'a', new Map([[0, { after: 800, states: 700 }]]));
    const takenOver = claim(withFreed(stored, 'a', true), 'b');
    expect(takenOver.scan.slices[0]).to.deep.include({ after: 800, states: 700, builder: 'b', lost: ['a'] });
    expect(withFreed(stored, 'a', false).slices[0]).not.to.have.any.keys('builder', 'lost');
  });

  it('ignore a builder that lost them', () => {
    const { scan } = claim(plan(), 'a');
    const takenOver = claim(withFreed(scan, 'a', true), 'b').scan;
    expect(withDone(takenOver, 'a', 0)).to.deep.equal(takenOver);
    expect(withProgress(takenOver, 'a', new Map([[0, { after: 9, states: 9 }]]))).to.deep.equal(takenOver);
  });

  it('remain done if their builder is lost', () => {
    const { scan } = claim(plan(), 'a');
    const done = withDone(scan, 'a', 0);
    expect(withFreed(done, 'a', true)).to.deep.equal(done);
  });
});
