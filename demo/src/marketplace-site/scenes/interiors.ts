import type { Random } from '@vitrine/fixtures';
import { type Light, PAINTS, WALLS } from './light.ts';
import { box, circle, HEIGHT, line, oval, repeat, shadow, shape, WIDTH } from './shapes.ts';

/** A window in a room, with the picture's sky. */
const view = (x: number, y: number, width: number, height: number, light: Light): string =>
  box(x - 7, y - 7, width + 14, height + 14, '#fff', 3) +
  box(x, y, width, height, 'url(#sky)') +
  shape(
    `M${x} ${y + height}V${y + height * 0.75}Q${x + width * 0.3} ${y + height * 0.5} ${x + width * 0.55} ${y + height * 0.72}T${x + width} ${y + height * 0.66}V${y + height}Z`,
    light.hills[1],
  ) +
  box(x + width / 2 - 2, y, 4, height, '#fff');

const room = (random: Random): string => {
  const wood = random.pick(['#b98a5e', '#c79f74', '#a87c56', '#d1b08a']);
  return (
    box(0, 0, WIDTH, HEIGHT, random.pick(WALLS)) +
    box(0, 306, WIDTH, 94, wood) +
    repeat(5, (index) => box(0, 322 + index * 18, WIDTH, 2, '#000', 0, { opacity: 0.07 })) +
    box(0, 300, WIDTH, 7, '#fff', 0, { opacity: 0.75 })
  );
};

const plant = (x: number, y: number): string =>
  shape(`M${x - 16} ${y - 34}H${x + 16}L${x + 11} ${y}H${x - 11}Z`, '#c77b54') +
  ['-26 -92', '-10 -108', '8 -110', '26 -90', '34 -64', '-34 -64']
    .map((end) => {
      const [dx = 0, dy = 0] = end.split(' ').map(Number);
      return line(`M${x} ${y - 32}Q${x + dx * 0.3} ${y + dy * 0.8} ${x + dx} ${y + dy}`, '#3f8a5a', 8);
    })
    .join('');

const lamp = (x: number): string =>
  line(`M${x} 0V74`, '#4b4b4b', 3) +
  shape(`M${x - 34} 108L${x - 18} 74H${x + 18}L${x + 34} 108Z`, '#3f4a56') +
  oval(x, 109, 34, 6, '#ffe7a8') +
  shape(`M${x - 34} 110L${x - 96} 300H${x + 96}L${x + 34} 110Z`, '#fff2c4', { opacity: 0.16 });

/** A sofa that stands on the ground at 0. */
export const sofa = (fill: string, cushion: string): string =>
  shadow(0, 4, 160) +
  box(-150, -112, 300, 84, fill, 16) +
  box(-166, -80, 44, 76, fill, 14) +
  box(122, -80, 44, 76, fill, 14) +
  box(-124, -62, 122, 44, fill, 10) +
  box(2, -62, 122, 44, fill, 10) +
  box(-124, -62, 122, 10, '#fff', 5, { opacity: 0.2 }) +
  box(2, -62, 122, 10, '#fff', 5, { opacity: 0.2 }) +
  box(-150, -28, 300, 18, '#000', 4, { opacity: 0.14 }) +
  box(-104, -102, 54, 46, cushion, 8, { transform: 'rotate(-7 -78 -80)' }) +
  box(58, -102, 50, 44, '#fff', 8, { opacity: 0.75 }) +
  box(-140, -10, 10, 14, '#5a4638') +
  box(130, -10, 10, 14, '#5a4638');

export const livingRoom = (random: Random, light: Light): string => {
  const fill = random.pick(PAINTS);
  return (
    room(random) +
    view(60, 56, 190, 150, light) +
    box(330, 84, 96, 74, '#fff', 3) +
    box(340, 94, 76, 54, random.pick(PAINTS)) +
    circle(378, 118, 15, '#fff', { opacity: 0.6 }) +
    oval(350, 366, 210, 24, random.pick(PAINTS), { opacity: 0.35 }) +
    `<g transform="translate(370 346)">${sofa(fill, '#f2d8a0')}</g>` +
    plant(120, 350) +
    shape('M548 346L552 176H558L562 346Z', '#4b4b4b') +
    shape('M520 176L536 124H574L590 176Z', '#f7e3b4')
  );
};

