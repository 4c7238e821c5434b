import { isMet, type PartResult, type Row } from './results.ts';

const HEADER = ['', 'ours', 'peer', '', 'ratio', 'target', ''];
const LEFT_ALIGNED = new Set([0, 3, 6]);

/**
 * Formats the rows of all parts as a text table for a terminal, followed by notes and by the incomplete
 * parts.
 */
export function resultTable(results: Readonly<Record<string, PartResult>>): string {
  const lines = Object.values(results).flatMap(({ rows, status }) => rows.map((row) => cells(row, status)));
  const widths = HEADER.map((title, column) =>
    Math.max(...[HEADER, ...lines].map((line) => (line[column] ?? title).length)),
  );
  const text = [HEADER, ...lines].map((line) =>
    line
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
  const { measure, unit, ours, peer, ratio, target } = row;
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
  ];
}
