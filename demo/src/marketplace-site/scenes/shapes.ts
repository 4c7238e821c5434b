/** The size of a picture in its own units. */
export const WIDTH = 640;
export const HEIGHT = 400;

/** Attributes of an SVG element, such as `opacity`. */
type Look = Readonly<Record<string, string | number>>;

const look = (attributes: Look): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('');

/** A rectangle. @param radius the radius of its corners */
export const box = (
  x: number,
  y: number,
  width: number,
  height: number,
  fill: string,
  radius = 0,
  more: Look = {},
): string => `<rect${look({ x, y, width, height, fill, ...(radius && { rx: radius }), ...more })}/>`;

export const circle = (cx: number, cy: number, r: number, fill: string, more: Look = {}): string =>
  `<circle${look({ cx, cy, r, fill, ...more })}/>`;

export const oval = (cx: number, cy: number, rx: number, ry: number, fill: string, more: Look = {}): string =>
  `<ellipse${look({ cx, cy, rx, ry, fill, ...more })}/>`;

/** A filled shape, given as SVG path data. */
export const shape = (d: string, fill: string, more: Look = {}): string =>
  `<path${look({ d, fill, ...more })}/>`;

/** A line with round ends, given as SVG path data. */
export const line = (d: string, stroke: string, width: number, more: Look = {}): string =>
  shape(d, 'none', {
    stroke,
    'stroke-width': width,
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    ...more,
  });

/** Moves a drawing, and scales it around its own origin. */
export const place = (content: string, x: number, y: number, scale = 1, mirrored = false): string =>
  `<g transform="translate(${round(x)} ${round(y)}) scale(${round(mirrored ? -scale : scale)} ${round(scale)})">${content}</g>`;

/** The soft shadow under a thing that stands at this height. */
export const shadow = (cx: number, y: number, rx: number, opacity = 0.22): string =>
  oval(cx, y, rx, rx * 0.09 + 4, '#0b1722', { opacity });

/** Draws something `count` times, and joins the drawings. */
export const repeat = (count: number, draw: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => draw(index)).join('');

/** Two decimals are enough for a picture. */
export const round = (value: number): number => Math.round(value * 100) / 100;
