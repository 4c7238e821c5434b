import { compareSchemas, type Direction } from './compare-schemas.ts';
import type { Finding } from './finding.ts';
import { isObject, type JsonObject, resolve } from './flat-schema.ts';

/** The changes of the event schema that reject or ignore what producers send today. Pure. */
export const compareEventSchemas = (old: JsonObject, now: JsonObject): Finding[] =>
  compareSchemas({ old, new: now }, old, now, 'input', 'event:');

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/**
 * The changes of an AsyncAPI 3 document that break producers of events or readers of dead letters. Pure.
 * @throws if a reference leads nowhere
 */
export function compareAsyncApi(old: JsonObject, now: JsonObject): Finding[] {
  const oldChannels = objectOf(old.channels);
  const newChannels = objectOf(now.channels);
  return Object.entries(oldChannels).flatMap(([name, channel]) => {
    const [before, after] = [objectOf(channel), newChannels[name]];
    if (!isObject(after)) return [{ at: `channel ${name}`, change: 'the channel was removed' }];
    const direction = received(old, name) ? 'input' : 'output';
    const address: Finding[] =
      before.address === after.address
        ? []
        : [{ at: `channel ${name}`, change: `the address ${before.address} is now ${after.address}` }];
    return [
      ...address,
      ...compareMessages(old, now, objectOf(before.messages), objectOf(after.messages), direction),
    ];
  });
}

/** Whether the projector reads the channel. */
const received = (document: JsonObject, channel: string): boolean =>
  Object.values(objectOf(document.operations)).some(
    (operation) =>
      objectOf(operation).action === 'receive' &&
      objectOf(objectOf(operation).channel).$ref === `#/channels/${channel}`,
  );

function compareMessages(
  old: JsonObject,
  now: JsonObject,
  before: JsonObject,
  after: JsonObject,
  direction: Direction,
): Finding[] {
  return Object.keys(before).flatMap((name) => {
    const message = objectOf(resolve(old, before[name]));
    const same = resolve(now, after[name]);
    const at = `message ${name}`;
    if (!isObject(same)) return [{ at, change: 'the message was removed' }];
    return ['headers', 'payload'].flatMap((part) =>
      compareSchemas(
        { old, new: now },
        message[part] ?? true,
        same[part] ?? true,
        direction,
        `${at}, ${part}:`,
      ),
    );
  });
}
