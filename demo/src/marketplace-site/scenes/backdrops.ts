import type { Random } from '@vitrine/fixtures';
import type { Colors, Light } from './light.ts';
import { box, circle, HEIGHT, line, oval, place, repeat, round, shape, WIDTH } from './shapes.ts';

/** Draws what is behind the subject of a picture. The ground is at 300. */
export type Backdrop = (random: Random, light: Light) => string;

const sky: Backdrop = (random, { sun, cloud, isNight }) => {
  const x = random.integer(70, 570);
  const y = random.integer(50, 110);
  const stars = isNight
    ? repeat(24, () =>
        circle(random.integer(0, WIDTH), random.integer(0, 150), random.pick([1, 1.4, 2]), '#fff', {
          opacity: 0.7,
        }),
      )
    : '';
  const clouds = repeat(random.integer(1, 3), () =>
    place(
      oval(0, 0, 46, 13, cloud) + oval(-20, -9, 24, 15, cloud) + oval(16, -13, 28, 19, cloud),
      random.integer(30, 610),
      random.integer(45, 130),
      0.6 + random.fraction() * 0.7,
    ),
  );
  return (
    box(0, 0, WIDTH, HEIGHT, 'url(#sky)') +
    stars +
    circle(x, y, 62, sun, { opacity: 0.28 }) +
    circle(x, y, 34, sun) +
    `<g opacity="0.85">${clouds}</g>`
  );
};

/** A ridge of hills across the picture. Its foot is at 320. */
const ridge = (random: Random, top: number, fill: string): string => {
  let path = `M0 320V${top + random.integer(-10, 20)}`;
  for (let x = 0; x < WIDTH; x += 160) {
    const crest = top + random.integer(-34, 14);
    path += `Q${x + 80} ${crest - 22} ${x + 160} ${top + random.integer(-8, 26)}`;
  }
  return shape(`${path}V320Z`, fill);
};

export const pine = (fill: string, trunk = '#6b4a35'): string =>
  box(-4, -14, 8, 14, trunk) + shape('M0 -92L24 -44H13L32 -12H-32L-13 -44H-24Z', fill);

export const tree = (fill: string, trunk = '#7a5a3e'): string =>
  shape('M-5 0L-3 -42H3L6 0Z', trunk) +
  circle(0, -62, 28, fill) +
  circle(-20, -48, 20, fill) +
  circle(20, -48, 21, fill) +
  circle(-8, -70, 12, '#fff', { opacity: 0.12 });

export const palm = (leaf: string, trunk = '#8a6a46'): string =>
  line('M0 0C4 -40 2 -78 14 -118', trunk, 8) +
  [
    'M14 -118C-14 -136 -38 -126 -50 -100',
    'M14 -118C-8 -152 -36 -156 -54 -140',
    'M14 -118C30 -152 58 -152 74 -132',
    'M14 -118C40 -132 64 -118 72 -92',
    'M14 -118C10 -96 -6 -82 -18 -78',
  ]
    .map((leafPath) => line(leafPath, leaf, 9))
    .join('');

const hills: Backdrop = (random, light) =>
  sky(random, light) +
  ridge(random, 205, light.hills[0]) +
  ridge(random, 240, light.hills[1]) +
  ridge(random, 272, light.hills[2]);

/** A beach: sea, sand and palms. */
export const beach: Backdrop = (random, light) => {
  const side = random.chance(0.5) ? 40 : 590;
  return (
    sky(random, light) +
    (random.chance(0.6) ? ridge(random, 228, light.hills[0]) : '') +
    box(0, 238, WIDTH, 70, 'url(#water)') +
    repeat(7, () =>
      box(random.integer(0, 600), random.integer(244, 282), random.integer(24, 80), 2, '#fff', 1, {
        opacity: 0.35,
      }),
    ) +
    shape('M0 292Q160 280 320 290T640 286V400H0Z', light.sand) +
    line('M0 291Q160 279 320 289T640 285', '#fff', 4, { opacity: 0.6 }) +
    place(palm(light.hills[2]), side, 326, 1.25, random.chance(0.5)) +
    place(palm(light.hills[2]), side + (side < 300 ? 64 : -64), 316, 0.9, random.chance(0.5))
  );
};

