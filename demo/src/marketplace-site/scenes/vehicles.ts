import type { Subject } from './homes.ts';
import { PAINTS } from './light.ts';
import { box, circle, line, place, repeat, shadow, shape } from './shapes.ts';

/** A wheel that touches the ground. */
const wheel = (x: number, radius: number): string =>
  circle(x, -radius, radius, '#23282e') +
  circle(x, -radius, radius * 0.58, '#c9d0d6') +
  circle(x, -radius, radius * 0.2, '#5b646c');

/** A hatchback or a sedan. */
export const car: Subject = (random, light) => {
  const paint = random.pick([...PAINTS, '#eceff1', '#2b3036', '#b9c0c6']);
  const back = random.chance(0.5) ? 150 : 120;
  const drawn =
    shadow(0, 2, 210) +
    shape(
      `M-196 -34Q-200 -74 -164 -82L-112 -90Q-76 -136 -18 -138H54Q88 -138 ${back} -92L172 -84Q200 -78 198 -34Z`,
      paint,
    ) +
    shape(`M-98 -92Q-68 -126 -20 -127H12V-92Z`, light.pane) +
    shape(`M22 -127H52Q78 -127 ${back - 18} -92H22Z`, light.pane) +
    shape('M-60 -92L-34 -122H-14L-40 -92Z', '#fff', { opacity: 0.4 }) +
    box(-196, -52, 394, 18, '#000', 6, { opacity: 0.13 }) +
    box(-190, -74, 26, 13, '#fff4c8', 5) +
    box(176, -72, 20, 14, '#d9402f', 4) +
    line('M16 -90V-46M-96 -84Q-106 -60 -96 -44', '#000', 2, { opacity: 0.2 }) +
    box(30, -80, 22, 5, '#fff', 2, { opacity: 0.7 }) +
    wheel(-118, 36) +
    wheel(122, 36);
  return place(drawn, 320 + random.integer(-30, 30), 356, 1.1, random.chance(0.5));
};

export const motorcycle: Subject = (random) => {
  const paint = random.pick(PAINTS);
  const drawn =
    shadow(0, 2, 160) +
    circle(-112, -52, 52, 'none', { stroke: '#23282e', 'stroke-width': 17 }) +
    circle(112, -52, 52, 'none', { stroke: '#23282e', 'stroke-width': 17 }) +
    circle(-112, -52, 12, '#aab3ba') +
    circle(112, -52, 12, '#aab3ba') +
    line('M112 -52L74 -160L50 -168', '#aab3ba', 9) +
    line('M-112 -52L-20 -64L46 -112', '#59626a', 11) +
    shape('M-40 -100L40 -104L26 -42H-34Z', '#6c757d') +
    circle(0, -70, 22, '#aab3ba') +
    shape('M-30 -122Q10 -152 66 -126L50 -96H-26Z', paint) +
    shape('M-14 -128Q12 -142 44 -130L40 -124Q10 -134 -10 -120Z', '#fff', { opacity: 0.45 }) +
    shape('M-130 -128Q-70 -142 -28 -120L-34 -104H-110Z', '#2b3036') +
    shape('M-150 -110Q-110 -122 -84 -104L-92 -92Z', paint) +
    line('M-96 -30H-10', '#c9d0d6', 12) +
    circle(86, -138, 15, '#fff4c8') +
    line('M74 -160L40 -176', '#2b3036', 9);
  return place(drawn, 320 + random.integer(-20, 20), 360, 1.15, random.chance(0.5));
};

export const motorhome: Subject = (random, light) => {
  const paint = random.pick(PAINTS);
  const drawn =
    shadow(0, 2, 240) +
    shape('M-210 -30V-176Q-210 -196 -190 -196H110Q132 -196 132 -176V-30Z', '#f7f3ea') +
    shape('M132 -140H176Q196 -136 208 -96L222 -84V-30H132Z', '#f7f3ea') +
    shape('M146 -128H172Q184 -124 192 -94H146Z', light.pane) +
    box(-210, -92, 342, 16, paint) +
    shape('M132 -92H204L218 -78H132Z', paint) +
    repeat(3, (index) => box(-186 + index * 78, -162, 56, 42, light.pane, 6)) +
    box(54, -160, 50, 128, '#e2dccf', 4) +
    box(62, -150, 34, 44, light.pane, 4) +
    shape('M-196 -186H44L70 -150H-222Z', paint, { opacity: 0.95 }) +
    repeat(5, (index) =>
      shape(
        `M${-196 + index * 48} -186H${-172 + index * 48}L${-196 + index * 55} -150H${-222 + index * 58}Z`,
        '#fff',
        { opacity: 0.55 },
      ),
    ) +
    line('M-214 -148V0', '#8a8f94', 3) +
    wheel(-136, 34) +
    wheel(152, 34) +
    place(line('M-22 0L-6 -36H24M-6 -36L20 0', '#5a4638', 5) + box(-26, -42, 44, 8, paint, 3), -286, 4);
  return place(drawn, 336, 352, 0.98, random.chance(0.3));
};

export const truck: Subject = (random, light) => {
  const paint = random.pick(PAINTS);
  const drawn =
    shadow(0, 2, 230) +
    box(-220, -190, 280, 156, '#f4efe4', 6) +
    box(-220, -190, 280, 14, '#fff', 6) +
    box(-220, -100, 280, 26, paint, 0, { opacity: 0.9 }) +
    repeat(4, (index) => box(-196 + index * 68, -168, 2, 128, '#000', 0, { opacity: 0.1 })) +
    shape('M66 -34V-150Q66 -160 78 -160H148Q164 -158 176 -112L206 -96Q214 -92 214 -80V-34Z', paint) +
    shape('M92 -146H144Q154 -142 162 -104H92Z', light.pane) +
    box(-224, -42, 440, 12, '#3a4047', 3) +
    box(196, -74, 18, 14, '#fff4c8', 4) +
    wheel(-140, 36) +
    wheel(-60, 36) +
    wheel(142, 36) +
    place(
      box(-34, -52, 68, 52, '#c99a62', 3) +
        box(-6, -52, 12, 52, '#b38450') +
        box(-26, -86, 52, 34, '#d8ac77', 3),
      -288,
      2,
    );
  return place(drawn, 350, 358, 0.98);
};
