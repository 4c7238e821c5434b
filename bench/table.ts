import { isMet, type PartResult, type Row } from './results.ts';

/** The table of parts' rows, in their order, as text for a terminal. */
export function tableOf(results: Readonly<Record<string, PartResult>>): string {
  const header = ['', 'ours', 'peer', '', 'ratio', 'target', ''];
  const lines = Object.values(results).flatMap(({ rows }) => rows.map(cells));
  const widths = header.map((title, column) => Math.max(...[header, ...lines].map((line) => (line[column] ?? title).length)));
  const text = [header, ...lines].map((line) =>
    line
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
  const notes = Object.entries(results).flatMap(([part, { rows, notRun = [] }]) => [
    ...rows.filter(({ note }) => note).map(({ measure, note }) => `${measure}: ${note}`),
    ...notRun.map((why) => `${part}: not run: ${why}`),
  ]);
  return [...text, '', ...notes].join('\n');
}

const LEFT = new Set([0, 3, 6]);
const pad = (cell: string, width: number, column: number): string => (LEFT.has(column) ? cell.padEnd(width) : cell.padStart(width));

function cells(row: Row): string[] {
  const { measure, unit, ours, peer, ratio, target } = row;
  const met = isMet(row);
  return [
    measure,
    `${ours} ${unit}`,
    peer ? String(peer.figure) : '',
    peer?.name ?? '',
    ratio === undefined ? '' : String(ratio),
    target ? ('atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`) : '',
    met === undefined ? '' : met ? 'met' : 'missed',
  ];
}
