import { setTimeout as pass } from 'node:timers/promises';
import type { Arena } from '../arena.ts';
import { Connection, get } from '../connection.ts';
import type { PartResult } from '../results.ts';
import { quantile, rounded } from '../statistics.ts';

const CLIENTS = 40;
const POLLS = 5;
/** More than pages stay fresh (5 s), less than they may be served stale (15 s). */
const EVERY_MS = 8_000;
const AT_MOST_PERCENT = 1;

/** Clients that poll a page of their own every 8 s: the share of responses that are stale, by their Age and max-age. */
export async function polling(arena: Arena): Promise<PartResult> {
  const prefix = await arena.market(arena.items);
  const service = await arena.query(prefix);
  const times: number[] = [];
  let stale = 0;
  const client = async (number: number) => {
    const connection = new Connection(service.port);
    const request = get(`/api/public-feed?city=city-${number}&pageSize=20`);
    await pass((number * EVERY_MS) / CLIENTS);
    for (let poll = 0; poll <= POLLS; poll++) {
      const start = performance.now();
      const { status, head } = await connection.send(request);
      if (status !== 200) throw new Error(`answered ${status}`);
      // The first response is made for its request.
      if (poll > 0) {
        times.push(performance.now() - start);
        if (numberIn(head, /\r\nage: *(\d+)/i) >= numberIn(head, /max-age=(\d+)/i)) stale++;
      }
      if (poll < POLLS) await pass(EVERY_MS);
    }
    connection.close();
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    const percent = rounded((100 * stale) / times.length);
    const [p50, p99] = [0.5, 0.99].map((share) => rounded(quantile(times, share)));
    return {
      rows: [
        {
          measure: 'stale responses to clients that poll every 8 s',
          unit: '%',
          ours: percent,
          target: { atMost: AT_MOST_PERCENT },
          note: `p50 ${p50} ms, p99 ${p99} ms`,
        },
      ],
      figures: { clients: CLIENTS, polls: times.length, stale, p50, p99 },
    };
  } finally {
    await service.stop();
  }
}

/** The number that `form` captures; 0 where it is absent. */
const numberIn = (head: string, form: RegExp): number => Number(form.exec(head)?.[1] ?? 0);
