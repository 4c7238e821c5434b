import type { Random } from '@vitrine/fixtures';
import { palm, pine, tree } from './backdrops.ts';
import { type Light, PAINTS, ROOFS, WALLS } from './light.ts';
import { box, circle, line, oval, place, repeat, shadow, shape } from './shapes.ts';

/** Draws the subject of a picture. */
export type Subject = (random: Random, light: Light) => string;

const pane = (x: number, y: number, width: number, height: number, { pane: fill }: Light): string =>
  box(x - 3, y - 3, width + 6, height + 6, '#fff', 2) +
  box(x, y, width, height, fill) +
  box(x + width / 2 - 1, y, 2, height, '#fff') +
  shape(
    `M${x} ${y + height}L${x + width * 0.6} ${y}H${x + width * 0.8}L${x + width * 0.2} ${y + height}Z`,
    '#fff',
    { opacity: 0.25 },
  );

/** An apartment building with balconies. */
export const apartments: Subject = (random, light) => {
  const wall = random.pick(WALLS);
  const accent = random.pick(PAINTS);
  const floors = random.integer(4, 6);
  const columns = random.integer(3, 4);
  const width = columns * 70 + 30;
  const left = 320 - width / 2 + random.integer(-50, 50);
  const top = 330 - floors * 46 - 44;
  const balconies = repeat(floors * columns, (index) => {
    const x = left + 22 + (index % columns) * 70;
    const y = top + 22 + Math.floor(index / columns) * 46;
    const isLit = light.isNight && random.chance(0.55);
    return (
      box(x, y, 46, 30, isLit ? '#ffdf94' : light.isNight ? '#4d5b78' : light.pane, 2) +
      box(x + 22, y, 2, 30, '#fff', 0, { opacity: 0.7 }) +
      box(x - 4, y + 20, 54, 13, '#fff', 2, { opacity: 0.82 }) +
      box(x - 4, y + 31, 54, 4, accent)
    );
  });
  return (
    shadow(left + width / 2, 336, width * 0.62) +
    box(left, top, width, 336 - top, wall, 4) +
    box(left, top, 14, 336 - top, accent) +
    box(left - 6, top - 8, width + 12, 10, accent, 2) +
    balconies +
    box(left + width / 2 - 22, 302, 44, 34, '#5a4638', 2) +
    box(left + width / 2 - 40, 294, 80, 8, accent, 2) +
    place(tree(light.hills[2]), left - 26, 342, 1) +
    place(tree(light.hills[1]), left + width + 30, 344, 0.85)
  );
};

/** A house with a pitched roof. */
const cottage = (random: Random, light: Light, wall: string, roof: string): string => {
  const windows = pane(-92, -74, 44, 36, light) + pane(52, -74, 44, 36, light);
  return (
    shadow(0, 4, 150) +
    box(-120, -100, 240, 104, wall) +
    box(-120, -6, 240, 10, '#000', 0, { opacity: 0.12 }) +
    shape('M-146 -96L-84 -168H84L146 -96Z', roof) +
    shape('M-146 -96L-84 -168H-64L-122 -96Z', '#fff', { opacity: 0.14 }) +
    windows +
    box(-22, -66, 44, 70, random.pick(PAINTS), 3) +
    circle(14, -30, 3, '#f6e7b8') +
    box(-34, 0, 68, 8, '#cbb894', 2)
  );
};

/** A house by the sea, sometimes with a pool. */
export const beachHouse: Subject = (random, light) => {
  const hasPool = random.chance(0.5);
  const x = random.integer(260, 380);
  return (
    place(cottage(random, light, random.pick(WALLS), random.pick(ROOFS)), x, 330, 1.05) +
    (hasPool
      ? oval(x + 20, 372, 150, 18, '#e9dcc0') +
        oval(x + 20, 371, 138, 14, '#4cc1d6') +
        oval(x, 369, 60, 4, '#fff', { opacity: 0.4 })
      : line(`M${x + 150} 300V356M${x + 110} 330Q${x + 150} 380 ${x + 204} 326`, '#b5533c', 4)) +
    place(palm(light.hills[2]), x - 190, 352, 1.1)
  );
};

