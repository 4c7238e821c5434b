import type { HiddenReason } from '@vitrine/listing';
import type { ComparedItem, ComparedListing } from './compared-generation.ts';
import { contentHash } from './content-hash.ts';
import { differingFacts } from './differing-facts.ts';

/** A difference between the new generation and the live generation for one listing. */
export interface Difference {
  id: string;
  /**
   * `facts` means that the items are equal or both absent, but the states differ in a way that affects later
   * events.
   */
  kind: 'only-live' | 'only-new' | 'content' | 'facts';
  /** The reason why the state of the generation without an item hides the listing. */
  hidden?: HiddenReason;
  /** The error that this version's rules raised for the new generation's state. */
  failure?: string;
  /**
   * The differing members of the item, such as `feed_item.title`. For `facts`, the differing members of the
   * state.
   */
  members?: string[];
  /**
   * Whether both generations hold the same facts and the new item equals the item that this version's rules
   * derive.
   */
  explained: boolean;
}

/**
 * Compares one listing in two generations. Returns undefined if there is no difference. Pure.
 * @param comparesFacts whether the states of both generations have the same format, so that their facts are
 * comparable
 */
export function differenceOf(
  id: string,
  live: ComparedListing,
  fresh: ComparedListing,
  comparesFacts = true,
): Difference | undefined {
  const sameFacts = contentHash(live.state ?? null) === contentHash(fresh.state ?? null);
  const explained = sameFacts && fresh.agrees;
  const facts = (): Difference | undefined => {
    const members = !comparesFacts ? [] : differingFacts(live.state, fresh.state, live.item !== undefined);
    return members.length > 0 ? { id, kind: 'facts', members, explained: false } : undefined;
  };
  if (!live.item && !fresh.item) return facts();
  if (!live.item) return { id, kind: 'only-new', ...(live.hidden && { hidden: live.hidden }), explained };
  const failure = fresh.failure === undefined ? {} : { failure: fresh.failure };
  if (!fresh.item)
    return { id, kind: 'only-live', ...(fresh.hidden && { hidden: fresh.hidden }), ...failure, explained };
  const members = differingMembers(live.item, fresh.item);
  return members.length > 0 ? { id, kind: 'content', members, ...failure, explained } : facts();
}

function differingMembers(a: ComparedItem, b: ComparedItem): string[] {
  const flat = ({ feed_item, ...rest }: ComparedItem): Map<string, unknown> =>
    new Map([
      ...Object.entries(rest),
      ...Object.entries(feed_item).map(([name, value]): [string, unknown] => [`feed_item.${name}`, value]),
    ]);
  const [left, right] = [flat(a), flat(b)];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names]
    .filter((name) => contentHash(left.get(name) ?? null) !== contentHash(right.get(name) ?? null))
    .sort();
}
