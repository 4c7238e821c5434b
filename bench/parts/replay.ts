import type { BenchContext } from '../bench-context.ts';
import { type LiveListings, liveListings, rawBulk, rebuild } from '../rebuild.ts';
import { readersDuringRebuilds } from '../rebuild-readers.ts';
import { compared } from '../results.ts';
import { alternate, medianOf, medianRatio, rounded } from '../statistics.ts';

/**
 * With this number of listings, the time that the one process takes to start has little effect on the rate.
 */
const LISTINGS_PER_ITEM = 1 / 3;
const ROUNDS = 3;
const FIVE_EVENTS_AT_LEAST = 0.35;
const STATES = ['--from', 'states'] as const;

interface Round {
  ours: number;
  raw: number;
  ratio: number;
}

/**
 * Measures a rebuild's effect on readers, and its speed relative to raw `_bulk` requests with the same item
 * documents before and after the rebuild.
 */
export async function replay(context: BenchContext): Promise<void> {
  const listings = Math.round(context.items * LISTINGS_PER_ITEM);
  const one = await liveListings(context, listings, 1);
  await compare(context, 'replay from the topic, one event per listing', one, [], 0.5);
  await compare(context, 'replay --from states', one, STATES, 0.6);
  await readersDuringRebuilds(context, one);
  const five = await liveListings(context, Math.round(listings / 2), 5);
  await fiveEvents(context, one, five);
  await one.stop();
  await compare(context, 'replay from the topic, five events per listing', five, []);
}

/** Compares rebuilds from five events per listing with rebuilds from one event, in turn. */
async function fiveEvents(context: BenchContext, one: LiveListings, five: LiveListings): Promise<void> {
  const measure = 'replay from the topic, five events per listing / one event';
  const limitSeconds = 240 + (one.documents.length + five.documents.length) / 100;
  const rate = (live: LiveListings) => async () => {
    const { generation, listingsPerSecond } = await rebuild(context, live, []);
    await context.command(live.env, ['prune', String(generation)]);
    return { rate: rounded(listingsPerSecond) };
  };
  const figures = await context.step(measure, limitSeconds, () =>
    alternate(ROUNDS, { one: rate(one), five: rate(five) }),
  );
  const peer = { name: 'one event per listing', figure: medianOf(figures.one, 'rate') };
  context.report(
    [
      compared(measure, 'listings/s', medianOf(figures.five, 'rate'), peer, {
        ratio: medianRatio(figures.five, figures.one, 'rate'),
        target: { atLeast: FIVE_EVENTS_AT_LEAST },
      }),
    ],
    { [measure]: figures },
  );
}

async function compare(
  context: BenchContext,
  measure: string,
  live: LiveListings,
  args: readonly string[],
  atLeast?: number,
): Promise<void> {
  const limitSeconds = 240 + live.documents.length / 200;
  const rounds: Round[] = [];
  await context.step(measure, limitSeconds, async () => {
    let before = await rawBulk(context, live);
    for (let round = 0; round < ROUNDS; round++) {
      const { generation, listingsPerSecond } = await rebuild(context, live, args);
      await context.command(live.env, ['prune', String(generation)]);
      const after = await rawBulk(context, live);
      const raw = (before + after) / 2;
      rounds.push({
        ours: rounded(listingsPerSecond),
        raw: rounded(raw),
        ratio: rounded(listingsPerSecond / raw),
      });
      context.tell(`${measure}: ${JSON.stringify(rounds.at(-1))}`);
      before = after;
    }
  });
  const peer = { name: 'raw _bulk', figure: medianOf(rounds, 'raw') };
  context.report(
    [
      compared(measure, 'listings/s', medianOf(rounds, 'ours'), peer, {
        ratio: medianOf(rounds, 'ratio'),
        ...(atLeast !== undefined && { target: { atLeast } }),
      }),
    ],
    { [measure]: rounds },
  );
}
