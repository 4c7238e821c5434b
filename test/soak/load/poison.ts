import { type EventRecord, listingEvent, type Random, recordOf } from '@vitrine/fixtures';

const LONG_TEXT = 1_100_000;
const LONG = 0.01;

/** A record that must become a dead letter with exactly these bytes. @param number makes its bytes unique */
export function poisonRecord(id: string, number: number, random: Random): EventRecord {
  const event = listingEvent(id, number, '2026-01-01T00:00:00Z', { type: 'changed', data: { changes: {} } });
  if (random.chance(LONG)) return { key: id, value: `"${number}${'x'.repeat(LONG_TEXT)}"` };
  return random.pick<EventRecord>([
    { key: id, value: `{"number":${number}` },
    { key: id, value: `[${number}]` },
    { key: id, value: Buffer.from([0xff, 0xfe, 0x00, number & 0xff, (number >> 8) & 0xff]) },
    { key: null, value: JSON.stringify(event) },
    { key: `not-${id}`, value: JSON.stringify(event) },
    { key: Buffer.from([0xc3, 0x28, number & 0xff]), value: Buffer.alloc(0) },
    { key: id, value: null },
    { key: id, value: JSON.stringify({ ...event, time: 'yesterday' }) },
    recordOf({ ...event, data: { ...event.data, version: -number } }),
  ]);
}
