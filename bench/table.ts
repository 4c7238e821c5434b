import { isMet, type PartResult, type Row } from './results.ts';

const HEADER = ['', 'ours', 'peer', '', 'ratio', 'target', '', 'second peer', '', 'ratio'];
/** The second peer's first column. Only a table with a second peer has these columns. */
const SECOND_PEER = 7;
const LEFT_ALIGNED = new Set([0, 3, 6, 8]);

/**
 * Formats the rows of all parts as a text table for a terminal, followed by notes and by the incomplete
 * parts.
 */
export function resultTable(results: Readonly<Record<string, PartResult>>): string {
  const lines = Object.values(results).flatMap(({ rows, status }) => rows.map((row) => cells(row, status)));
  const hasSecond = Object.values(results).some(({ rows }) => rows.some(({ second }) => second));
  const header = hasSecond ? HEADER : HEADER.slice(0, SECOND_PEER);
  const widths = header.map((title, column) =>
    Math.max(...[header, ...lines].map((line) => (line[column] ?? title).length)),
  );
  const text = [header, ...lines].map((line) =>
    line
      .slice(0, header.length)
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
  const notes = Object.entries(results).flatMap(([part, { rows, notRun = [] }]) => [
    ...rows.filter(({ note }) => note).map(({ measure, note }) => `${measure}: ${note}`),
    ...notRun.map((why) => `${part}: not run: ${why}`),
  ]);
  const incomplete = Object.entries(results).flatMap(([part, { status, reason, rows }]) =>
    status === 'complete' ? [] : [`${status.toUpperCase()}: part ${part}, ${rows.length} rows: ${reason}`],
  );
  return [...text, '', ...notes, ...incomplete].join('\n').trimEnd();
}

const pad = (cell: string, width: number, column: number): string =>
  LEFT_ALIGNED.has(column) ? cell.padEnd(width) : cell.padStart(width);

function cells(row: Row, status: PartResult['status']): string[] {
  const { measure, unit, ours, peer, ratio, target, second } = row;
  const met = isMet(row);
  const judgement = met === undefined ? '' : met ? 'met' : 'missed';
  return [
    measure,
    `${ours} ${unit}`,
    peer ? String(peer.figure) : '',
    peer?.name ?? '',
    ratio === undefined ? '' : String(ratio),
    target ? ('atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`) : '',
    status === 'complete' ? judgement : `${judgement} (part incomplete)`.trimStart(),
    second ? String(second.figure) : '',
    second?.name ?? '',
    second ? String(second.ratio) : '',
  ];
}
