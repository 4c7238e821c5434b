import { expect } from 'chai';
import fc from 'fast-check';
import { changeNumber, MAX_EPOCH, splitChangeNumber } from './change-entry.ts';
import { type ChangesHistory, liveChain, type Transition } from './changes-history.ts';
import { planChanges } from './plan-changes.ts';

const at = '2026-11-22T00:00:00.000Z';
const step = (
  epoch: number,
  generation: number,
  after: Transition['after'] | undefined,
  handover?: Transition['handover'],
): Transition => ({ epoch, generation, at, ...(after && { after }), ...(handover && { handover }) });
const history = (...transitions: Transition[]): ChangesHistory => ({ transitions, kept: [] });

const FIRST = { epoch: 1, generation: 1 };
const SECOND = { epoch: 2, generation: 2 };
const oneSwitch = history(step(2, 2, FIRST, { from: 100, to: 40 }));
/** Generation 1, then 2, then 1 again. */
const rolledBack = history(...oneSwitch.transitions, step(3, 1, SECOND, { from: 70, to: 150 }));

describe('a change number', () => {
  it('is epoch x 2^40 + sequence number', () => {
    expect(changeNumber(1, 11)).to.equal(1_099_511_627_787);
    expect(splitChangeNumber(1_099_511_627_787)).to.deep.equal({ epoch: 1, sequence: 11 });
    expect(splitChangeNumber(Number.MAX_SAFE_INTEGER)).to.deep.equal({
      epoch: MAX_EPOCH,
      sequence: 2 ** 40 - 1,
    });
  });

  it('can be split without loss', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: MAX_EPOCH }),
        fc.integer({ min: 0, max: 2 ** 40 - 1 }),
        (epoch, sequence) => {
          const number = changeNumber(epoch, sequence);
          expect(Number.isSafeInteger(number)).to.equal(true);
          expect(splitChangeNumber(number)).to.deep.equal({ epoch, sequence });
        },
      ),
    ));
});

