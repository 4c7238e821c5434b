import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PARTS } from './parts.ts';
import { isMet, type Results, type Row, readResults } from './results.ts';

const BEGIN = '<!-- results: npm run bench -- --readme -->\n';
const END = '<!-- end of results -->\n';
/** Above this number, the table shows a range. */
const MANY = 3;
const PAGE = join(import.meta.dirname, 'README.md');

/** The page with the table of these results. Pure. @throws if the page has no place for the table */
export function withResults(page: string, results: Results): string {
  const [before, after] = [page.split(BEGIN)[0], page.split(END)[1]];
  if (before === undefined || after === undefined) throw new Error('the page has no place for the results');
  return `${before}${BEGIN}\n${resultsTable(results)}\n${END}${after}`;
}

/** Writes the table of the stored results into `bench/README.md`. */
export async function updateReadme(): Promise<void> {
  await writeFile(PAGE, withResults(await readFile(PAGE, 'utf8'), await readResults(import.meta.dirname)));
}

/** One line per part, peer and target. Ratios that miss their target are bold. */
function resultsTable(results: Results): string {
  // The file may still have results from a part that was removed.
  const parts = Object.entries(results)
    .filter(([part]) => part in PARTS)
    .map(([part, result]) => ({ part, ...result }));
  const runs = Map.groupBy(
    parts,
    ({ at, items }) => `${at.slice(0, 10)} with ${items.toLocaleString('en')} items`,
  );
  const [largest] = [...runs.values()].toSorted((a, b) => b.length - a.length);
  return [
    '| part | measured | peer | target |',
    '|---|---|---|---|',
    ...parts.flatMap(({ part, rows }) => linesOf(part, rows)),
    '',
    ...[...runs].map(([run, group]) => {
      const names = group.map(({ part }) => `\`${part}\``).join(', ');
      return `- ${run}: ${group === largest ? `all ${runs.size === 1 ? '' : 'other '}parts` : names}`;
    }),
    '',
  ].join('\n');
}

function linesOf(part: string, rows: readonly Row[]): string[] {
  const judged = rows.filter(({ target }) => target);
  const groups = Map.groupBy(judged, ({ unit, peer, target }) =>
    [unit, peer?.name, targetOf(target)].join('|'),
  );
  return [...groups.values()].map((group) => {
    const [first] = group as [Row];
    const names = group.map(({ measure }) => measure);
    const [head, tail] = names.length > 1 ? shared(names) : ['', ''];
    const nameOf = ({ measure }: Row) => measure.slice(head.length, measure.length - tail.length);
    const figures = figuresOf(group, nameOf).join('; ');
    const unit = first.ratio === undefined ? ` ${first.unit}` : '';
    const measured = head + tail === '' ? figures : `${head}…${tail} (${figures})`;
    return `| \`${part}\` | ${measured} | ${first.peer?.name ?? '–'} | ${targetOf(first.target)}${unit} |`;
  });
}

/** One figure per row. If many rows meet their target, only the lowest and the highest of their figures. */
function figuresOf(group: readonly Row[], nameOf: (row: Row) => string): string[] {
  const met = group.filter(isMet);
  if (met.length <= MANY) return group.map((row) => `${nameOf(row)}: ${figureOf(row)}`);
  const figures = met.map(({ ratio, ours }) => ratio ?? ours);
  return [
    ...group.filter((row) => !isMet(row)).map((row) => `${nameOf(row)}: ${figureOf(row)}`),
    `${met.length} ${met.length < group.length ? 'others' : 'rows'}: ${Math.min(...figures)} to ${Math.max(...figures)}`,
  ];
}

const figureOf = (row: Row): string => {
  const figure = String(row.ratio ?? row.ours);
  return isMet(row) ? figure : `**${figure}**`;
};

const targetOf = (target: Row['target']): string => {
  if (target === undefined) return '–';
  return 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
};

/** The whole words with which all names begin, and those with which they end. */
function shared(names: readonly string[]): [head: string, tail: string] {
  const [first = '', ...others] = names;
  const heads = [...first.matchAll(/ /g)].map(({ index }) => first.slice(0, index + 1));
  const head = heads.findLast((text) => others.every((name) => name.startsWith(text))) ?? '';
  const tails = [...first.slice(head.length).matchAll(/[:,]? /g)].map(({ index }) =>
    first.slice(head.length + index),
  );
  const tail = tails.find((text) => others.every((name) => name.slice(head.length).endsWith(text))) ?? '';
  return [head, tail];
}
