interface Bar {
  key: string;
  /** The short text below the bar. */
  label: string;
  value: number;
  /** The text above the bar. */
  caption?: string;
  /** A second text below the bar. */
  note?: string;
  /** The whole meaning of the bar, as a tooltip. */
  title: string;
  isMarked?: boolean;
}

export interface BarChartProps {
  label: string;
  bars: readonly Bar[];
  /** Makes the bars buttons. */
  onChoose?(key: string): void;
}

/** Bars as buttons, so that a keyboard reaches each of them. The height of a bar is its part of the highest value. */
export function BarChart({ label, bars, onChoose }: BarChartProps) {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <fieldset class="bars" aria-label={label}>
      {bars.map(({ key, label: text, value, caption, note, title, isMarked }) => (
        <button
          key={key}
          type="button"
          class={isMarked ? 'bar-item marked' : 'bar-item'}
          title={title}
          aria-pressed={isMarked ?? false}
          disabled={onChoose === undefined}
          onClick={() => onChoose?.(key)}
        >
          <span class="small number">{caption ?? value}</span>
          <svg viewBox="0 0 10 40" preserveAspectRatio="none" aria-hidden="true">
            <rect x="0" width="10" rx="1" y={40 - (value / highest) * 40} height={(value / highest) * 40} />
          </svg>
          <span class="small">{text}</span>
          {note !== undefined && <span class="small soft number">{note}</span>}
        </button>
      ))}
    </fieldset>
  );
}
