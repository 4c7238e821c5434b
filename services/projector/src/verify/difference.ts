import type { ItemDocument } from '@vitrine/feed-index';
import type { HiddenReason } from '../feed-item.ts';
import { contentHash } from './content-hash.ts';
import type { Judged } from './held-listing.ts';

/** How an item of the new generation differs from the live one's. */
export interface Difference {
  id: string;
  kind: 'only-live' | 'only-new' | 'content';
  /** Why the states of the new generation show no item, or those of the live one. */
  hidden?: HiddenReason;
  /** How the rules of this code fail on the state of the new generation. */
  failure?: string;
  /** Members of the item that differ, as `feed_item.title`. */
  members?: string[];
  /** Both generations know the same facts, and the new one's item is what the rules of this code make of them. */
  explained: boolean;
}

/** What two generations hold of one listing -> how their items differ; undefined when they do not. Pure. */
export function differenceOf(id: string, live: Judged, fresh: Judged): Difference | undefined {
  const sameFacts = contentHash(live.state ?? null) === contentHash(fresh.state ?? null);
  const explained = sameFacts && fresh.agrees;
  if (!live.item && !fresh.item) return undefined;
  if (!live.item) return { id, kind: 'only-new', ...(live.hidden && { hidden: live.hidden }), explained };
  const failure = fresh.failure === undefined ? {} : { failure: fresh.failure };
  if (!fresh.item) return { id, kind: 'only-live', ...(fresh.hidden && { hidden: fresh.hidden }), ...failure, explained };
  const members = differingMembers(live.item, fresh.item);
  return members.length > 0 ? { id, kind: 'content', members, ...failure, explained } : undefined;
}

function differingMembers(a: ItemDocument, b: ItemDocument): string[] {
  const flat = ({ feed_item, ...rest }: ItemDocument): Map<string, unknown> =>
    new Map([...Object.entries(rest), ...Object.entries(feed_item).map(([name, value]): [string, unknown] => [`feed_item.${name}`, value])]);
  const [left, right] = [flat(a), flat(b)];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].filter((name) => contentHash(left.get(name) ?? null) !== contentHash(right.get(name) ?? null)).sort();
}
