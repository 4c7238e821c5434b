import { openLoop } from './http-load.ts';

/** The process of `spawnOpenLoop`. Prints the number of responses by status as JSON. */
const [origin = '', perSecond = '', seconds = '', cheap = '', target = ''] = process.argv.slice(2);
const total = Number(perSecond) * Number(seconds);
let sent = 0;
const next = () => {
  sent++;
  return target;
};
const samples = await openLoop(origin, Number(perSecond), cheap, next, () => sent >= total);
const counts: Record<number, number> = {};
for (const { status } of samples) counts[status] = (counts[status] ?? 0) + 1;
console.log(JSON.stringify(counts));
