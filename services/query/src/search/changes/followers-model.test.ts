import {
  type ChangesHistory,
  EMPTY_HISTORY,
  type LiveChanges,
  liveChain,
  nextEpoch,
  withTransition,
} from '@vitrine/feed-index';
import { expect } from 'chai';
import fc from 'fast-check';
import { PAGE_LIMITS, RequestBudget, SharedMemory } from '../../budget/request-budget.ts';
import { PointInTimeLost } from '../search-failure.ts';
import type { ChangesClient, EntryRange } from './changes-client.ts';
import { type ChangesSearch, createChangesSearch } from './changes-search.ts';
import type { ItemsClient } from './items-client.ts';

const [GENERATIONS, LIMIT, SERVICES, FOLLOWERS] = [3, 1, 3, 2];
/** The number of events and commands between two of a page's requests. */
const MEANWHILE = 2;
const { signal } = new AbortController();

/** Generation 2 has stricter rules. */
const hides = (generation: number, id: string): boolean => generation === 2 && id === 'l-2';

/** A generation: its items by id, and the sequence numbers of its entries. */
class Generation {
  readonly items = new Map<string, number>();
  readonly entries = new Map<string, number>();
  checkpoint = -1;
  offset = 0;
  isPruned = false;

  writeEntry(id: string): void {
    this.entries.set(id, ++this.checkpoint);
  }

  /** Lifts an entry as `liftEntries` does. */
  lift(id: string, above: number): void {
    if ((this.entries.get(id) ?? above) <= above) this.writeEntry(id);
  }
}

/** Computes a mark as the projectors' `entryMark` does. */
function entryMark(live: LiveChanges, history: ChangesHistory, number: number): number | undefined {
  const chain = liveChain(live, history);
  const marks = chain.flatMap(({ generation, handover }) =>
    generation === live.generation && handover ? [handover.to] : [],
  );
  const hasFollowers = marks.length > 0 && chain.some(({ generation }) => generation === number);
  return hasFollowers ? Math.max(...marks) : undefined;
}

/** The topic, the generations and the commands, as docs/guide/changes.md describes them. */
class World {
  readonly #events: { id: string; isRemoved: boolean }[] = [];
  readonly #generations = [new Generation()];
  live: LiveChanges = { epoch: 1, generation: 1 };
  history: ChangesHistory = EMPTY_HISTORY;
  /** The state that the projectors know. */
  #noticed = { live: this.live, history: this.history };
  #move: Generator<void> | undefined;

  generation(number: number): Generation {
    return this.#generations[number - 1] as Generation;
  }

