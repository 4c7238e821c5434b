import type { ComponentChildren } from 'preact';
import type { ConsoleState, ReportedProgress } from './api-types.ts';
import { decimal } from './formats.ts';
import { Original } from './Original.tsx';
import type { Read } from './use-read.ts';
import { useWords } from './use-words.ts';

interface PanelProps {
  title: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
  level?: 2 | 3;
}

/** A titled part of a view. */
export function Panel({ title, aside, children, level = 2 }: PanelProps) {
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

interface StatProps {
  label: string;
  value: ComponentChildren;
  note: ComponentChildren;
  /** How the number compares with its limits, as a color and as a word. */
  level: 'good' | 'warn' | 'bad';
}

/** A number with its name. */
export function Stat({ label, value, note, level }: StatProps) {
  const { texts } = useWords();
  return (
    <div class={`stat card ${level}`}>
      <dt class="row spread">
        {label} <span class={`chip ${level}`}>{texts[level]}</span>
      </dt>
      <dd class="number">{value}</dd>
      <dd class="small soft note">{note}</dd>
    </div>
  );
}

interface CountBarsProps {
  counts: Readonly<Record<string, number>>;
  names: Readonly<Record<string, string>>;
  href(name: string): string;
}

/** Horizontal bars for counts by name. Each bar is a link to its rows. */
export function CountBars({ counts, names, href }: CountBarsProps) {
  const { count } = useWords();
  const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const highest = Math.max(1, ...entries.map(([, value]) => value));
  return (
    <ul class="count-bars">
      {entries.map(([name, value]) => (
        <li key={name}>
          <span class="name">
            <a href={href(name)}>{names[name] ?? name}</a>
          </span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect width={Math.max(1, (value / highest) * 100)} height="8" rx="1" />
          </svg>
          <span class="number">{count(value)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The progress of a step, with its rate and the time left. */
export function ProgressBar({ label, done, total, rate, secondsLeft }: ReportedProgress) {
  const { texts, language, count, duration } = useWords();
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const parts = [
    texts.ofTotal(count(done), count(total)),
    ...(rate === undefined ? [] : [texts.perSecond(decimal(rate, language))]),
    ...(secondsLeft === undefined || done >= total ? [] : [texts.left(duration(secondsLeft))]),
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

/** Shows a value that is read from the console: its content, a placeholder, or the failure of the read. */
export function Loaded<T>({
  read: { value, error, again },
  rows,
  children,
}: {
  read: Read<T>;
  rows: number;
  children(value: T): ComponentChildren;
}) {
  const { texts } = useWords();
  return (
    <>
      {error && (
        <div class="notice bad row spread" role="alert">
          <Original text={error.message} meaning={texts.errorKinds[error.kind ?? 'failed']} />
          <button type="button" class="button compact" onClick={again}>
            {texts.retry}
          </button>
        </div>
      )}
      {value === undefined ? !error && <Skeleton rows={rows} /> : children(value)}
    </>
  );
}

export type Fact = readonly [name: string, value: ComponentChildren];

/** Names with their values. A value that is undefined has no line. */
export function Facts({ facts, wide }: { facts: readonly Fact[]; wide?: boolean }) {
  return (
    <dl class={wide ? 'facts wide' : 'facts'}>
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="number">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A placeholder with the shape of the content. */
export function Skeleton({ rows = 3 }: { rows?: number }) {
  const { texts } = useWords();
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

/** The message that a view shows when it has no content. */
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

/** The scan that the console is running for any browser. */
export function ScanLine({ scan }: { scan: NonNullable<ConsoleState['scan']> }) {
  const { texts } = useWords();
  const { argv, progress, waiting } = scan;
  const label = `${texts.scanning}: ${argv.filter((word) => word !== '--').join(' ')}`;
  return (
    <div class="card scan" role="status">
      {progress ? <ProgressBar {...progress} label={label} /> : <p class="small">{label}</p>}
      {waiting > 0 && <p class="small soft">{texts.waitingScans(waiting)}</p>}
    </div>
  );
}
