import {
  continueOrCancel,
  describeVersions,
  isBuilderClient,
  type ReconciliationRecord,
} from '@vitrine/feed-index';
import type {
  BuilderStatus,
  GenerationStatus,
  Lag,
  Running,
  SelfCheckStatus,
  Status,
} from '../status/status.ts';
import { counted, duration, LINE_WIDTH, plainTable, printable, shortened, size } from './plain-text.ts';
import { renderHealth } from './render-health.ts';

/** Formats the status for people: an overview of all generations, then details. Pure. */
export function renderStatus(status: Status, now: Date = new Date()): string {
  const { health, prefix, topic, generations, deadLetters, running, selfCheck, reconciliation } = status;
  const { orphanedIndices } = status;
  const parts = [`${prefix} from ${topic}`];
  if (health.length > 0) parts.push(renderHealth(health));
  if (generations.length === 0) parts.push('No generation exists yet. Start a projector first.');
  else parts.push(overview(generations), ...generations.map((one) => details(one, status.reasons)));
  if (status.otherModule !== undefined) parts.push(printable(status.otherModule));
  if (generations.length > 0) parts.push(changesText(status));
  parts.push(running ? runningText(running, now) : 'No replay is running.');
  if (selfCheck) parts.push(selfCheckText(selfCheck));
  if (reconciliation) parts.push(reconciliationText(reconciliation));
  parts.push(
    `${deadLetters.topic}: ${counted(deadLetters.records, 'record|records')}` +
      (deadLetters.records > 0 ? '. Run dead-letters list to see them' : ''),
  );
  if (orphanedIndices.length > 0)
    parts.push(`Indices that belong to no generation: ${orphanedIndices.join(', ')}`);
  return parts.join('\n\n');
}

function overview(generations: readonly GenerationStatus[]): string {
  const head = [
    'gen',
    'role',
    'phase',
    'age',
    'built from',
    'items',
    'hidden',
    'states',
    'size',
    'lag',
    'members',
  ];
  const rows = generations.map(
    ({ number, role, phase, ageSeconds, origin, items, hidden, states, sizeBytes, lag, members }) => [
      String(number),
      role,
      phase,
      duration(ageSeconds),
      origin.from === 'topic' ? 'topic' : `states of ${origin.of}`,
      items ?? '–',
      hidden ? Object.values(hidden).reduce((sum, count) => sum + count, 0) : '–',
      states ?? '–',
      sizeBytes ? size(sizeBytes.total) : '–',
      lag ? lag.records : '–',
      members.length === 0 ? 'none' : `${members.length}`,
    ],
  );
  return plainTable(head, rows, {
    right: ['gen', 'age', 'items', 'hidden', 'states', 'size', 'lag', 'members'],
  });
}

function details(
  {
    number,
    versions,
    createdAt,
    trouble,
    findings = [],
    hidden = {},
    groupId,
    lag,
    topicTrouble,
    members,
    verification,
    items,
  }: GenerationStatus,
  texts: Status['reasons'] = {},
): string {
  const lines = [`Generation ${number}: ${describeVersions(versions)}; created ${createdAt}`];
  if (trouble) lines.push(trouble);
  if (topicTrouble) lines.push(topicTrouble);
  lines.push(...findings.map(printable));
  const reasons = Object.entries(hidden).sort(([, a], [, b]) => b - a);
  if (reasons.length > 0)
    lines.push(
      `hidden: ${reasons.map(([reason, count]) => `${count.toLocaleString('en')} ${reason}`).join(', ')}`,
    );
  else if (items !== undefined) lines.push('hidden: none');
  lines.push(
    ...reasons.flatMap(([reason]) =>
      Object.hasOwn(texts, reason)
        ? [shortened(printable(`  ${reason}: ${texts[reason]}`), LINE_WIDTH - 2)]
        : [],
    ),
  );
  lines.push(`group ${groupId}${lag ? `: ${lagText(lag)}` : ''}`);
  if (lag)
    lines.push(
      ...lag.partitions
        .filter(({ records }) => records > 0)
        .map((one) => `  partition ${one.partition}: ${behind(one)}`),
      ...lag.openTransactions.map(
        ({ partition, offset, records, seconds, capped }) =>
          `  partition ${partition}: an open transaction hides ${counted(records, 'record|records')} from ` +
          `offset ${offset}; the first one is ${capped ? 'more than ' : ''}${duration(seconds)} old`,
      ),
    );
  lines.push(
    ...members.map(
      ({ clientId, host, partitions }) =>
        `  ${isBuilderClient(clientId) ? 'builder' : 'projector'} ${clientId}@${host}: ${counted(partitions, 'partition|partitions')}`,
    ),
  );
  if (verification) {
    const { against, at, compared, explained, unexplained } = verification;
    const outcome =
      explained + unexplained === 0
        ? 'all are equal'
        : `${explained + unexplained} differ (${explained} explained, ${unexplained} not)`;
    lines.push(
      `compared with generation ${against} at ${at}: of ${counted(compared, 'item|items')}, ` + `${outcome}`,
    );
  }
  return lines.map((line, i) => (i === 0 ? line : `  ${line}`)).join('\n');
}

