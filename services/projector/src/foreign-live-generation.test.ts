import { type GenerationRecord, type Registry, type RulesVersion, withModule } from '@vitrine/feed-index';
import { versionsWith } from '@vitrine/projection/generations';
import { expect } from 'chai';
import { foreignLiveGeneration, rolloutBeside } from './foreign-live-generation.ts';

const [OLD, NEW] = [{ version: 1 }, { version: 2 }];
const record = (
  number: number,
  rules: { version: RulesVersion },
  phase: GenerationRecord['phase'] = 'ready',
): GenerationRecord => ({
  number,
  phase,
  versions: versionsWith(rules),
  created_at: '2026-11-01T00:00:00Z',
  origin: { from: 'topic' },
});
const registry = (...generations: GenerationRecord[]): Registry => ({ generations, last: 9 });

describe('a projector beside a live generation of other versions', () => {
  it('takes part in no rollout if it writes the live generation, or if none is live', () => {
    expect(foreignLiveGeneration(registry(record(1, OLD), record(2, NEW)), { live: 1 }, OLD)).to.equal(
      undefined,
    );
    expect(foreignLiveGeneration(registry(record(1, OLD)), {}, NEW)).to.equal(undefined);
  });

  it('has work if a generation of its versions is ready or under construction', () => {
    for (const phase of ['copying', 'deriving', 'following', 'ready'] as const)
      expect(
        foreignLiveGeneration(registry(record(1, OLD), record(2, NEW, phase)), { live: 1 }, NEW)?.hasOwn,
        phase,
      ).to.equal(true);
    for (const others of [[], [record(2, NEW, 'pruning')], [record(2, { version: 3 })]])
      expect(foreignLiveGeneration(registry(record(1, OLD), ...others), { live: 1 }, NEW)?.hasOwn).to.equal(
        false,
      );
  });

  it('is idle only while another projector writes the live generation', () => {
    const state = (hasOwn: boolean, isWritten: boolean) =>
      rolloutBeside({ record: record(1, OLD), hasOwn }, NEW, isWritten).state;
    expect(state(true, true)).to.equal('idle');
    expect(state(false, true)).to.equal('awaits-replay');
    expect([state(true, false), state(false, false)]).to.deep.equal(['unwritten', 'unwritten']);
  });

  it('does not write the generation of another rules module, and says what to do', () => {
    const rules = (version: number, fingerprint: string) => ({
      version: withModule(2, { name: 'shop', version, fingerprint }),
    });
    const built = record(1, rules(1, 'aa'));
    const beside = (own: { version: RulesVersion }, isWritten = true) => {
      const foreign = foreignLiveGeneration(registry(built), { live: 1 }, own);
      return foreign && rolloutBeside(foreign, own, isWritten).text;
    };
    expect(beside(rules(1, 'aa'))).to.equal(undefined);
    expect(beside(rules(2, 'bb'))).to.match(
      /rules 2 with module shop version 1 \(aa\), but .* version 2 \(bb\)\. Keep .* replay with this version$/,
    );
    expect(beside(rules(1, 'bb'))).to.match(/Restore the content, or raise the version$/);
    expect(beside(NEW, false)).to.match(
      /no other projector writes it\. Start .*\. Set RULES_MODULE to the module shop version 1$/,
    );
  });
});
