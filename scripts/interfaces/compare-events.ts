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
    const actions = actionsOn(old, name);
    const kept = actionsOn(now, name);
    const direction = actions.has('receive') ? 'input' : 'output';
    const address: Finding[] =
      before.address === after.address
        ? []
        : [{ at: `channel ${name}`, change: `the address ${before.address} is now ${after.address}` }];
    return [
      ...address,
      ...[...actions]
        .filter((action) => !kept.has(action))
        .map((action) => ({
          at: `channel ${name}`,
          change: `no operation has the action ${action} any more`,
        })),
      ...compareMessages(old, now, objectOf(before.messages), objectOf(after.messages), direction),
    ];
  });
}

/**
 * What the service does with a channel: `receive`, `send` or both. The names of the operations are free to
 * change, because neither producers nor readers use them.
 */
const actionsOn = (document: JsonObject, channel: string): Set<string> =>
  new Set(
    Object.values(objectOf(document.operations))
      .map(objectOf)
      .filter((operation) => objectOf(operation.channel).$ref === `#/channels/${channel}`)
      .map(({ action }) => String(action)),
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
    const [oldType, newType] = [
      message.contentType ?? old.defaultContentType,
      same.contentType ?? now.defaultContentType,
    ];
    const parts: [name: string, before: unknown, after: unknown][] = [
      ['headers', message.headers, same.headers],
      ['payload', message.payload, same.payload],
      ['key', keyOf(old, message), keyOf(now, same)],
    ];
    return [
      ...(oldType === newType ? [] : [{ at, change: `the content type ${oldType} is now ${newType}` }]),
      ...parts.flatMap(([part, one, other]) =>
        compareSchemas({ old, new: now }, one ?? true, other ?? true, direction, `${at}, ${part}:`),
      ),
    ];
  });
}

/** The schema of a message's Kafka key. */
const keyOf = (document: JsonObject, message: JsonObject): unknown =>
  objectOf(objectOf(resolve(document, message.bindings)).kafka).key;
