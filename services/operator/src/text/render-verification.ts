import { describeRules } from '@vitrine/feed-index';
import type { Comparison } from '../verify/compare-generations.ts';
import type { Difference } from '../verify/difference.ts';
import type { DifferenceReason } from '../verify/difference-reason.ts';
import type { SelfCheck } from '../verify/self-check.ts';
import { counted, printable } from './plain-text.ts';

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
    `Generation ${live} (live) has ${counted(liveItems, 'item|items')}, generation ${generation} has ${items}; ` +
      `${counted(verification.compared, 'was|were')} compared, and ${settled} of these changed during the comparison.`,
  ];
  if (explained + unexplained === 0)
    return [...lines, `All items and removals are equal. Next: switch ${generation}`].join('\n');
  lines.push(
    `${counted(explained + unexplained, 'item differs|items differ')}. The states and rules explain ${explained} of these ` +
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

function describe({ kind, hidden, members = [], explained, reason }: Difference): string {
  const names = members.map((name) => name.replace('feed_item.', '')).join(', ');
  const where = {
    'only-live': 'only in the live generation',
    'only-new': 'only in the new generation',
    content: `different ${names}`,
    facts: `different facts: ${names}`,
  }[kind];
  const parts = [why(reason), `${where}${hidden ? ` (hidden: ${hidden})` : ''}`];
  return `${explained ? 'explained' : 'UNEXPLAINED'}: ${parts.join('; ')}`;
}

function why(reason: DifferenceReason): string {
  switch (reason.code) {
    case 'live-item-differs':
      return 'the live item is not what its state gives (edited or lost)';
    case 'new-item-differs':
      return 'the new item is not what its state gives';
    case 'rules-changed':
      return `RULES_VERSION ${describeRules(reason.rules)} gives a different item than ${describeRules(reason.before)}`;
    case 'mapping-changed':
      return `items mapping ${reason.items} holds the item in a different form than ${reason.before}`;
    case 'other-facts':
      return 'one generation lacks events of the other';
    case 'missing-facts':
      return 'the items are equal, but the new generation lacks facts that affect later events';
    case 'rules-failed':
      return `the rules failed (${printable(reason.message)})`;
    case 'changing':
      return 'changed while comparing';
  }
}

/** Formats the result of a self-check for people. Pure. */
export function renderSelfCheck({ generation, states, items, disagreements }: SelfCheck): string {
  const head = `Generation ${generation}: ${counted(states, 'state|states')}, ${counted(items, 'item|items')}.`;
  if (disagreements.length === 0) return `${head}\nEvery item matches its state.`;
  const repaired = disagreements.filter((one) => one.repaired).length;
  const list = disagreements
    .slice(0, EXAMPLES)
    .map(({ id, kind, repaired, failure }) => `  ${id}: ${failure ?? kind}${repaired ? ', repaired' : ''}`);
  return [
    head,
    `${counted(disagreements.length, 'item did not match its state|items did not match their states')}; ` +
      `${counted(repaired, 'was|were')} repaired.`,
    ...list,
  ].join('\n');
}