const lagText = (lag: Lag): string => (lag.records === 0 ? 'no lag' : behind(lag));

const behind = ({
  records,
  seconds,
  capped,
}: {
  records: number;
  seconds: number;
  capped: boolean;
}): string =>
  `${counted(records, 'record|records')}, ${capped ? 'more than ' : ''}${duration(seconds)} behind`;

function changesText({ changes, keptChanges }: Status): string {
  const kept = keptChanges.map(
    ({ generation, until }) =>
      `  changes of generation ${generation}, which was pruned, are kept until ${until}`,
  );
  if (!changes)
    return [
      'The live generation has no changes index, so /changes returns 503. Run replay and switch',
      ...kept,
    ].join('\n');
  const { epoch, generation, lastChange, since, trouble } = changes;
  const last = trouble === undefined ? `last change number ${lastChange}` : printable(trouble);
  return [
    `Changes: epoch ${epoch} of generation ${generation}, ${last}`,
    `  followers that were up to date at ${since} can continue`,
    ...kept,
  ].join('\n');
}

function selfCheckText({ since, succeededAt, last }: SelfCheckStatus): string {
  const success =
    succeededAt === undefined ? `no run since ${since} has succeeded` : `last success ${succeededAt}`;
  if (!last) return `verify --self: ${success}`;
  const { generation, at, outcome, repaired, unrepaired, error } = last;
  const why = error === undefined ? '' : ` (${printable(error)})`;
  const found =
    repaired + unrepaired > 0 ? `, ${counted(repaired, 'item|items')} repaired, ${unrepaired} not` : '';
  return `verify --self: generation ${generation} at ${at} ${outcome}${why}${found}; ${success}`;
}

function reconciliationText({ at, source, missing, extra, different, failed }: ReconciliationRecord): string {
  const count = (number: number) => number.toLocaleString('en');
  const found =
    missing + extra + different === 0
      ? 'no difference'
      : `${count(missing)} missing, ${count(extra)} extra, ${count(different)} different`;
  const failure = failed ? `; the run at ${failed.at} failed (${printable(failed.error)})` : '';
  return `reconcile: ${counted(source, 'source line|source lines')} at ${at}, ${found}${failure}`;
}

function runningText({ generation, phase, done, total, alive, builders }: Running, now: Date): string {
  const work =
    generation === undefined ? 'A replay is about to end' : `Replay of generation ${generation}: ${phase}`;
  const share =
    done !== undefined && total
      ? `, ${done.toLocaleString('en')} of ${total.toLocaleString('en')} ` +
        `(${Math.floor((done / total) * 100)} %)`
      : '';
  return [
    `${work}${share}`,
    ...builders.map((builder) => `  ${builderText(builder, now)}`),
    ...(alive || generation === undefined ? [] : [`  No builder is alive. ${continueOrCancel(generation)}`]),
  ].join('\n');
}

function builderText(
  { host, pid, startedAt, seenAt, alive, partitions, slices, lost }: BuilderStatus,
  now: Date,
): string {
  const since = (at: string) => duration(Math.max(0, (now.getTime() - Date.parse(at)) / 1_000));
  const parts = [`process ${pid} on ${host}, since ${since(startedAt)}`];
  if (lost) parts.push(`lost ${since(lost.at)} ago: process ${lost.pid} on ${lost.host} saw no heartbeat`);
  else if (!alive) parts.push(`no heartbeat for ${since(seenAt)}`);
  if (partitions !== undefined) parts.push(counted(partitions, 'partition|partitions'));
  if (slices) {
    const { done, inProgress, takenOver } = slices;
    parts.push(`slices: ${done} done, ${inProgress} in progress, ${takenOver} taken over`);
  }
  return parts.join('; ');
}