/** A chalet with a steep roof, a deck and smoke. */
export const chalet: Subject = (random, light) => {
  const x = random.integer(250, 390);
  const wood = random.pick(['#9a6a42', '#7d5438', '#b07a4a']);
  return (
    line(`M${x + 62} 138C${x + 50} 118 ${x + 78} 106 ${x + 66} 84S${x + 84} 60 ${x + 76} 44`, '#fff', 9, {
      opacity: 0.45,
    }) +
    shadow(x, 340, 150) +
    box(x + 50, 134, 26, 70, '#8b8580') +
    shape(`M${x} 108L${x + 142} 340H${x - 142}Z`, random.pick(ROOFS)) +
    shape(`M${x} 140L${x + 112} 336H${x - 112}Z`, wood) +
    repeat(7, (index) =>
      line(`M${x - 96 + index * 32} ${336 - (3 - Math.abs(3 - index)) * 50}V334`, '#000', 2, {
        opacity: 0.16,
      }),
    ) +
    shape(`M${x} 176L${x + 40} 246H${x - 40}Z`, light.isNight ? '#ffdc8a' : light.pane) +
    line(`M${x} 176V246M${x - 24} 220H${x + 24}`, '#fff', 3) +
    box(x - 20, 268, 40, 70, '#4c3527', 3) +
    pane(x - 74, 278, 34, 34, light) +
    pane(x + 40, 278, 34, 34, light) +
    box(x - 150, 334, 300, 10, '#6a4a33', 2) +
    repeat(9, (index) => box(x - 148 + index * 36, 318, 5, 22, '#6a4a33')) +
    box(x - 150, 316, 300, 5, '#7d5a3f', 2) +
    place(pine(light.hills[2]), x - 206, 356, 1.5) +
    place(pine(light.hills[1]), x + 212, 350, 1.2)
  );
};

/** A country house with a pool or a soccer field. */
export const farm: Subject = (random, light) => {
  const x = random.integer(200, 300);
  const pitch =
    shape('M330 348L600 340L640 392H300Z', '#4f9a4a') +
    line('M356 352L588 345L622 384H330Z M470 349L478 386', '#fff', 3, { opacity: 0.8 }) +
    oval(474, 366, 30, 9, 'none', { stroke: '#fff', 'stroke-width': 3, opacity: 0.8 });
  const pool =
    oval(470, 370, 120, 20, '#e7dcc4') +
    oval(470, 369, 108, 15, '#4cc1d6') +
    oval(450, 366, 44, 4, '#fff', { opacity: 0.4 });
  return (
    place(cottage(random, light, random.pick(WALLS), random.pick(ROOFS)), x, 334, 0.95) +
    (random.chance(0.5) ? pitch : pool) +
    repeat(7, (index) => box(20 + index * 40, 376, 6, 20, '#e9dfca')) +
    box(14, 382, 262, 4, '#e9dfca')
  );
};

/** A lot with a fence and a sign. */
export const lot: Subject = (random, light) => {
  const accent = random.pick(PAINTS);
  return (
    shape('M90 322L560 314L640 388H20Z', '#b98d5e') +
    shape('M90 322L560 314L575 328L76 338Z', '#fff', { opacity: 0.12 }) +
    repeat(12, (index) => box(76 + index * 43, 296 + (index % 2), 6, 36, '#d9cdb6')) +
    line('M72 304H560M72 318H560', '#cfc2a8', 3) +
    box(286, 250, 8, 96, '#6b4a35') +
    box(232, 214, 116, 62, '#fff', 6) +
    box(240, 222, 100, 46, accent, 4) +
    shape('M272 250H308V236L290 224L272 236Z', '#fff') +
    shadow(290, 348, 60) +
    place(tree(light.hills[2]), random.integer(420, 560), 340, 1.1)
  );
};
