export interface TimeBar {
  key: string;
  /** The short text below the bar. */
  label: string;
  value: number;
  /** The whole meaning of the bar, as a tooltip. */
  title: string;
}

const WIDTH = 480;
const HEIGHT = 130;
const BOTTOM = 18;
const TOP = 16;

/** Bars over time as plain SVG. The frame shows every third label, so that the texts do not overlap. */
export function TimeBars({ label, bars }: { label: string; bars: readonly TimeBar[] }) {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  const step = WIDTH / Math.max(1, bars.length);
  const given = bars.filter(({ value }) => value > 0).map(({ title }) => title);
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${label}. ${given.join('; ')}`}
    >
      <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
      {bars.map(({ key, label: text, value, title }, i) => {
        const height = (value / highest) * (HEIGHT - BOTTOM - TOP);
        const middle = (i + 0.5) * step;
        return (
          <g key={key}>
            <title>{title}</title>
            <rect
              class="time-bar"
              x={i * step + 3}
              y={HEIGHT - BOTTOM - height}
              width={step - 6}
              height={height}
              rx="2"
            />
            {value > 0 && (
              <text x={middle} y={HEIGHT - BOTTOM - height - 4} text-anchor="middle">
                {value}
              </text>
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
