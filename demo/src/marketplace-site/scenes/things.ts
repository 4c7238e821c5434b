import type { Subject } from './homes.ts';
import { sofa } from './interiors.ts';
import { type Colors, PAINTS } from './light.ts';
import { box, circle, line, oval, place, repeat, shadow, shape } from './shapes.ts';

export const laptop: Subject = (random) => {
  const screen = random.pick<Colors>([
    ['#31386b', '#e58f8a'],
    ['#1d5f8a', '#7fd0dc'],
    ['#2d5a43', '#c7d98a'],
    ['#5a3f73', '#f0b38a'],
  ]);
  return (
    shadow(320, 352, 210) +
    box(170, 104, 300, 196, '#3a4148', 12) +
    box(182, 116, 276, 172, screen[0], 4) +
    shape('M182 288V240Q250 190 316 234T458 214V288Z', screen[1], { opacity: 0.8 }) +
    circle(402, 160, 20, '#fff', { opacity: 0.75 }) +
    shape('M182 116H330L240 288H182Z', '#fff', { opacity: 0.08 }) +
    shape('M150 300H490L530 344H110Z', '#c9d0d6') +
    shape('M186 308H454L470 326H170Z', '#8d979e') +
    repeat(10, (index) => box(194 + index * 26, 310, 18, 12, '#5b646c', 2)) +
    shape('M280 330H360L366 340H274Z', '#aab3ba') +
    box(110, 342, 420, 9, '#9aa4ab', 4) +
    (random.chance(0.5)
      ? oval(566, 344, 26, 12, random.pick(PAINTS))
      : box(46, 300, 44, 48, random.pick(PAINTS), 6) +
        line('M90 312q18 2 14 16t-16 8', '#fff', 5, { opacity: 0.7 }))
  );
};

export const couch: Subject = (random) =>
  oval(320, 352, 260, 26, random.pick(PAINTS), { opacity: 0.3 }) +
  place(sofa(random.pick(PAINTS), random.pick(['#f2d8a0', '#f7f3ea', '#c9e0dc'])), 320, 346, 1.25) +
  line('M560 346V150', '#4b4b4b', 6) +
  shape('M524 152L540 96H580L596 152Z', '#f7e3b4');

export const surfboards: Subject = (random) =>
  repeat(random.integer(1, 3), (index) => {
    const paint = random.pick(PAINTS);
    const stripe = random.pick(PAINTS);
    const board =
      shape('M0 -262C34 -214 44 -110 34 -30Q28 -4 0 4Q-28 -4 -34 -30C-44 -110 -34 -214 0 -262Z', '#fdf9ef') +
      shape('M0 -262C34 -214 41 -150 40 -130H-40C-41 -150 -34 -214 0 -262Z', paint) +
      box(-40, -122, 80, 12, stripe) +
      line('M0 -250V0', '#8b7a5a', 2) +
      shape('M-10 -4L0 -26L10 -4Z', '#3a4148');
    return shadow(210 + index * 110, 362, 46) + place(board, 210 + index * 110, 362, 1, index % 2 === 1);
  });

/** A guitar; a small one is a cavaquinho. */
export const guitar: Subject = (random) => {
  const wood = random.pick(['#c8823e', '#a85f34', '#d9a35c', '#7d4a30']);
  const drawn =
    shape(
      'M0 0C-66 0 -86 -44 -74 -84C-66 -110 -48 -116 -52 -138C-58 -168 -34 -188 0 -188C34 -188 58 -168 52 -138C48 -116 66 -110 74 -84C86 -44 66 0 0 0Z',
      wood,
    ) +
    shape(
      'M-52 -138C-58 -168 -34 -188 0 -188C-28 -182 -44 -164 -40 -138C-38 -112 -60 -108 -64 -82C-70 -48 -58 -12 -22 -2C-70 -6 -86 -46 -74 -84C-66 -110 -48 -116 -52 -138Z',
      '#fff',
      { opacity: 0.22 },
    ) +
    circle(0, -112, 24, '#3a2a20') +
    circle(0, -112, 29, 'none', { stroke: '#f2d8a0', 'stroke-width': 3 }) +
    box(-34, -46, 68, 10, '#3a2a20', 4) +
    box(-11, -318, 22, 196, '#4c3527') +
    repeat(9, (index) => box(-11, -312 + index * 19, 22, 2, '#d8c7a0')) +
    shape('M-15 -318L-20 -366H20L15 -318Z', '#3a2a20') +
    repeat(6, (index) => circle(index % 2 ? 25 : -25, -358 + Math.floor(index / 2) * 15, 5, '#e8e2d4')) +
    repeat(5, (index) => line(`M${-8 + index * 4} -330V-44`, '#f7f3ea', 1, { opacity: 0.8 }));
  return (
    shadow(320, 368, 110) +
    `<g transform="rotate(${random.pick([-14, -8, 10, 16])} 320 360)">${place(drawn, 320, 366, 0.92)}</g>`
  );
};

