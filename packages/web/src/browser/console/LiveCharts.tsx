import { LineChart } from '../components/charts/LineChart.tsx';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { ConsoleState } from './api-types.ts';
import { Panel } from './Frame.tsx';
import { clock, compact } from './formats.ts';
import { appliedEvents, livePoints, ratePoints, searchTimes } from './series.ts';
import { TEXTS } from './texts.ts';

const WINDOW_MS = 300_000;

/** The formatting and the time range that the live charts share. */
function useFrame({ now }: ConsoleState) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  return {
    from: now - WINDOW_MS,
    to: now,
    format: (value: number) => compact(value, language),
    formatTime: (at: number) => clock(at, language).replace(/:\d{2}(?=\s|$)/, ''),
    empty: texts.collecting,
  };
}

/** Lag and events of the last minutes. */
export function LiveCharts({ state }: { state: ConsoleState }) {
  const texts = useTexts(TEXTS);
  const frame = useFrame(state);
  const { samples } = state;
  return (
    <div class="chart-grid">
      <Panel title={texts.eventsPerSecond} level={3}>
        <LineChart
          {...frame}
          label={texts.eventsPerSecond}
          series={[
            { name: texts.applied, points: ratePoints(samples, appliedEvents) },
            { name: texts.arriving, points: ratePoints(samples, ({ end }) => end) },
          ]}
        />
      </Panel>
      <Panel title={texts.lagRecords} level={3}>
        <LineChart
          {...frame}
          label={texts.lagRecords}
          series={[{ name: texts.liveGeneration, points: livePoints(samples, 'records') }]}
        />
      </Panel>
      <Panel title={texts.lagSeconds} level={3}>
        <LineChart
          {...frame}
          label={texts.lagSeconds}
          series={[{ name: texts.liveGeneration, points: livePoints(samples, 'seconds') }]}
        />
      </Panel>
    </div>
  );
}

/** What readers feel while a generation is built: searches, and their time. */
export function ReaderCharts({ state }: { state: ConsoleState }) {
  const texts = useTexts(TEXTS);
  const frame = useFrame(state);
  const { samples } = state;
  const searches = ratePoints(samples, ({ searches }) => searches?.count);
  return (
    <Panel title={texts.readers}>
      <p class="small soft">{texts.readersHint}</p>
      <div class="chart-grid">
        <LineChart {...frame} label={texts.searches} series={[{ name: texts.searches, points: searches }]} />
        <LineChart
          {...frame}
          label={texts.searchTime}
          format={(value) => `${frame.format(value)} ms`}
          series={[{ name: texts.searchTime, points: searchTimes(samples) }]}
        />
      </div>
    </Panel>
  );
}
