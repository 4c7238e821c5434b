import { type Rules, reasonsOf } from '@vitrine/listing';
import type { CheckResult, Tally } from '../check/check-result.ts';
import type { FaultGroup } from '../check/fault-groups.ts';
import { describePosition } from '../check/position.ts';
import { ADVICE } from '../check/warnings.ts';
import { whyHidden } from '../explain/explanation-text.ts';
import { counted, printable, shortened } from './plain-text.ts';

const SHOWN_FAULTS = 30;
const SHOWN_IDS = 3;
const VALUE_WIDTH = 60;
const EXAMPLE_WIDTH = 100;

/**
 * Formats the result of a check as human-readable text. Pure.
 * @param report the file with all findings, if there is one
 * @param rules the rules, with the texts for their reasons
 */
export function renderCheck(
  result: CheckResult,
  report?: string,
  rules: Pick<Rules, 'reasons'> = {},
): string {
  const { summary, faults, hidden, dropped } = result;
  const { records, accepted, refused, skipped, listings, warnings } = summary;
  if (records === 0) return 'The input contains no record.';
  const hiddenCount = sum(listings.hidden);
  return [
    [
      `${counted(records, 'record|records')}: ${number(accepted)} accepted, ${number(sum(refused))} refused`,
      ...(skipped > 0 ? [`, ${number(skipped)} of unknown types skipped`] : []),
    ].join(''),
    ...section('Refused:', [
      ...Object.entries(refused).map(([reason, n]) => `${reason}: ${counted(n, 'record|records')}`),
    ]),
    ...section('Faults:', [
      ...faults.slice(0, SHOWN_FAULTS).map(faultLine),
      ...(faults.length > SHOWN_FAULTS
        ? [`… and ${counted(faults.length - SHOWN_FAULTS, 'more kind|more kinds')}`]
        : []),
    ]),
    '',
    `${counted(listings.visible + hiddenCount, 'listing|listings')}: ${number(listings.visible)} in the feed, ` +
      `${number(hiddenCount)} hidden`,
    ...section(
      'Hidden, because a part is missing or unusable:',
      hidden.map(([reason, tally]) => tallyLine([hiddenText(reason, rules), tally])),
    ),
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

/** Formats a line such as `/data/listing/price must be >= 0: 12, first on line 3, listing a-1: -5`. */
function faultLine({ first, message, path, count: n }: FaultGroup): string {
  const { id, reason, value } = first;
  const place = id === undefined ? describePosition(first) : `${describePosition(first)}, listing ${id}`;
  const shown =
    value === undefined || path === '' ? '' : `: ${shortened(JSON.stringify(value), VALUE_WIDTH)}`;
  const fault = path === '' ? `${reason === 'schema' ? 'the event ' : ''}${message}` : `${path} ${message}`;
  return printable(`${fault}: ${number(n)}, ${n === 1 ? '' : 'first '}at ${place}${shown}`);
}

const hiddenText = (reason: string, rules: Pick<Rules, 'reasons'>): string => {
  const known = reasonsOf(rules).find((each) => each === reason);
  return known === undefined || known === 'removed' ? reason : printable(whyHidden(known, undefined, rules));
};

function tallyLine([name, { count: n, ids, example }]: [string, Tally]): string {
  const shown = ids.slice(0, SHOWN_IDS).map(printable).join(', ');
  const first = example === undefined ? '' : `: ${shortened(printable(example), EXAMPLE_WIDTH)}`;
  return `${name}: ${number(n)} (${shown}${ids.length > SHOWN_IDS ? ', …' : ''})${first}`;
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
const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, each) => total + each, 0);
