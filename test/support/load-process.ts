import { Agent, request } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import { Random } from '@vitrine/fixtures';
import { closedLoop, type LoadOrders, openLoop, type Sample, secondsFromNow } from './http-load.ts';

/** The milliseconds for which a leaving client waits for its response, and then pauses. */
const LEAVE_AFTER_MS = 5;
const PAUSE_MS = 95;

/** The program of `loadFromProcess`. Prints the number of requests and the responses as JSON. */
const orders = JSON.parse(process.argv[2] ?? '') as LoadOrders;
const { origin, seconds } = orders;
const [seed, items] = orders.kind === 'open loop' ? [0, 0] : [orders.seed, orders.items];
const random = new Random(seed);
const near = () =>
  `lat=${(-23.5 + random.fraction()).toFixed(4)}&lng=${(-46.6 + random.fraction()).toFixed(4)}`;
let asked = 0;

/** Pages that only one client requests: near a point, with a filter, or with a page number. */
const usual = () => {
  asked++;
  if (asked % 3 === 0) return `/api/public-feed?${near()}`;
  if (asked % 3 === 1) return `/api/public-feed?city=recife&page=${1 + Math.floor(random.fraction() * 40)}`;
  return `/api/ai-feed?page=${1 + Math.floor(random.fraction() * 40)}`;
};

/** Pages that need their own counts: filters that no other client uses, and deep pages at random points. */
const costly = () => {
  asked++;
  if (asked % 2 === 0) return `/api/public-feed?category=c-${seed}-${asked}&date=2099-01-01`;
  return `/api/public-feed?page=${Math.floor((items / 20) * (0.2 + 0.7 * random.fraction()))}&${near()}`;
};

const leaveOnce = (agent: Agent): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asking = request(`${origin}${costly()}`, { agent }, (response) => response.resume());
  asking.once('error', () => undefined).once('close', resolve);
  asking.end();
  setTimeout(() => asking.destroy(), LEAVE_AFTER_MS);
  return promise;
};

const isOver = secondsFromNow(seconds);
const leave = async (clients: number): Promise<Sample[]> => {
  const agent = new Agent({ keepAlive: false });
  const client = async () => {
    await pass(random.fraction() * PAUSE_MS);
    while (!isOver()) {
      await leaveOnce(agent);
      await pass(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return [];
};

const load = (): Promise<Sample[]> => {
  if (orders.kind === 'open loop') {
    const next = () => {
      asked++;
      return orders.target;
    };
    const total = orders.perSecond * seconds;
    return openLoop(origin, orders.perSecond, orders.cheap, next, () => asked >= total);
  }
  return orders.kind === 'leave' ? leave(orders.clients) : closedLoop(origin, orders.clients, usual, isOver);
};

const samples = await load();
process.stdout.write(JSON.stringify({ asked, samples }));
