import type { CheckResult, DescribedFinding, Tally } from '../check/check-result.ts';
import { describePosition } from '../check/position.ts';
import { ADVICE } from '../check/warnings.ts';
import { printable, shortened } from './plain-text.ts';

const SHOWN_FINDINGS = 20;
const SHOWN_IDS = 3;
const VALUE_WIDTH = 60;

/**
 * Formats the result of a check as human-readable text. Pure.
 * @param report the file with all findings, if there is one
 */
export function renderCheck(result: CheckResult, report?: string): string {
  const { summary, described, findings, hidden, dropped } = result;
  const { records, accepted, refused, skipped, listings, warnings } = summary;
  if (records === 0) return 'The input contains no record.';
  const hiddenCount = sum(listings.hidden);
  const more = findings - Math.min(described.length, SHOWN_FINDINGS);
  return [
    [
      `${count(records, 'record')}: ${number(accepted)} accepted, ${number(sum(refused))} refused`,
      ...(skipped > 0 ? [`, ${number(skipped)} of unknown types skipped`] : []),
    ].join(''),
    ...section('Refused:', [
      ...Object.entries(refused).map(([reason, n]) => `${reason}: ${count(n, 'record')}`),
      ...described.slice(0, SHOWN_FINDINGS).map(finding),
      ...(more > 0 ? [`… and ${count(more, 'more finding')}`] : []),
    ]),
    '',
    `${count(listings.visible + hiddenCount, 'listing')}: ${number(listings.visible)} in the feed, ` +
      `${number(hiddenCount)} hidden`,
    ...section('Hidden, because a part is missing or unusable:', hidden.map(tallyLine)),
    ...section('Left out of the items:', dropped.map(tallyLine)),
    ...section(
      'Warnings:',
      warnings.map(({ kind, ...tally }) => `${tallyLine([kind, tally])}: ${ADVICE[kind]}`),
    ),
    ...advice(result, report),
  ].join('\n');
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length > 0 ? [title, ...lines.map((line) => `  ${line}`)] : [];

function finding({
  finding: { id, path, value, limit: _, reason: __, ...position },
  message,
}: DescribedFinding): string {
  const place = [describePosition(position), ...(id === undefined ? [] : [printable(id)])].join('  ');
  const shown =
    value === undefined || path === ''
      ? ''
      : ` (${shortened(printable(JSON.stringify(value)), VALUE_WIDTH)})`;
  return `${place}  ${printable(path === '' ? '' : `${path} `)}${printable(message)}${shown}`;
}

function tallyLine([name, { count: n, ids }]: [string, Tally]): string {
  const shown = ids.slice(0, SHOWN_IDS).map(printable).join(', ');
  return `${name}: ${number(n)} (${shown}${ids.length > SHOWN_IDS ? ', …' : ''})`;
}

function advice({ findings, summary }: CheckResult, report: string | undefined): string[] {
  const { listings, warnings } = summary;
  const isClean =
    findings === 0 && warnings.length === 0 && sum(listings.hidden) + sum(listings.dropped) === 0;
  if (isClean) return ['', 'Every record is accepted, and every listing is complete.'];
  return [
    '',
    report === undefined
      ? '--report FILE writes every finding and every listing, one JSON document per line.'
      : `All findings and listings are in ${printable(report)}.`,
  ];
}

const number = (value: number): string => value.toLocaleString('en');
const count = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, each) => total + each, 0);