  take(step: WorldStep): void {
    const chosen = (step.number % this.#generations.length) + 1;
    if (step.kind === 'publish' || step.kind === 'remove')
      this.#events.push({ id: `l-${step.number}`, isRemoved: step.kind === 'remove' });
    if (step.kind === 'project') this.#project(chosen);
    if (step.kind === 'build' && this.#generations.length < GENERATIONS)
      this.#generations.push(new Generation());
    if (step.kind === 'move') this.#move ??= this.#moveTo(chosen);
    if (step.kind === 'advance') this.#advance();
    if (step.kind === 'prune' && !this.#move && chosen !== this.live.generation)
      this.generation(chosen).isPruned = true;
  }

  /** Completes the command that is under way, and projects all events. */
  finish(): void {
    while (this.#move) this.#advance();
    for (const [index, generation] of this.#generations.entries())
      while (!generation.isPruned && generation.offset < this.#events.length) this.#project(index + 1);
  }

  #project(number: number): void {
    const generation = this.generation(number);
    const event = this.#events[generation.offset];
    if (!event || generation.isPruned) return;
    const { id, isRemoved } = event;
    generation.offset++;
    const isHidden = isRemoved || hides(number, id);
    if (isHidden) generation.items.delete(id);
    else generation.items.set(id, generation.offset);
    if (isHidden && !generation.entries.has(id)) return;
    const { live, history } = this.#noticed;
    const mark = live.generation === number ? undefined : entryMark(live, history, number);
    if (mark !== undefined) this.generation(live.generation).lift(id, mark);
    generation.writeEntry(id);
  }

  #advance(): void {
    if (this.#move?.next().done) this.#move = undefined;
  }

  /** A switch or a rollback. Other steps can come between its steps. */
  *#moveTo(number: number): Generator<void> {
    const after = this.live;
    const [from, to] = [this.generation(after.generation), this.generation(number)];
    if (from === to || to.isPruned) return;
    const handover = { from: -1, to: to.checkpoint };
    yield;
    for (const end = this.#events.length; from.offset < end; ) {
      this.#project(after.generation);
      yield;
    }
    handover.from = from.checkpoint;
    yield;
    const differing = [...new Set([...from.items.keys(), ...to.items.keys()])].filter(
      (id) => from.items.get(id) !== to.items.get(id),
    );
    for (const id of differing) {
      yield;
      to.writeEntry(id);
    }
    yield;
    const live = { epoch: nextEpoch(after.epoch, this.history), generation: number };
    this.history = withTransition(this.history, { ...live, after, handover, at: '' });
    yield;
    this.live = live;
    yield;
    this.#noticed = { live, history: this.history };
    yield;
    for (const [id, sequence] of [...from.entries])
      if (sequence > handover.from) {
        to.lift(id, handover.to);
        yield;
      }
  }
}

/** Both clients in one object. @param meanwhile runs before each request */
function clientOf(world: World, meanwhile: () => void) {
  const opened: Map<string, number>[] = [];
  const request = async <T>(answer: () => T): Promise<T> => {
    meanwhile();
    return answer();
  };
  const client = {
    live: () => request(() => world.live),
    history: () => request(() => world.history),
    checkpoint: (number: number) => request(() => world.generation(number).checkpoint),
    refresh: () => request(() => true),
    openChanges: (number: number) =>
      request(() => String(opened.push(new Map(world.generation(number).entries)) - 1)),
    close: async () => undefined,
    entries: (pointInTime: string, { after, upTo }: EntryRange, size: number) =>
      request(() => ({
        entries: [...(opened[Number(pointInTime)] ?? [])]
          .map(([id, sequence]) => ({ id, sequence, entry: { state: 'updated', at: 0 } }))
          .filter(({ sequence }) => sequence > after && sequence <= upTo)
          .sort((a, b) => a.sequence - b.sequence)
          .slice(0, size),
      })),
    lookUp: (number: number, ids: string[]) =>
      request(() => {
        const { items, isPruned } = world.generation(number);
        if (isPruned) throw new PointInTimeLost('the items index does not exist');
        return new Map(
          ids.flatMap((id) => {
            const version = items.get(id);
            return version === undefined ? [] : [[id, { id, data: [Buffer.from(String(version))] }]];
          }),
        );
      }),
  };
  return client as unknown as ChangesClient & Pick<ItemsClient, 'lookUp'>;
}

class Follower {
  readonly copy = new Map<string, number>();
  position = 0;

  /** Reads one page. A service whose view is lost responds 503. */
  async read(service: ChangesSearch): Promise<void> {
    const budget = new RequestBudget(PAGE_LIMITS, new SharedMemory(1e9));
    const page = await service.page(this.position, LIMIT, signal, budget).catch((error: unknown) => {
      if (error instanceof PointInTimeLost) return undefined;
      throw error;
    });
    if (page?.kind === 'expired') throw new Error('a follower has to start over');
    for (const { id, modified, item } of page?.changes ?? []) {
      expect(modified, 'numbers increase').to.be.above(this.position);
      this.position = modified;
      if (item) this.copy.set(id, Number(item.data[0]));
      else this.copy.delete(id);
    }
  }
}

interface WorldStep {
  kind: 'publish' | 'remove' | 'project' | 'build' | 'move' | 'advance' | 'prune';
  number: number;
}
interface ReaderStep {
  /** `renew` gives a service a new view. Until then, the service uses its first view. */
  kind: 'follow' | 'renew';
  number: number;
  service: number;
}

const isOfReader = (step: WorldStep | ReaderStep): step is ReaderStep =>
  step.kind === 'follow' || step.kind === 'renew';

const aWorldStep = (weight: number, ...kinds: WorldStep['kind'][]) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constantFrom(...kinds), number: fc.nat(GENERATIONS - 1) }),
});
const aReaderStep = (weight: number, kind: ReaderStep['kind']) => ({
  weight,
  arbitrary: fc.record({
    kind: fc.constant(kind),
    number: fc.nat(FOLLOWERS - 1),
    service: fc.nat(SERVICES - 1),
  }),
});
const anyStep: fc.Arbitrary<WorldStep | ReaderStep> = fc.oneof(
  aWorldStep(4, 'publish', 'publish', 'remove'),
  aWorldStep(8, 'project'),
  aWorldStep(3, 'move', 'build'),
  aWorldStep(8, 'advance'),
  aWorldStep(1, 'prune'),
  aReaderStep(8, 'follow'),
  aReaderStep(3, 'renew'),
);

describe('followers on several services, whose views may have any age', function () {
  this.timeout(60_000);

  it('miss nothing across switches, rollbacks and prunes', () =>
    fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 50, maxLength: 150 }), async (steps) => {
        const world = new World();
        const left = [...steps];
        const client = clientOf(world, () => {
          for (let count = 0; count < MEANWHILE; count++) {
            const [next] = left;
            if (next && !isOfReader(next)) world.take(left.shift() as WorldStep);
          }
        });
        const create = () => createChangesSearch(client, client);
        const services = Array.from({ length: SERVICES }, create);
        const followers = Array.from({ length: FOLLOWERS }, () => new Follower());
        for (let step = left.shift(); step; step = left.shift()) {
          if (!isOfReader(step)) world.take(step);
          else if (step.kind === 'renew') services[step.service] = create();
          else await followers[step.number]?.read(services[step.service] as ChangesSearch);
        }
        world.finish();
        for (const follower of followers) {
          // Old views do not repeat any changes.
          for (const service of services) await follower.read(service);
          for (let before = -1; before !== follower.position; ) {
            before = follower.position;
            await follower.read(create());
          }
          expect(follower.copy).to.deep.equal(world.generation(world.live.generation).items);
        }
      }),
      { numRuns: 400 },
    ));

  it('miss nothing if the generation before becomes live again after pages with items of one that was behind', async () => {
    const world = new World();
    const client = clientOf(world, () => undefined);
    const follower = new Follower();
    const take = (kind: WorldStep['kind'], number: number) => world.take({ kind, number });
    const move = (to: number) => {
      take('move', to);
      for (let step = 0; step < 20; step++) take('advance', 0);
    };
    const read = () => follower.read(createChangesSearch(client, client));
    const [first, second] = [0, 1];
    take('build', 0);
    take('publish', 0);
    for (const generation of [first, second]) take('project', generation);
    await read();
    take('publish', 1);
    take('project', first);
    move(second);
    await read();
    expect([...follower.copy.keys()], 'the second generation is behind').to.deep.equal(['l-0']);
    take('project', second);
    move(first);
    await read();
    expect([...follower.copy.keys()]).to.deep.equal(['l-0', 'l-1']);
  });
});