/** The mountains, with pines. */
export const serra: Backdrop = (random, light) =>
  hills(random, light) +
  box(0, 296, WIDTH, 104, light.grass) +
  repeat(12, (index) =>
    place(
      pine(light.hills[2]),
      index * 56 + random.integer(0, 30),
      302 + random.integer(0, 8),
      0.8 + random.fraction() * 0.6,
    ),
  );

/** Fields, with trees. */
export const country: Backdrop = (random, light) =>
  hills(random, light) +
  box(0, 292, WIDTH, 108, light.grass) +
  shape('M0 330Q200 300 420 318T640 308V340Q430 350 300 344T0 362Z', '#fff', { opacity: 0.1 }) +
  repeat(6, (index) =>
    place(
      tree(light.hills[2]),
      index * 118 + random.integer(0, 60),
      306 + random.integer(-4, 6),
      0.8 + random.fraction() * 0.5,
    ),
  );

/** City towers behind a street. */
export const city: Backdrop = (random, light) => {
  const row = (bottom: number, fill: string, low: number, high: number, hasWindows: boolean): string => {
    let drawn = '';
    for (let x = -10; x < WIDTH; ) {
      const width = random.integer(38, 82);
      const height = random.integer(low, high);
      drawn += box(x, bottom - height, width, height, fill, 2);
      if (hasWindows)
        for (let y = bottom - height + 12; y < bottom - 14; y += 20)
          for (let at = x + 8; at < x + width - 10; at += 16)
            if (random.chance(light.isNight ? 0.5 : 0.8))
              drawn += box(at, y, 8, 10, light.pane, 1, { opacity: 0.55 });
      x += width + random.integer(2, 10);
    }
    return drawn;
  };
  return (
    sky(random, light) +
    row(304, light.hills[0], 80, 190, false) +
    row(304, light.hills[1], 50, 130, true) +
    box(0, 300, WIDTH, 34, '#c9c7c2') +
    box(0, 332, WIDTH, 68, light.road) +
    repeat(6, (index) => box(20 + index * 116, 362, 60, 5, '#f4f0e4', 2, { opacity: 0.8 }))
  );
};

export const park: Backdrop = (random, light) =>
  hills(random, light) +
  box(0, 288, WIDTH, 112, light.grass) +
  shape('M-20 400Q220 330 330 320T660 330V362Q460 346 380 352T180 400Z', light.sand) +
  repeat(7, (index) =>
    place(
      tree(index % 2 ? light.hills[2] : light.hills[1]),
      index * 104 + random.integer(0, 50),
      304 + random.integer(-6, 4),
      0.9 + random.fraction() * 0.5,
    ),
  );

/** A plain wall and a floor, as in a photo studio. */
export const studio: Backdrop = (random) => {
  const [wall, floor] = random.pick<Colors>([
    ['#dfe9ec', '#c3d3d8'],
    ['#f3e3cf', '#e0c8a8'],
    ['#e3e6d6', '#c9cfb4'],
    ['#f0dcd8', '#dcbfb8'],
    ['#dbe3f0', '#bccadf'],
    ['#e9e2ef', '#cfc2dc'],
  ]);
  const x = random.integer(160, 480);
  return (
    box(0, 0, WIDTH, HEIGHT, wall) +
    oval(x, 150, 330, 210, '#fff', { opacity: 0.32 }) +
    shape('M0 306H640V400H0Z', floor) +
    box(0, 302, WIDTH, 5, '#fff', 0, { opacity: 0.35 })
  );
};

/** The gradients that the backdrops use. */
export const definitions = ({ sky: [top, horizon], water: [far, near] }: Light): string =>
  `<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="${round(0.72)}" stop-color="${horizon}"/></linearGradient>` +
  `<linearGradient id="water" x2="0" y2="1"><stop stop-color="${far}"/><stop offset="1" stop-color="${near}"/></linearGradient></defs>`;
