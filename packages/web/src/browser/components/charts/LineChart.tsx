import { useEffect, useRef, useState } from 'preact/hooks';

export interface LineSeries {
  name: string;
  points: readonly { at: number; value: number }[];
}

export interface LineChartProps {
  label: string;
  /** The first series has the accent color and an area. */
  series: readonly LineSeries[];
  /** Epoch milliseconds of the left and the right edge. */
  from: number;
  to: number;
  format(value: number): string;
  formatTime(at: number): string;
  /** Shown instead of lines without points. */
  empty: string;
}

const HEIGHT = 150;
const PLOT = { left: 44, right: 8, top: 10, bottom: 20 };

/** Lines over time as plain SVG. Its text has the latest and the highest value for screen readers. */
export function LineChart({ label, series, from, to, format, formatTime, empty }: LineChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(480);
  const [pointer, setPointer] = useState<number>();
  useEffect(() => {
    const { current } = frame;
    if (!current) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(200, current.clientWidth)));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);

  const values = series.flatMap(({ points }) => points.map(({ value }) => value));
  const highest = niceMaximum(Math.max(0, ...values));
  const x = (at: number) =>
    PLOT.left + ((at - from) / Math.max(1, to - from)) * (width - PLOT.left - PLOT.right);
  const y = (value: number) => HEIGHT - PLOT.bottom - (value / highest) * (HEIGHT - PLOT.top - PLOT.bottom);
  const near = (points: LineSeries['points']) =>
    pointer === undefined
      ? points.at(-1)
      : points.reduce<LineSeries['points'][number] | undefined>(
          (best, point) =>
            best === undefined || Math.abs(x(point.at) - pointer) < Math.abs(x(best.at) - pointer)
              ? point
              : best,
          undefined,
        );
  const shown = series.map(({ name, points }) => ({ name, point: near(points) }));
  const text = shown.map(({ name, point }) => `${name}: ${point ? format(point.value) : empty}`).join('; ');
  const path = (points: LineSeries['points']) =>
    points
      .map(({ at, value }, i) => `${i === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`)
      .join('');
  const area = (points: LineSeries['points']) =>
    points.length < 2
      ? ''
      : `${path(points)}L${x(points.at(-1)?.at ?? to).toFixed(1)} ${y(0)}L${x(points[0]?.at ?? from).toFixed(1)} ${y(0)}Z`;
  return (
    <div class="line-chart" ref={frame}>
      <ul class="row legend small" aria-hidden="true">
        {shown.map(({ name, point }, i) => (
          <li key={name}>
            <span class={`swatch series-${i}`} /> {name}{' '}
            <strong class="number">{point ? format(point.value) : '–'}</strong>
          </li>
        ))}
      </ul>
      <svg
        class="chart"
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`${label}. ${text}`}
        onPointerMove={({ offsetX }) => setPointer(offsetX)}
        onPointerLeave={() => setPointer(undefined)}
      >
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line
              class="axis"
              x1={PLOT.left}
              x2={width - PLOT.right}
              y1={y(highest * part)}
              y2={y(highest * part)}
            />
            <text x={PLOT.left - 6} y={y(highest * part) + 4} text-anchor="end">
              {format(highest * part)}
            </text>
          </g>
        ))}
        {[from, (from + to) / 2, to].map((at, i) => (
          <text key={i} x={x(at)} y={HEIGHT - 5} text-anchor={(['start', 'middle', 'end'] as const)[i]}>
            {formatTime(at)}
          </text>
        ))}
        {values.length === 0 && (
          <text x={width / 2} y={HEIGHT / 2 - 6} text-anchor="middle">
            {empty}
          </text>
        )}
        {series[0] && <path class="area" d={area(series[0].points)} />}
        {series.map(({ name, points }, i) => (
          <path key={name} class={`line series-${i}`} d={path(points)} />
        ))}
        {pointer !== undefined &&
          shown.map(({ name, point }, i) =>
            point ? (
              <circle key={name} class={`dot series-${i}`} cx={x(point.at)} cy={y(point.value)} r="4" />
            ) : null,
          )}
      </svg>
    </div>
  );
}

/** Rounds up to 1, 2 or 5 times a power of 10, so that the axis has short labels. */
function niceMaximum(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}
