import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type GenerationRecord, withChanges } from './generation-record.ts';
import { FIRST_PHASES, type Phase, TRANSITIONS } from './rebuild-phase.ts';

const PHASES = Object.keys(TRANSITIONS) as Phase[];
const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/guide/rebuild.md'), 'utf8');

describe('the phases of a generation', () => {
  const inPhase = (phase: Phase): GenerationRecord => ({
    number: 1,
    phase,
    versions: { states: 1, items: 1, rules: 1 },
    created_at: '2026-01-01T00:00:00Z',
    origin: { from: 'topic' },
  });

  it('allow only the transitions in the table', () => {
    for (const from of PHASES)
      for (const to of PHASES) {
        const change = () => withChanges({ generations: [inPhase(from)], last: 1 }, 1, { phase: to });
        const isAllowed = from === to || (TRANSITIONS[from] as readonly Phase[]).includes(to);
        if (isAllowed) expect(change().generations[0]?.phase, `${from} to ${to}`).to.equal(to);
        else expect(change, `${from} to ${to}`).to.throw(`cannot change from ${from} to ${to}`);
      }
  });

  it('appear in the diagram of docs/guide/rebuild.md with the same transitions', () => {
    // `live` is not a phase, because an alias marks the live generation.
    const drawn = [...PAGE.matchAll(/^ {2}(\S+) --> (\w+)/gm)]
      .map(([, from, to]) => `${from} ${to}`)
      .filter((edge) => !/\blive\b/.test(edge));
    const expected = [
      ...FIRST_PHASES.map((phase) => `[*] ${phase}`),
      '[*] creating',
      ...PHASES.flatMap((from) => TRANSITIONS[from].map((to) => `${from} ${to}`)),
    ];
    expect(drawn.sort()).to.deep.equal(expected.sort());
  });

  it('each have a row in the table of docs/guide/rebuild.md', () => {
    for (const phase of PHASES) expect(PAGE).to.match(new RegExp(`^\\| \`${phase}\``, 'm'));
  });
});
