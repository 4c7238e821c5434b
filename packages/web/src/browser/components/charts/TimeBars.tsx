export interface TimeBar {
  key: string;
  /** The beginning and the end, in epoch milliseconds. */
  from: number;
  to: number;
  /** The short text below the bar. */
  label: string;
  value: number;
  /** The full meaning of the bar, as a tooltip. */
  title: string;
}

const WIDTH = 480;
const HEIGHT = 130;
const BOTTOM = 18;
const TOP = 16;

/**
 * Bars over time as plain SVG, each with a link to its rows. The frame shows every third label, so that the
 * labels do not overlap.
 */
export function TimeBars({
  label,
  bars,
  href,
}: {
  label: string;
  bars: readonly TimeBar[];
  href(bar: TimeBar): string;
}) {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  const step = WIDTH / Math.max(1, bars.length);
  return (
    // biome-ignore lint/a11y/useSemanticElements: no element of SVG is a group with a name.
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={label}>
      <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
      {bars.map((bar, i) => {
        const { key, label: text, value, title } = bar;
        const height = (value / highest) * (HEIGHT - BOTTOM - TOP);
        const middle = (i + 0.5) * step;
        return (
          <g key={key}>
            {value > 0 && (
              <a href={href(bar)} aria-label={title}>
                <title>{title}</title>
                <rect class="time-target" x={i * step} y="0" width={step} height={HEIGHT - BOTTOM} />
                <rect
                  class="time-bar"
                  x={i * step + 3}
                  y={HEIGHT - BOTTOM - height}
                  width={step - 6}
                  height={height}
                  rx="2"
                />
                <text x={middle} y={HEIGHT - BOTTOM - height - 4} text-anchor="middle">
                  {value}
                </text>
              </a>
            )}
            {i % 3 === 2 && (
              <text x={(i + 1) * step} y={HEIGHT - 4} text-anchor="end">
                {text}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
