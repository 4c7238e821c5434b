import type { ComponentChildren } from 'preact';
import { count } from '../components/format.ts';
import { usePreferences, useTexts } from '../components/preferences.ts';
import type { ConsoleState, ReportedProgress } from './api-types.ts';
import { decimal, duration } from './formats.ts';
import { Original } from './Original.tsx';
import { TEXTS } from './texts.ts';
import type { ReadError } from './use-read.ts';

/** A titled part of a view. */
export function Panel({
  title,
  aside,
  children,
  level = 2,
}: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
  level?: 2 | 3;
}) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section class="card stack panel">
      <div class="row spread">
        <Heading>{title}</Heading>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** A number with its name. `level`: how it compares with its limits, as a color and as a word. */
export function Stat({
  label,
  value,
  note,
  level,
}: {
  label: string;
  value: ComponentChildren;
  note?: ComponentChildren;
  level: 'good' | 'warn' | 'bad';
}) {
  const levels = useTexts(TEXTS);
  return (
    <div class={`stat card ${level}`}>
      <dt class="row spread">
        {label} <span class={`chip ${level}`}>{levels[level]}</span>
      </dt>
      <dd class="number">{value}</dd>
      {note && <dd class="small soft note">{note}</dd>}
    </div>
  );
}

/** Horizontal bars for counts by name. A bar with `href` is a link. */
export function CountBars({
  counts,
  names = {},
  href,
}: {
  counts: Readonly<Record<string, number>>;
  names?: Readonly<Record<string, string>>;
  href?(name: string): string;
}) {
  const { language } = usePreferences();
  const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const highest = Math.max(1, ...entries.map(([, value]) => value));
  return (
    <ul class="count-bars">
      {entries.map(([name, value]) => (
        <li key={name}>
          <span class="name">
            {href ? <a href={href(name)}>{names[name] ?? name}</a> : (names[name] ?? name)}
          </span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect width={Math.max(1, (value / highest) * 100)} height="8" rx="1" />
          </svg>
          <span class="number">{count(value, language)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The progress of a step with rate and time left. */
export function ProgressBar({ label, done, total, rate, secondsLeft }: ReportedProgress) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const parts = [
    texts.ofTotal(count(done, language), count(total, language)),
    ...(rate === undefined ? [] : [texts.perSecond(decimal(rate, language))]),
    ...(secondsLeft === undefined || done >= total ? [] : [texts.left(duration(secondsLeft, language))]),
  ];
  return (
    <div class="progress-line">
      <div class="row spread small">
        <strong>{label}</strong>
        <span class="number">{Math.floor(share * 100)} %</span>
      </div>
      <progress value={share} max={1} aria-label={label} />
      <p class="small soft number">{parts.join(' · ')}</p>
    </div>
  );
}

/** A failed read: the words of the command line, and another attempt. */
export function Failure({ message, again }: { message: ReadError; again(): void }) {
  const texts = useTexts(TEXTS);
  return (
    <div class="notice bad row spread" role="alert">
      <Original text={message.message} meaning={texts.errorKinds[message.kind ?? 'failed']} />
      <button type="button" class="button compact" onClick={again}>
        {texts.retry}
      </button>
    </div>
  );
}

/** A placeholder with the shape of the content. */
export function Skeleton({ rows = 3 }: { rows?: number }) {
  const texts = useTexts(TEXTS);
  return (
    <div class="stack" aria-busy="true">
      <span class="hidden-text" role="status">
        {texts.loading}
      </span>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} class="skeleton skeleton-row" />
      ))}
    </div>
  );
}

/** What a view shows when it has nothing. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children && <div class="soft">{children}</div>}
    </div>
  );
}

/** A frame that scrolls wide content, also with the keyboard (WCAG 2.1.1). */
export function ScrollFrame({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll the content.
    <section class="table-frame" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** The scan that the console runs for any browser. */
export function ScanLine({ scan }: { scan: NonNullable<ConsoleState['scan']> }) {
  const texts = useTexts(TEXTS);
  const { argv, progress, waiting } = scan;
  const label = `${texts.scanning}: ${argv.filter((word) => word !== '--').join(' ')}`;
  return (
    <div class="card scan" role="status">
      {progress ? <ProgressBar {...progress} label={label} /> : <p class="small">{label}</p>}
      {waiting > 0 && <p class="small soft">{texts.waitingScans(waiting)}</p>}
    </div>
  );
}
