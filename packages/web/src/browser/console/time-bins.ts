import type { TimeBar } from '../components/charts/TimeBars.tsx';
import type { Language } from '../components/preferences.ts';
import { dateFormat } from '../components/words/formatters.ts';

const BINS = 12;
const MINUTE_MS = 60_000;
/** Bar lengths that people can read: minutes, hours and days. */
const LENGTHS = [1, 5, 15, 60, 180, 720, 1_440, 10_080, 43_200].map((minutes) => minutes * MINUTE_MS);

/** Counts dead letters in twelve equal periods that end with the newest one. Pure. */
export function timeBins(letters: readonly { time: string }[], language: Language): TimeBar[] {
  const times = letters.map(({ time }) => Date.parse(time));
  if (times.length === 0) return [];
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const fits = LENGTHS.find((one) => last - first < one * (BINS - 1));
  const length = fits ?? Math.ceil((last - first + 1) / (BINS - 1));
  const start = Math.floor(last / length) * length - (BINS - 1) * length;
  const counts = Array.from({ length: BINS }, () => 0);
  for (const time of times) {
    const bin = Math.floor((time - start) / length);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const isDay = length >= 1_440 * MINUTE_MS;
  const short = dateFormat(
    language,
    isDay ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' },
  );
  const long = dateFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  return counts.map((value, bin) => {
    const from = start + bin * length;
    return {
      key: String(from),
      from,
      to: from + length,
      label: short.format(from),
      value,
      title: `${long.formatRange(from, from + length)}: ${value}`,
    };
  });
}
