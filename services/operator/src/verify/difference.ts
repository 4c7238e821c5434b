import type { Versions } from '@vitrine/feed-index';
import { factsOf, type HiddenReason, type NotedState } from '@vitrine/listing';
import type { ComparedItem, ComparedListing } from './compared-generation.ts';
import { contentHash } from './content-hash.ts';
import { type DifferenceReason, reasonOf } from './difference-reason.ts';
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
   * The values of the differing members; `null` for an absent member. compareGenerations keeps them for the
   * first 100 differences.
   */
  values?: Record<string, { live: unknown; new: unknown }>;
  /**
   * Whether both generations hold the same facts and the new item equals the item that this version's rules
   * derive.
   */
  explained: boolean;
  /**
   * Why the generations differ. The console's page and the command's text output put the reason into words.
   */
  reason: DifferenceReason;
}

/** What a comparison of two listings needs to know about their generations. */
export interface ComparedVersions {
  live: Versions;
  fresh: Versions;
}

/**
 * Compares one listing in two generations. Returns undefined if there is no difference. States of different
 * formats are not compared. Pure.
 * @param isChanging whether a projector has written the listing since the last comparison
 */
export function differenceOf(
  id: string,
  live: ComparedListing,
  fresh: ComparedListing,
  versions: ComparedVersions,
  isChanging = false,
): Difference | undefined {
  const found = foundDifference(id, live, fresh, versions.live.states === versions.fresh.states);
  if (!found) return undefined;
  const facts = {
    isChanging,
    hasEqualItems: found.kind === 'facts',
    hasSameFacts: hasSameFacts(live, fresh),
    liveAgrees: live.agrees,
    newAgrees: fresh.agrees,
    failure: found.failure,
  };
  return { ...found, reason: reasonOf(facts, versions.live, versions.fresh) };
}

function foundDifference(
  id: string,
  live: ComparedListing,
  fresh: ComparedListing,
  comparesFacts: boolean,
): Omit<Difference, 'reason'> | undefined {
  const explained = hasSameFacts(live, fresh) && fresh.agrees;
  const facts = (): Omit<Difference, 'reason'> | undefined => {
    const members = !comparesFacts ? [] : differingFacts(live.state, fresh.state, live.item !== undefined);
    const values = valuesOf(members, toMap(live.state), toMap(fresh.state));
    return members.length > 0 ? { id, kind: 'facts', members, values, explained: false } : undefined;
  };
  if (!live.item && !fresh.item) return facts();
  if (!live.item) return { id, kind: 'only-new', ...(live.hidden && { hidden: live.hidden }), explained };
  const failure = fresh.failure === undefined ? {} : { failure: fresh.failure };
  if (!fresh.item)
    return { id, kind: 'only-live', ...(fresh.hidden && { hidden: fresh.hidden }), ...failure, explained };
  const [left, right] = [flat(live.item), flat(fresh.item)];
  const members = differingMembers(left, right);
  if (members.length === 0) return facts();
  return { id, kind: 'content', members, values: valuesOf(members, left, right), ...failure, explained };
}

const hasSameFacts = (live: ComparedListing, fresh: ComparedListing): boolean =>
  factsHash(live.state) === factsHash(fresh.state);

const factsHash = (state: NotedState | undefined): string => contentHash(state ? factsOf(state) : null);

type Members = ReadonlyMap<string, unknown>;

const toMap = (value: object | undefined): Members => new Map(Object.entries(value ?? {}));

const flat = ({ feed_item, ...rest }: ComparedItem): Members =>
  new Map([
    ...Object.entries(rest),
    ...Object.entries(feed_item).map(([name, value]): [string, unknown] => [`feed_item.${name}`, value]),
  ]);

const valuesOf = (names: readonly string[], live: Members, fresh: Members): Required<Difference>['values'] =>
  Object.fromEntries(
    names.map((name) => [name, { live: live.get(name) ?? null, new: fresh.get(name) ?? null }]),
  );

function differingMembers(left: Members, right: Members): string[] {
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names]
    .filter((name) => contentHash(left.get(name) ?? null) !== contentHash(right.get(name) ?? null))
    .sort();
}
