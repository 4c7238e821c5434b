import { useState } from 'preact/hooks';
import { LineChart, type LineChartProps } from '../components/charts/LineChart.tsx';
import { withDeadline } from '../components/deadline.ts';
import { readApi } from './api.ts';
import type { History } from './api-types.ts';
import { Panel } from './Frame.tsx';
import { compact } from './formats.ts';
import { Original } from './Original.tsx';
import { hashOf, type Route } from './route.ts';
import { usePoll } from './use-poll.ts';
import { useWords } from './use-words.ts';

const RANGES = ['5m', '1h', '24h'] as const;

/** Prometheus has 5 s to respond. Rule: docs/operate/console.md#charts. */
const DEADLINE_MS = 15_000;
/** The page reads a range as often as the range can have a new point. */
const READ_EVERY_MS: Record<History['range'], number> = { '5m': 2_000, '1h': 15_000, '24h': 60_000 };

type Lines = Partial<Record<keyof History['series'], string>>;

/**
 * The samples from the time range that the URL names, the links to the ranges, and a chart of named series.
 */
function useCharts({ query, ...route }: Route) {
  const { texts, language, clock, dateTime } = useWords();
  const range = RANGES.find((one) => one === query.range) ?? '5m';
  const history = useHistory(range);
  const { from = 0, to = 1 } = history ?? {};
  const chart = (label: string, lines: Lines, more: Partial<LineChartProps> = {}) => (
    <LineChart
      label={label}
      series={Object.entries(lines).map(([key, name]) => ({
        name,
        points: history?.series[key as keyof Lines] ?? [],
      }))}
      from={from}
      to={to}
      format={(value) => compact(value, language)}
      formatTime={(at) => (history ? clock(at).replace(/:\d{2}(?=\s|$)/, '') : '')}
      formatCursor={range === '24h' ? dateTime : clock}
      empty={texts.collecting}
      missing={texts.noSample}
      {...more}
    />
  );
  const links = (
    <nav class="row" aria-label={texts.range}>
      {RANGES.map((one) => (
        <a
          key={one}
          class="button compact"
          aria-current={one === range ? 'true' : undefined}
          href={hashOf({ ...route, query: { ...query, range: one === '5m' ? '' : one } })}
        >
          {texts[one]}
        </a>
      ))}
    </nav>
  );
  return { history, chart, links };
}

/** Lag and events in a time range. */
export function LiveCharts({ route }: { route: Route }) {
  const { texts } = useWords();
  const { history, chart, links } = useCharts(route);
  const { thresholds, source, prometheusFailed } = history ?? {};
  const limits = Object.entries(thresholds?.lagSeconds ?? {}).map(([tone, value]) => ({
    value,
    tone,
    label: `${texts.limit} ${value} s`,
  }));
  const name = texts.liveGeneration;
  const charts = [
    [texts.eventsPerSecond, { applied: texts.applied, arriving: texts.arriving }],
    [texts.lagRecords, { lagRecords: name }],
    [texts.lagSeconds, { lagSeconds: name }, { limits }],
  ] as const;
  return (
    <section class="stack" aria-label={texts.eventsPerSecond}>
      <div class="row spread">
        {links}
        {source === 'prometheus' && <span class="small soft">{texts.fromPrometheus}</span>}
      </div>
      {prometheusFailed !== undefined && (
        <div class="notice warn small">
          {texts.fromConsole} <Original text={prometheusFailed} />
        </div>
      )}
      <div class="chart-grid">
        {charts.map(([label, lines, more]) => (
          <Panel key={label} title={label} level={3}>
            {chart(label, lines, more)}
          </Panel>
        ))}
      </div>
    </section>
  );
}

/** The effects that readers notice while a generation is built: the number and the duration of searches. */
export function ReaderCharts({ route }: { route: Route }) {
  const { texts, language } = useWords();
  const { chart, links } = useCharts(route);
  const format = (value: number) => `${compact(value, language)} ms`;
  return (
    <Panel title={texts.readers} aside={links}>
      <p class="small soft">{texts.readersHint}</p>
      <div class="chart-grid">
        {chart(texts.searches, { searches: texts.searches })}
        {chart(texts.searchTime, { searchTime: texts.searchTime }, { format })}
      </div>
    </Panel>
  );
}

/** Reads the series of the charts repeatedly while the page is visible. */
function useHistory(range: History['range']): History | undefined {
  const [history, setHistory] = useState<History>();
  const read = (signal: AbortSignal) =>
    // A console that is not responding is reported above the charts.
    readApi<History>('history', { range }, withDeadline(signal, DEADLINE_MS)).then(
      setHistory,
      () => undefined,
    );
  usePoll(read, READ_EVERY_MS[range], range);
  return history?.range === range ? history : undefined;
}
