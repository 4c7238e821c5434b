import { useEffect, useRef, useState } from 'preact/hooks';
import { type LinePoint, nearest, segments } from './line-path.ts';

interface LineSeries {
  name: string;
  points: readonly LinePoint[];
}

/** A horizontal line. `tone` is the name of a color, such as `warn`. */
interface Limit {
  value: number;
  tone: string;
  label: string;
}

export interface LineChartProps {
  label: string;
  /** The first series has the accent color and an area. */
  series: readonly LineSeries[];
  /** The chart always shows the first limit. */
  limits?: readonly Limit[];
  /** The times at the left and the right edge, in epoch milliseconds. */
  from: number;
  to: number;
  format(value: number): string;
  formatTime(at: number): string;
  /** The exact time at the cursor. */
  formatCursor(at: number): string;
  /** The text that replaces lines without points. */
  empty: string;
  /** The text at the cursor in a gap. */
  missing: string;
}

const HEIGHT = 150;
/** If no point is within this distance of the cursor, in pixels, nothing was measured there. */
const NEAR = 20;
const PLOT = { left: 44, right: 8, top: 10, bottom: 20 };

/**
 * Lines over time, as plain SVG. For screen readers, the chart's text contains the latest and the highest
 * value.
 */
export function LineChart({
  label,
  series,
  limits = [],
  from,
  to,
  format,
  formatTime,
  formatCursor,
  empty,
  missing,
}: LineChartProps) {
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
  const highest = niceMaximum(Math.max(0, limits[0]?.value ?? 0, ...values));
  const plot = width - PLOT.left - PLOT.right;
  const x = (at: number) => PLOT.left + ((at - from) / Math.max(1, to - from)) * plot;
  const y = (value: number) => HEIGHT - PLOT.bottom - (value / highest) * (HEIGHT - PLOT.top - PLOT.bottom);
  const perPixel = (to - from) / plot;
  const cursor = pointer === undefined ? undefined : from + (pointer - PLOT.left) * perPixel;
  const isInside = cursor !== undefined && cursor >= from && cursor <= to;
  const shown = series.map(({ name, points }) => ({
    name,
    point: nearest(points, isInside ? cursor : undefined, NEAR * perPixel),
  }));
  const absent = isInside ? missing : '–';
  const text = shown.map(({ name, point }) => `${name}: ${point ? format(point.value) : empty}`).join('; ');
  const path = (points: readonly LinePoint[]) =>
    points
      .map(({ at, value }, i) => `${i === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`)
      .join('');
  // A line of length zero with round ends is a dot, so a single point between two gaps is visible.
  const line = (points: LinePoint[]) => `${path(points)}${points.length === 1 ? 'h0' : ''}`;
  const area = (points: LinePoint[]) =>
    points.length < 2
      ? ''
      : `${path(points)}L${x(points.at(-1)?.at ?? to).toFixed(1)} ${y(0)}L${x(points[0]?.at ?? from).toFixed(1)} ${y(0)}Z`;
  return (
    <div class="line-chart" ref={frame}>
      <ul class="row legend small" aria-hidden="true">
        {shown.map(({ name, point }, i) => (
          <li key={name}>
            <span class={`swatch series-${i}`} /> {name}{' '}
            <strong class="number">{point ? format(point.value) : absent}</strong>
          </li>
        ))}
        {isInside && <li class="number soft">{formatCursor(cursor)}</li>}
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
        {limits
          .filter(({ value }) => value <= highest)
          .map(({ value, tone, label: name }) => (
            <g key={name} class={`limit ${tone}`}>
              <line x1={PLOT.left} x2={width - PLOT.right} y1={y(value)} y2={y(value)} />
              <text x={width - PLOT.right} y={y(value) - 3} text-anchor="end">
                {name}
              </text>
            </g>
          ))}
        {series[0] && <path class="area" d={segments(series[0].points).map(area).join('')} />}
        {series.map(({ name, points }, i) => (
          <path key={name} class={`line series-${i}`} d={segments(points).map(line).join('')} />
        ))}
        {isInside && (
          <line class="cursor" x1={x(cursor)} x2={x(cursor)} y1={PLOT.top} y2={HEIGHT - PLOT.bottom} />
        )}
        {isInside &&
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
