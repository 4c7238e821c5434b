import { LineChart } from '../components/charts/LineChart.tsx';
import type { History } from './api-types.ts';
import { Panel } from './Frame.tsx';
import { compact } from './formats.ts';
import { RANGES, useHistory } from './health/use-history.ts';
import { Original } from './Original.tsx';
import { hashOf, type Route } from './route.ts';
import { useWords } from './use-words.ts';

type Series = History['series'];

/** What the charts of a range share. */
function useFrame(range: History['range']) {
  const { texts, language, clock, dateTime } = useWords();
  const history = useHistory(range);
  return {
    history,
    frame: {
      from: history?.from ?? 0,
      to: history?.to ?? 1,
      format: (value: number) => compact(value, language),
      formatTime: (at: number) => (history ? clock(at).replace(/:\d{2}(?=\s|$)/, '') : ''),
      formatCursor: (at: number) => (range === '24h' ? dateTime : clock)(at),
      empty: texts.collecting,
      missing: texts.noSample,
    },
  };
}

const rangeOf = ({ query }: Route): History['range'] => RANGES.find((range) => range === query.range) ?? '5m';

/** Chooses the range of the charts. The URL holds it. */
function RangeLinks({ route, range }: { route: Route; range: History['range'] }) {
  const { texts } = useWords();
  return (
    <nav class="row" aria-label={texts.range}>
      {RANGES.map((one) => (
        <a
          key={one}
          class="button compact"
          aria-current={one === range ? 'true' : undefined}
          href={hashOf({ ...route, query: { ...route.query, range: one === '5m' ? '' : one } })}
        >
          {texts[one]}
        </a>
      ))}
    </nav>
  );
}

/** Lag and events of a time range. */
export function LiveCharts({ route }: { route: Route }) {
  const { texts } = useWords();
  const range = rangeOf(route);
  const { history, frame } = useFrame(range);
  const { series, thresholds, source, prometheusFailed } = history ?? {};
  const limits = Object.entries(thresholds?.lagSeconds ?? {}).map(([tone, value]) => ({
    value,
    tone,
    label: `${texts.limit} ${value} s`,
  }));
  const line = (name: string, points: Series[keyof Series] = []) => ({ name, points });
  const charts = [
    {
      label: texts.eventsPerSecond,
      lines: [line(texts.applied, series?.applied), line(texts.arriving, series?.arriving)],
    },
    { label: texts.lagRecords, lines: [line(texts.liveGeneration, series?.lagRecords)] },
    { label: texts.lagSeconds, limits, lines: [line(texts.liveGeneration, series?.lagSeconds)] },
  ];
  return (
    <section class="stack" aria-label={texts.eventsPerSecond}>
      <div class="row spread">
        <RangeLinks route={route} range={range} />
        {source === 'prometheus' && <span class="small soft">{texts.fromPrometheus}</span>}
      </div>
      {prometheusFailed !== undefined && (
        <div class="notice warn small">
          {texts.fromConsole} <Original text={prometheusFailed} meaning={undefined} />
        </div>
      )}
      <div class="chart-grid">
        {charts.map(({ label, lines, ...more }) => (
          <Panel key={label} title={label} level={3}>
            <LineChart {...frame} {...more} label={label} series={lines} />
          </Panel>
        ))}
      </div>
    </section>
  );
}

/** What readers feel while a generation is built: searches, and their time. */
export function ReaderCharts({ route }: { route: Route }) {
  const { texts } = useWords();
  const range = rangeOf(route);
  const { history, frame } = useFrame(range);
  return (
    <Panel title={texts.readers} aside={<RangeLinks route={route} range={range} />}>
      <p class="small soft">{texts.readersHint}</p>
      <div class="chart-grid">
        <LineChart
          {...frame}
          label={texts.searches}
          series={[{ name: texts.searches, points: history?.series.searches ?? [] }]}
        />
        <LineChart
          {...frame}
          label={texts.searchTime}
          format={(value) => `${frame.format(value)} ms`}
          series={[{ name: texts.searchTime, points: history?.series.searchTime ?? [] }]}
        />
      </div>
    </Panel>
  );
}
