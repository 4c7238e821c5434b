import type { Subject } from './homes.ts';
import { type Colors, PAINTS } from './light.ts';
import { box, circle, line, oval, place, repeat, shadow, shape } from './shapes.ts';
import { guitar } from './things.ts';

/** A bucket, a spray bottle and a broom, in front of shiny tiles. */
export const cleaning: Subject = (random) => {
  const paint = random.pick(PAINTS);
  const liquid = random.pick(['#4cc1d6', '#8fce7a', '#f2a0b5'] as const);
  const spark = (x: number, y: number) =>
    shape(
      `M${x} ${y - 20}Q${x} ${y} ${x + 20} ${y}Q${x} ${y} ${x} ${y + 20}Q${x} ${y} ${x - 20} ${y}Q${x} ${y} ${x} ${y - 20}Z`,
      '#fff',
    );
  return (
    shadow(230, 362, 110) +
    line('M166 250Q230 150 294 250', '#8d979e', 6) +
    shape('M152 244H308L288 360H172Z', paint) +
    box(144, 234, 172, 20, paint, 8) +
    shape('M152 244H190L200 360H172Z', '#fff', { opacity: 0.22 }) +
    repeat(6, (index) => circle(176 + index * 22, 232 - (index % 3) * 8, 15, '#fff', { opacity: 0.85 })) +
    shadow(410, 362, 60) +
    box(372, 236, 78, 126, liquid, 14) +
    box(384, 270, 54, 60, '#fff', 6, { opacity: 0.85 }) +
    box(396, 204, 30, 34, '#3a4148', 3) +
    shape('M380 184H440L452 196V210H392Z', '#3a4148') +
    line('M520 340L566 90', '#b08a5e', 9) +
    shape('M494 330L546 336L560 378H470Z', '#e0a526') +
    line('M500 344L490 374M514 346L510 376M530 346L534 376', '#000', 2, { opacity: 0.25 }) +
    spark(random.integer(60, 120), 120) +
    spark(random.integer(440, 480), 110) +
    spark(90, 230)
  );
};

/** A wall with a fresh stripe of paint, a roller and a can. */
export const painting: Subject = (random) => {
  const paint = random.pick(PAINTS);
  const edge = random.integer(330, 420);
  return (
    shape(
      `M0 0H${edge}L${edge - 12} 60L${edge + 10} 120L${edge - 16} 190L${edge + 6} 250L${edge - 10} 302H0Z`,
      paint,
    ) +
    shape(`M0 0H120V302H0Z`, '#fff', { opacity: 0.08 }) +
    box(edge - 60, 96, 150, 46, '#f7f3ea', 12) +
    box(edge - 60, 96, 150, 46, paint, 12, { opacity: 0.55 }) +
    line(`M${edge + 90} 118H${edge + 116}V176H${edge + 20}V212`, '#8d979e', 7) +
    box(edge + 8, 208, 24, 104, '#e0a526', 8) +
    shadow(190, 364, 90) +
    box(120, 266, 140, 98, '#c9d0d6', 6) +
    box(120, 290, 140, 46, '#fff', 0) +
    box(136, 300, 108, 26, paint, 3) +
    oval(190, 266, 70, 15, '#9aa4ab') +
    oval(190, 266, 58, 11, paint) +
    line('M122 262Q190 196 258 262', '#8d979e', 4) +
    line('M40 366L70 96M104 366L80 96M48 300H96M54 236H92M60 172H88', '#d9b98a', 8)
  );
};

/** A lamp, a plug and tools. */
export const electrician: Subject = (random) => {
  const paint = random.pick(PAINTS);
  return (
    circle(320, 150, 128, '#ffe9a0', { opacity: 0.4 }) +
    line('M320 0V52', '#3a4148', 6) +
    box(294, 50, 52, 46, '#9aa4ab', 6) +
    repeat(3, (index) => box(292, 58 + index * 13, 56, 4, '#6c757d', 2)) +
    shape('M294 96C240 130 244 214 320 222C396 214 400 130 346 96Z', '#fff4c8') +
    line('M304 104L312 170L320 148L328 170L336 104', '#e0a526', 4) +
    line('M20 340Q120 300 190 336T330 340', '#3a4148', 8) +
    box(326, 316, 60, 46, paint, 10) +
    line('M386 328H410M386 350H410', '#8d979e', 7) +
    box(470, 120, 110, 150, '#f7f3ea', 10) +
    circle(525, 168, 30, '#e2dccf') +
    circle(514, 168, 5, '#3a4148') +
    circle(536, 168, 5, '#3a4148') +
    box(500, 214, 50, 38, '#e2dccf', 5) +
    box(502, 216, 46, 18, '#fff', 4) +
    `<g transform="rotate(${random.integer(-34, -18)} 130 220)">${box(60, 210, 90, 26, paint, 12)}${box(150, 218, 110, 9, '#9aa4ab', 3)}</g>` +
    shape('M72 120L104 58H92L120 14L66 74H84L56 120Z', '#e0a526')
  );
};

/** A guitar in front of sheet music. */
export const musicLesson: Subject = (random, light) =>
  box(60, 60, 210, 250, '#fffdf6', 6) +
  repeat(4, (staff) => repeat(5, (row) => box(80, 84 + staff * 56 + row * 8, 170, 1.5, '#3a4148'))) +
  repeat(12, (index) => {
    const x = 92 + (index % 4) * 42;
    const y = 92 + Math.floor(index / 4) * 56 + random.integer(0, 24);
    return oval(x, y, 7, 5, '#23282e') + line(`M${x + 6} ${y}V${y - 26}`, '#23282e', 2);
  }) +
  place(guitar(random, light), 140, 0);

