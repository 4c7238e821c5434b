import type { Comparison } from '../verify/compare-generations.ts';
import type { Difference } from '../verify/difference.ts';
import type { SelfCheck } from '../verify/self-check.ts';

const EXAMPLES = 10;

/** Formats the result of a comparison for people. Pure. */
export function renderComparison({
  live,
  generation,
  liveItems,
  items,
  settled,
  verification,
  differences,
}: Comparison): string {
  const { explained, unexplained } = verification;
  const lines = [
    `Generation ${live} (live) has ${liveItems} items, generation ${generation} has ${items}; ` +
      `${verification.compared} were compared, and ${settled} of these changed during the comparison.`,
  ];
  if (explained + unexplained === 0)
    return [...lines, `All items and removals are equal. Next: switch ${generation}`].join('\n');
  lines.push(
    `${explained + unexplained} items differ. This version's rules explain ${explained} of these ` +
      `differences, but not the other ${unexplained}.`,
  );
  for (const [kind, examples] of grouped(differences)) {
    lines.push(`${kind}: ${examples.length}`, ...examples.slice(0, EXAMPLES).map(({ id }) => `  ${id}`));
    if (examples.length > EXAMPLES) lines.push('  …');
  }
  lines.push(
    `To switch, run switch ${generation} with ` +
      `${unexplained === 0 ? '--allow-explained or ' : ''}--allow-diff ${explained + unexplained}`,
  );
  return lines.join('\n');
}

function grouped(differences: readonly Difference[]): [string, Difference[]][] {
  return Object.entries(Object.groupBy(differences, describe)).map(([kind, examples = []]) => [
    kind,
    examples,
  ]);
}

function describe({ kind, hidden, failure, members = [], explained }: Difference): string {
  const why = failure !== undefined ? `UNEXPLAINED (${failure})` : explained ? 'explained' : 'UNEXPLAINED';
  if (kind === 'facts')
    return (
      `${why}, equal now, but the new generation lacks facts (${members.join(', ')}) that affect ` +
      'later events'
    );
  if (kind === 'content') return `${why}, different ${members.join(', ')}`;
  const where = kind === 'only-live' ? 'only in the live generation' : 'only in the new generation';
  return `${why}, ${where}${hidden ? ` (hidden: ${hidden})` : ''}`;
}

/** Formats the result of a self-check for people. Pure. */
export function renderSelfCheck({ generation, states, items, disagreements }: SelfCheck): string {
  const head = `Generation ${generation}: ${states} states, ${items} items.`;
  if (disagreements.length === 0) return `${head}\nEvery item matches its state.`;
  const repaired = disagreements.filter((one) => one.repaired).length;
  const list = disagreements
    .slice(0, EXAMPLES)
    .map(({ id, kind, repaired, failure }) => `  ${id}: ${failure ?? kind}${repaired ? ', repaired' : ''}`);
  return [
    head,
    `${disagreements.length} items did not match their states; ${repaired} were repaired.`,
    ...list,
  ].join('\n');
}