describe('the plan of a page of changes', () => {
  const plan = (live: Transition['after'], among: ChangesHistory, epoch: number, sequence: number) =>
    planChanges(live as typeof FIRST, among, changeNumber(epoch, sequence));
  const live = (epoch: number, generation: number, after: number) => ({ epoch, generation, after });

  it('begins with the live generation if there is no change number', () => {
    expect(planChanges(FIRST, history(), 0)).to.deep.equal({ kind: 'segments', segments: [live(1, 1, -1)] });
    expect(planChanges({ epoch: 3, generation: 1 }, rolledBack, 0)).to.deep.equal({
      kind: 'segments',
      segments: [live(3, 1, -1)],
    });
  });

  it('continues after the sequence number in the live epoch', () =>
    expect(plan(FIRST, history(), 1, 5)).to.deep.equal({ kind: 'segments', segments: [live(1, 1, 5)] }));

  it('continues at C2 with a number at or above C1', () => {
    for (const sequence of [100, 101, 5_000])
      expect(plan(SECOND, oneSwitch, 1, sequence), String(sequence)).to.deep.equal({
        kind: 'segments',
        segments: [live(2, 2, 40)],
      });
  });

  it('reads the previous generation up to C1 first, with a number below C1', () =>
    expect(plan(SECOND, oneSwitch, 1, 99)).to.deep.equal({
      kind: 'segments',
      segments: [{ epoch: 1, generation: 1, after: 99, upTo: 100 }, live(2, 2, 40)],
    }));

  it('reads the generation that was live meanwhile, also if the own one is live again', () =>
    expect(plan({ epoch: 3, generation: 1 }, rolledBack, 1, 30)).to.deep.equal({
      kind: 'segments',
      segments: [
        { epoch: 1, generation: 1, after: 30, upTo: 100 },
        { epoch: 2, generation: 2, after: 40, upTo: 70 },
        live(3, 1, 150),
      ],
    }));

  it('goes through the marks of a rollback', () => {
    expect(plan({ epoch: 3, generation: 1 }, rolledBack, 2, 60)).to.deep.equal({
      kind: 'segments',
      segments: [{ epoch: 2, generation: 2, after: 60, upTo: 70 }, live(3, 1, 150)],
    });
    expect(plan({ epoch: 3, generation: 1 }, rolledBack, 2, 70)).to.deep.equal({
      kind: 'segments',
      segments: [live(3, 1, 150)],
    });
  });

  it('goes through several transitions', () => {
    const long = history(
      ...rolledBack.transitions,
      step(4, 3, { epoch: 3, generation: 1 }, { from: 200, to: 10 }),
      step(5, 4, { epoch: 4, generation: 3 }, { from: 8, to: 7 }),
    );
    expect(plan({ epoch: 5, generation: 4 }, long, 2, 60)).to.deep.equal({
      kind: 'segments',
      segments: [
        { epoch: 2, generation: 2, after: 60, upTo: 70 },
        { epoch: 3, generation: 1, after: 150, upTo: 200 },
        live(5, 4, 7),
      ],
    });
  });

  it('ignores the transition of a switch that failed', () => {
    const failed = history(step(2, 5, FIRST, { from: 1, to: 1 }), step(3, 2, FIRST, { from: 100, to: 40 }));
    expect(plan({ epoch: 3, generation: 2 }, failed, 1, 100)).to.deep.equal({
      kind: 'segments',
      segments: [live(3, 2, 40)],
    });
    expect(plan({ epoch: 3, generation: 2 }, failed, 2, 1)).to.deep.equal({ kind: 'expired' });
    // The switch has written its transition and has not moved the aliases yet.
    expect(plan(FIRST, oneSwitch, 1, 100)).to.deep.equal({ kind: 'segments', segments: [live(1, 1, 100)] });
  });

  it('is an empty page above all numbers', () => {
    expect(planChanges(FIRST, history(), Number.MAX_SAFE_INTEGER)).to.deep.equal({
      kind: 'segments',
      segments: [live(1, 1, 2 ** 40 - 1)],
    });
    expect(plan(FIRST, oneSwitch, 2, 0)).to.deep.equal({
      kind: 'segments',
      segments: [live(1, 1, 2 ** 40 - 1)],
    });
  });

  it('expires if no epoch or no marks connect the number with the live generation', () => {
    expect(plan(SECOND, history(), 1, 100)).to.deep.equal({ kind: 'expired' });
    expect(plan(SECOND, history(step(2, 2, FIRST)), 1, 100)).to.deep.equal({ kind: 'expired' });
    expect(plan(SECOND, history(step(2, 2, undefined)), 1, 100)).to.deep.equal({ kind: 'expired' });
    expect(planChanges(FIRST, history(), 17)).to.deep.equal({ kind: 'expired' });
  });

  it('continues in the same generation after an epoch without changes', () => {
    // A rollback to a generation without a changes index ended epoch 2; the next switch needs no marks.
    const parked = history(...oneSwitch.transitions, step(3, 2, SECOND));
    expect(plan({ epoch: 3, generation: 2 }, parked, 2, 55)).to.deep.equal({
      kind: 'segments',
      segments: [live(3, 2, 55)],
    });
  });

  it('ends for any document, even one whose transitions form a loop', () => {
    const loop = history({ ...step(2, 2, { epoch: 2, generation: 2 }) });
    expect(liveChain(SECOND, loop)).to.have.length(1);
  });

  it('has segments with rising numbers, for every history', () => {
    const histories = fc
      .array(
        fc.record({
          generation: fc.integer({ min: 1, max: 4 }),
          from: fc.integer({ min: -1, max: 50 }),
          to: fc.integer({ min: -1, max: 50 }),
          fails: fc.boolean(),
        }),
        { maxLength: 8 },
      )
      .map((moves) => {
        let now = FIRST;
        const transitions = moves.map(({ generation, from, to, fails }, i): Transition => {
          const made = step(i + 2, generation, now, { from, to });
          if (!fails) now = { epoch: i + 2, generation };
          return made;
        });
        return { live: now, history: history(...transitions) };
      });
    fc.assert(
      fc.property(
        histories,
        fc.nat(1_000),
        fc.integer({ min: 0, max: 60 }),
        ({ live: now, history: among }, choice, sequence) => {
          const chain = liveChain(now, among);
          const { epoch } = chain[choice % chain.length] as typeof FIRST;
          const { kind, ...rest } = planChanges(now, among, changeNumber(epoch, sequence));
          expect(kind).to.equal('segments');
          const { segments } = rest as { segments: { epoch: number; generation: number; after: number }[] };
          expect(segments.at(-1)).to.include(now);
          let before = epoch - 1;
          for (const segment of segments) {
            expect(segment.epoch).to.be.greaterThan(before);
            before = segment.epoch;
          }
          if (segments[0]?.epoch === epoch) expect(segments[0].after).to.equal(sequence);
        },
      ),
    );
  });
});
