import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Results, Row } from './results.ts';

const FILE = 'chart.svg';
const WIDTH = 760;
const LEFT = 170;
const RIGHT = 70;
const TOP = 78;
const BAR = 9;
const GROUP = 52;
const LEGEND = 145;
/**
 * The colors are distinguishable on white and on black. For readers without color vision, the bars' order
 * identifies the subjects.
 */
const SIDES = [
  { name: 'Vitrine', css: 'ours' },
  { name: 'raw _search', css: 'raw' },
  { name: 'Koa over PostgreSQL', css: 'koa' },
  { name: 'PostgreSQL', css: 'postgres' },
] as const;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 14px; }
  .faint { fill: #57606a; }
  .grid { stroke: #8c959f; stroke-opacity: .3; }
  .ours { fill: #1f883d; } .raw { fill: #8250df; } .koa { fill: #bc4c00; } .postgres { fill: #9a6700; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .faint { fill: #9198a1; }
    .ours { fill: #3fb950; } .raw { fill: #a371f7; } .koa { fill: #f0883e; } .postgres { fill: #d4a72c; }
  }`;

/**
 * Draws the median page latency by query type, for the query service, raw Elasticsearch, Koa over PostgreSQL
 * and PostgreSQL alone. The results must be complete.
 */
export async function drawChart(folder: string, results: Results): Promise<void> {
  const { queries } = results;
  if (queries?.status !== 'complete') return;
  const subtitle = `${queries.items.toLocaleString('en')} items, ${queries.at.slice(0, 10)}`;
  await writeFile(join(folder, FILE), chart(groupsOf(queries.rows), subtitle));
}

type Group = { kind: string; ms: Partial<Record<string, number>> };

function groupsOf(rows: Row[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { measure, ours, peer, second } of rows) {
    if (measure.includes('nothing counted before')) continue;
    const kind = measure.replace(/^page, /, '').replace(/: times faster$/, '');
    const group = groups.get(kind) ?? { kind, ms: { Vitrine: ours } };
    for (const { name, figure } of [peer, second].filter((each) => each !== undefined))
      group.ms[name] = figure;
    groups.set(kind, group);
  }
  return [...groups.values()];
}

function chart(groups: Group[], subtitle: string): string {
  const all = groups.flatMap(({ ms }) => SIDES.flatMap(({ name }) => ms[name] ?? []));
  const [low, high] = [Math.floor(Math.log10(Math.min(...all))), Math.ceil(Math.log10(Math.max(...all)))];
  const x = (ms: number) => LEFT + ((Math.log10(ms) - low) / (high - low)) * (WIDTH - LEFT - RIGHT);
  const height = TOP + groups.length * GROUP + 30;
  const bottom = height - 26;
  const powers = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  const grid = powers.map(
    (ms) =>
      `<line class="grid" x1="${x(ms)}" x2="${x(ms)}" y1="${TOP - 8}" ` +
      `y2="${bottom}"/>${text(x(ms), height - 10, `${ms} ms`, 'faint', 'middle')}`,
  );
  const legend = SIDES.map(
    ({ name, css }, i) =>
      `<rect class="${css}" x="${LEFT + i * LEGEND}" y="45" width="11" ` +
      `height="11"/>${text(LEFT + 16 + i * LEGEND, 55, name)}`,
  );
  const bars = groups.flatMap(({ kind, ms }, row) => {
    const y = TOP + row * GROUP;
    const shown = SIDES.flatMap(({ name, css }) => (ms[name] === undefined ? [] : [{ css, ms: ms[name] }]));
    return [
      text(LEFT - 10, y + 18, kind, '', 'end'),
      ...shown.map(({ css, ms: value }, i) => {
        const end = Math.max(x(value), LEFT + 2);
        const top = y + i * (BAR + 2);
        return (
          `<rect class="${css}" x="${LEFT}" y="${top}" width="${(end - LEFT).toFixed(1)}" ` +
          `height="${BAR}"/>${text(end + 5, top + BAR, String(value), 'faint')}`
        );
      }),
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Median page latency by query type">
<style>${STYLE}
</style>
${text(LEFT, 20, 'A page of 20 with its exact total, uncached: median, shorter is better', 'title')}
${text(LEFT, 37, `${subtitle}, logarithmic`, 'faint')}
${[...legend, ...grid, ...bars].join('\n')}
</svg>
`;
}

const text = (x: number, y: number, content: string, css = '', anchor = 'start'): string =>
  `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}"${css && ` class="${css}"`}>${content}</text>`;