/** A concrete mixer, a drill or a scaffold. */
export const tools: Subject = (random) => {
  const paint = random.pick(['#e0a526', '#e07a4f', '#d94f3d', '#2f6f9f'] as const);
  const mixer =
    shadow(320, 362, 170) +
    line('M240 356L290 246M400 356L350 246', '#59626a', 12) +
    `<g transform="rotate(-18 320 210)">${shape('M240 150L400 150L430 230L384 290H256L210 230Z', paint)}${shape('M240 150H400L406 166H234Z', '#000', { opacity: 0.2 })}${oval(320, 150, 80, 18, '#3a4148')}${shape('M210 230L240 150H262L238 230L276 290H256Z', '#fff', { opacity: 0.25 })}</g>` +
    circle(236, 342, 24, '#23282e') +
    circle(404, 342, 24, '#23282e');
  const drill =
    shadow(320, 360, 180) +
    shape(
      'M200 190H420Q440 190 440 210V246Q440 262 420 262H330L344 352H272L262 262H200Q184 262 184 246V210Q184 190 200 190Z',
      paint,
    ) +
    shape('M200 190H420Q440 190 440 210H184Q184 190 200 190Z', '#fff', { opacity: 0.25 }) +
    box(440, 208, 46, 36, '#3a4148', 5) +
    shape('M486 216H590L604 226L590 236H486Z', '#9aa4ab') +
    box(262, 330, 92, 32, '#2b3036', 6) +
    shape('M332 268L356 276L346 300L336 300Z', '#2b3036') +
    repeat(4, (index) => box(210 + index * 18, 216, 8, 24, '#000', 3, { opacity: 0.22 }));
  const scaffold =
    shadow(320, 364, 190) +
    line('M180 360V90M460 360V90M180 170H460M180 270H460M180 270L460 170M180 360L460 270', paint, 9) +
    box(160, 160, 320, 14, '#c79f74', 2) +
    box(160, 260, 320, 14, '#c79f74', 2) +
    box(280, 118, 50, 42, '#d94f3d', 4) +
    line('M280 126Q305 96 330 126', '#59626a', 4);
  return random.pick([mixer, drill, scaffold] as const);
};

/** Books, a board and a cup. */
export const lesson: Subject = (random) => {
  const words = random.pick(['Hello!', 'Welcome', 'Good job!', 'Let’s talk'] as const);
  return (
    box(120, 40, 400, 210, '#7d5a3f', 8) +
    box(134, 54, 372, 182, '#2f5d4e', 4) +
    `<text x="320" y="148" text-anchor="middle" font-family="Georgia, serif" font-size="54" fill="#f4f0e4">${words}</text>` +
    line(`M196 178H${random.integer(360, 440)}`, '#f4f0e4', 4, { opacity: 0.7 }) +
    line(`M196 200H${random.integer(300, 420)}`, '#f4f0e4', 4, { opacity: 0.4 }) +
    shadow(240, 366, 150) +
    repeat(
      4,
      (index) =>
        box(130 + (index % 2) * 12, 338 - index * 26, 200, 26, random.pick(PAINTS), 4) +
        box(142 + (index % 2) * 12, 344 - index * 26, 178, 12, '#fff', 2, { opacity: 0.55 }),
    ) +
    box(420, 290, 70, 74, random.pick(PAINTS), 8) +
    line('M490 306q28 4 22 26t-26 14', '#fff', 8, { opacity: 0.75 }) +
    line('M440 276q-8 -14 2 -26M464 276q-8 -14 2 -26', '#fff', 4, { opacity: 0.6 })
  );
};
