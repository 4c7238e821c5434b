import { Agent, request } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import { Random } from '@vitrine/fixtures';
import { closedLoop, type Sample, secondsFromNow } from './http-load.ts';

/** The behavior of the clients: `stay` reads its responses, `leave` disconnects before they arrive. */
export interface ClientOrders {
  kind: 'stay' | 'leave';
  origin: string;
  clients: number;
  seconds: number;
  seed: number;
  /** Number of items in the feed. */
  items: number;
}

/** Time for which a leaving client waits for its response, and its pause afterwards, in milliseconds. */
const LEAVE_AFTER_MS = 5;
const PAUSE_MS = 95;

const orders = JSON.parse(process.argv[2] ?? '') as ClientOrders;
const random = new Random(orders.seed);
const near = () =>
  `lat=${(-23.5 + random.fraction()).toFixed(4)}&lng=${(-46.6 + random.fraction()).toFixed(4)}`;
let asked = 0;

/** Pages that are requested once: near a point, with a filter, or by number. */
const usual = () => {
  asked++;
  if (asked % 3 === 0) return `/api/public-feed?${near()}`;
  if (asked % 3 === 1) return `/api/public-feed?city=recife&page=${1 + Math.floor(random.fraction() * 40)}`;
  return `/api/ai-feed?page=${1 + Math.floor(random.fraction() * 40)}`;
};

/** Pages that need separate counts: filters without other users, and deep pages at random points. */
const costly = () => {
  asked++;
  if (asked % 2 === 0) return `/api/public-feed?category=c-${orders.seed}-${asked}&date=2099-01-01`;
  return `/api/public-feed?page=${Math.floor((orders.items / 20) * (0.2 + 0.7 * random.fraction()))}&${near()}`;
};

const leaveOnce = (agent: Agent): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asking = request(`${orders.origin}${costly()}`, { agent }, (response) => response.resume());
  asking.once('error', () => undefined).once('close', resolve);
  asking.end();
  setTimeout(() => asking.destroy(), LEAVE_AFTER_MS);
  return promise;
};

const isOver = secondsFromNow(orders.seconds);
const leave = async (): Promise<Sample[]> => {
  const agent = new Agent({ keepAlive: false });
  const client = async () => {
    await pass(random.fraction() * PAUSE_MS);
    while (!isOver()) {
      await leaveOnce(agent);
      await pass(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: orders.clients }, client));
  return [];
};

const samples =
  orders.kind === 'leave' ? await leave() : await closedLoop(orders.origin, orders.clients, usual, isOver);
process.stdout.write(JSON.stringify({ asked, samples }));