/** An arch with flowers, and chairs. */
export const wedding: Subject = (random) => {
  const flowers = [random.pick(PAINTS), '#f7c6cf', '#ffffff', '#f2a0b5'] as const;
  const posy = (x: number, y: number) =>
    repeat(5, (index) =>
      circle(
        x + Math.cos(index * 1.3) * 13,
        y + Math.sin(index * 1.3) * 11,
        10,
        flowers[index % 4] ?? '#fff',
      ),
    ) + circle(x, y, 6, '#ffe9a0');
  return (
    shape('M270 400L296 330H344L370 400Z', '#fff', { opacity: 0.75 }) +
    line('M226 346V170Q226 90 320 90T414 170V346', '#fff', 10) +
    shape('M226 200Q250 150 240 110Q270 180 244 260Z M414 200Q390 150 400 110Q370 180 396 260Z', '#fff', {
      opacity: 0.7,
    }) +
    repeat(9, (index) =>
      posy(320 + Math.cos(Math.PI * (1 + index / 8)) * 94, 176 + Math.sin(Math.PI * (1 + index / 8)) * 86),
    ) +
    posy(226, 250) +
    posy(414, 260) +
    repeat(6, (index) => {
      const x = (index < 3 ? 70 : 460) + (index % 3) * 48;
      return (
        box(x, 306, 34, 6, '#fff', 2) +
        box(x + 2, 268, 5, 80, '#fff') +
        box(x + 27, 306, 5, 42, '#fff') +
        box(x, 268, 34, 5, '#fff', 2)
      );
    })
  );
};

export const camera: Subject = (random) =>
  shadow(320, 372, 120) +
  line('M320 250L236 370M320 250L404 370M320 250V366', '#3a4148', 9) +
  box(220, 130, 200, 126, '#2b3036', 16) +
  shape('M276 130L292 104H348L364 130Z', '#2b3036') +
  box(220, 156, 200, 16, random.pick(PAINTS)) +
  circle(320, 198, 52, '#59626a') +
  circle(320, 198, 40, '#1b2026') +
  circle(320, 198, 24, '#2f6f9f') +
  circle(308, 186, 9, '#fff', { opacity: 0.7 }) +
  box(384, 142, 22, 10, '#f7f3ea', 3);

/** A walk with one or two dogs. */
export const dogs: Subject = (random) => {
  const dog = (fur: string, ear: string, collar: string) =>
    shadow(0, 2, 96) +
    line('M-84 -84Q-118 -110 -108 -142', fur, 15) +
    box(-78, -104, 140, 60, fur, 28) +
    box(-70, -60, 22, 62, fur, 9) +
    box(-38, -58, 20, 58, ear, 9, { opacity: 0.55 }) +
    box(24, -60, 22, 62, fur, 9) +
    box(46, -140, 64, 58, fur, 24) +
    box(88, -116, 46, 30, fur, 14) +
    circle(130, -108, 8, '#23282e') +
    circle(90, -120, 5, '#23282e') +
    shape('M52 -142Q34 -132 40 -98Q62 -104 66 -136Z', ear) +
    box(44, -96, 34, 10, collar, 5, { transform: 'rotate(28 60 -92)' });
  const pickFur = () =>
    random.pick<Colors>([
      ['#c98f56', '#8a5a34'],
      ['#f0e6d6', '#b99468'],
      ['#4c4440', '#2b2624'],
      ['#d9b98a', '#a87c56'],
    ]);
  const [first, second] = [pickFur(), pickFur()];
  const leash = random.pick(PAINTS);
  return (
    line('M352 262Q250 160 120 96', leash, 4) +
    place(dog(first[0], first[1], leash), 290, 362, 1.1) +
    (random.chance(0.5) ? place(dog(second[0], second[1], leash), 490, 372, 0.7) : '')
  );
};

/** A hall with garlands and tables, or a tent in a garden. */
export const party: Subject = (random) => {
  const paint = random.pick(PAINTS);
  return (
    line('M0 40Q160 130 320 60T640 50', '#fff', 2) +
    repeat(15, (index) =>
      circle(20 + index * 43, 66 + Math.sin(index * 1.1) * 22 + 10, 7, index % 3 ? '#ffe9a0' : paint),
    ) +
    line('M0 96Q200 170 400 104T640 110', '#fff', 2) +
    repeat(13, (index) =>
      shape(
        `M${10 + index * 52} ${118 + Math.sin(index) * 14}h26l-13 26Z`,
        PAINTS[index % PAINTS.length] ?? paint,
      ),
    ) +
    repeat(3, (index) => {
      const x = 130 + index * 190;
      return (
        shadow(x, 372, 88) +
        shape(
          `M${x - 78} 300H${x + 78}L${x + 84} 374Q${x + 66} 366 ${x + 42} 374T${x} 374T${x - 42} 374T${x - 84} 374Z`,
          '#fff',
        ) +
        shape(`M${x - 78} 300H${x + 78}L${x + 80} 318Q${x} 338 ${x - 80} 318Z`, paint, { opacity: 0.8 }) +
        oval(x, 300, 78, 13, '#fbf7ee') +
        box(x - 6, 266, 12, 32, '#8fb9a0', 4) +
        circle(x, 254, 17, paint) +
        circle(x - 15, 262, 12, '#f7c6cf') +
        circle(x + 15, 262, 12, '#ffe9a0')
      );
    })
  );
};
