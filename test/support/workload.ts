import type { Published } from './deployment.ts';

/** A small deterministic generator (mulberry32). The same seed gives the same workload on every machine. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface WorkloadOptions {
  seed: number;
  listings: number;
  events: number;
  /** Share of records that must become dead letters. Default: 1 %. */
  poison?: number;
}

/**
 * The most difficult records of a marketplace: partial, duplicated, late, out of order, removed and
 * republished, with invalid records between them.
 */
export function workload({ seed, listings, events, poison = 0.01 }: WorkloadOptions): Published[] {
  const random = randomNumbers(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const versions = new Map<string, number>();
  const records: Published[] = [];
  for (let i = 0; i < events; i++) {
    const id = `l-${seed}-${Math.floor(random() * listings)}`;
    if (random() < poison) {
      records.push({ key: id, value: pick(['{', '[]', 'null', '"x"', JSON.stringify({ id })]) });
      continue;
    }
    const version = (versions.get(id) ?? 0) + 1;
    versions.set(id, version);
    records.push({ key: id, value: envelope(id, version, i, randomEvent(random, pick, i)) });
    if (random() < 0.05) records.push(pick(records));
  }
  return disturbed(records, random);
}

function randomEvent(random: () => number, pick: <T>(values: readonly T[]) => T, i: number): { type: string; data: object } {
  const fields = () => ({
    title: pick(['Casa', 'Apartamento', 'Sala', null]) && `${pick(['Casa', 'Apartamento', 'Sala'])} ${i}`,
    price: pick([100, 250.5, 999, 1200]),
    location: { city: pick(['Curitiba', 'São Paulo', 'Belém']), state: 'BR' },
    url: `https://vitrine.example/${i}`,
  });
  const date = () => `2026-12-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}`;
  const dates = Array.from({ length: Math.floor(random() * 5) }, () => ({
    date: date(),
    available: random() < 0.7,
    price: pick([null, 80, 120.25]),
  }));
  const roll = random();
  if (roll < 0.35)
    return {
      type: 'snapshot',
      data: { listing: { ...fields(), ad_type: pick(['sale', 'rent', 'service']), ...(random() < 0.3 && { availability: dates }) } },
    };
  if (roll < 0.65) return { type: 'changed', data: { changes: Object.fromEntries([pick(Object.entries(fields()))]) } };
  if (roll < 0.7) return { type: 'changed', data: { changes: { [pick(['title', 'price', 'url'])]: null } } };
  if (roll < 0.9) return { type: 'availability_changed', data: { mode: pick(['merge', 'merge', 'replace']), dates } };
  return { type: 'removed', data: {} };
}

function envelope(id: string, version: number, n: number, { type, data }: { type: string; data: object }): string {
  const time = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  return JSON.stringify({
    specversion: '1.0',
    id: `e-${n}`,
    source: '/test',
    type: `marketplace.listing.${type}`,
    subject: id,
    time,
    data: { version, ...data },
  });
}

/** Some records arrive much later than they were sent. */
function disturbed(records: Published[], random: () => number): Published[] {
  return records
    .map((record, i) => ({ record, at: i + (random() < 0.1 ? random() * 200 : 0) }))
    .sort((a, b) => a.at - b.at)
    .map(({ record }) => record);
}