export const bedroom = (random: Random, light: Light): string => {
  const cover = random.pick(PAINTS);
  return (
    room(random) +
    view(410, 60, 160, 140, light) +
    box(100, 176, 290, 120, '#8b6445', 8) +
    shadow(245, 360, 190) +
    box(104, 252, 282, 96, '#fff', 12) +
    box(124, 234, 112, 44, '#fdfaf4', 14) +
    box(254, 234, 112, 44, '#fdfaf4', 14) +
    shape('M104 292Q245 272 386 292V346H104Z', cover) +
    shape('M104 292Q245 272 386 292V304Q245 284 104 304Z', '#fff', { opacity: 0.35 }) +
    box(40, 282, 46, 66, '#8b6445', 4) +
    shape('M50 246L56 218H72L78 246Z', '#f7e3b4') +
    box(61, 246, 6, 36, '#4b4b4b') +
    circle(245, 108, 40, random.pick(PAINTS), { opacity: 0.6 }) +
    plant(600, 352)
  );
};

export const kitchen = (random: Random, light: Light): string => {
  const front = random.pick(PAINTS);
  return (
    room(random) +
    repeat(40, (index) =>
      box(70 + (index % 10) * 50, 150 + Math.floor(index / 10) * 22, 48, 20, '#fff', 2, { opacity: 0.5 }),
    ) +
    view(250, 44, 150, 92, light) +
    repeat(
      2,
      (index) =>
        box(70 + index * 360, 40, 140, 92, front, 4) +
        box(138 + index * 360, 40, 2, 92, '#fff', 0, { opacity: 0.5 }),
    ) +
    box(60, 236, 520, 12, '#f6f2ea', 3) +
    repeat(
      4,
      (index) =>
        box(70 + index * 126, 248, 120, 92, front, 3) + box(116 + index * 126, 260, 30, 5, '#fff', 2),
    ) +
    box(60, 340, 520, 10, '#000', 0, { opacity: 0.18 }) +
    shape('M150 236V214Q150 200 166 200H176', 'none', { stroke: '#8d979e', 'stroke-width': 6 }) +
    shape('M470 234H526L520 206H476Z', '#c94f3d') +
    circle(330, 224, 11, '#e0a526') +
    circle(350, 226, 10, '#d94f3d') +
    lamp(230) +
    lamp(420)
  );
};

/** A terrace with a pool. */
export const poolside = (random: Random, light: Light): string =>
  box(0, 0, WIDTH, HEIGHT, 'url(#sky)') +
  shape('M0 300V220Q120 176 250 214T500 200T640 216V300Z', light.hills[1]) +
  box(0, 268, WIDTH, 132, '#d9c7a6') +
  repeat(9, (index) => box(0, 276 + index * 15, WIDTH, 2, '#000', 0, { opacity: 0.06 })) +
  shape('M70 320H520L600 396H10Z', '#f4ecdc') +
  shape('M88 328H508L574 396H34Z', '#43b9d1') +
  repeat(6, (index) =>
    line(`M${120 + index * 66} ${340 + (index % 3) * 16}q18 -8 36 0t36 0`, '#fff', 3, { opacity: 0.45 }),
  ) +
  repeat(2, (index) => {
    const x = 440 + index * 92;
    const paint = random.pick(PAINTS);
    return (
      line(`M${x} 312L${x + 46} 312L${x + 70} 276`, paint, 11) +
      line(`M${x + 6} 316V328M${x + 44} 316V328`, '#7a5a3e', 5)
    );
  }) +
  line('M150 312V180', '#7a5a3e', 6) +
  shape('M66 206Q150 130 234 206Q192 192 150 206Q108 192 66 206Z', random.pick(PAINTS)) +
  plant(600, 320);
