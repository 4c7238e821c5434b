import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { FeedUnavailable, PointInTimeLost } from './search-failure.ts';
import { SharedResource } from './shared-resource.ts';

const LIFETIME_MS = 1_000;
const PATIENCE_MS = 3_000;
const KEPT_MS = 20_000;
/** The clock moves in parts, so that timers that follow from others fire in time. */
const PART_MS = 500;

interface Resource {
  requestedAt: number;
  opening: PromiseWithResolvers<Resource>;
  state: 'opening' | 'open' | 'failed' | 'closed';
  openedAt?: number;
  /** Whether a reader has found the resource lost. */
  isLost: boolean;
}

interface Reader {
  leaving: AbortController;
  /** The resource that the reader uses now, and the promise that ends this use. */
  using?: { resource: Resource; end: PromiseWithResolvers<void> };
  outcome?: { error?: unknown };
}

type Step =
  | { kind: 'read' | 'open' | 'fail' }
  | { kind: 'pass'; ms: number }
  | { kind: 'finish'; reader: number; how: 'done' | 'lost' | 'failed' }
  | { kind: 'leave'; reader: number };

/** Readers of a shared resource, on a clock that only the steps move. */
class Model {
  static now = 0;
  readonly readers: Reader[] = [];
  readonly resources: Resource[] = [];
  readonly #violations: unknown[] = [];
  readonly #longestMs: number;
  readonly #shared: SharedResource<Resource>;

  constructor(isKept: boolean) {
    this.#longestMs = LIFETIME_MS + (isKept ? KEPT_MS : 0);
    this.#shared = new SharedResource<Resource>({
      open: () => this.#open(),
      close: async (resource) => this.#close(resource),
      lifetimeMs: LIFETIME_MS,
      ...(isKept && { whileOpening: { patienceMs: PATIENCE_MS, keptMs: KEPT_MS } }),
    });
  }

  get opening(): Resource | undefined {
    return this.resources.find(({ state }) => state === 'opening');
  }

  get waiting(): Reader[] {
    return this.readers.filter(({ using, outcome }) => !using && !outcome);
  }

  /** The numbers of the resources that readers use now, counted from 1. */
  get used(): number[] {
    return this.readers.flatMap(({ using }) => (using ? this.resources.indexOf(using.resource) + 1 : []));
  }

  async take(...steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const usable = this.#before;
      const failed = this.waiting;
      await this.#do(step);
      // This lets timers without a delay fire.
      await this.#pass(1);
      this.#checkWaiting();
      this.#checkOpen();
      if (step.kind === 'fail' && usable)
        for (const { outcome, leaving } of failed)
          this.#check(
            () =>
              expect(outcome?.error === undefined || leaving.signal.aborted, 'the previous one').to.be.true,
          );
      if (this.#violations.length > 0) throw this.#violations[0];
    }
  }

  /** Ends all reads, and closes everything. */
  async end(): Promise<void> {
    for (const { leaving } of this.readers) leaving.abort();
    await turn();
    for (const { using } of this.readers) using?.end.resolve();
    let isClosed = false;
    const closing = this.#shared.close().then(() => {
      isClosed = true;
    });
    await this.take({ kind: 'open' });
    expect(
      this.readers.every(({ outcome }) => outcome),
      'every reader ends',
    ).to.be.true;
    expect(isClosed, 'the end is reached').to.be.true;
    expect(this.resources.filter(({ state }) => state === 'open')).to.deep.equal([]);
    await closing;
  }

  async #do(step: Step): Promise<void> {
    const { opening } = this;
    if (step.kind === 'read') this.#read();
    if (step.kind === 'pass') await this.#pass(step.ms);
    if (step.kind === 'open' && opening) {
      Object.assign(opening, { state: 'open', openedAt: Model.now });
      opening.opening.resolve(opening);
    }
    if (step.kind === 'fail' && opening) {
      opening.state = 'failed';
      opening.opening.reject(new FeedUnavailable('the test lets opening fail'));
    }
    if (step.kind === 'leave') this.readers.at(-1 - step.reader)?.leaving.abort();
    if (step.kind === 'finish') {
      const busy = this.readers.flatMap(({ using }) => using ?? []);
      const using = busy[step.reader % Math.max(busy.length, 1)];
      if (step.how === 'done') using?.end.resolve();
      if (step.how === 'failed') using?.end.reject(new Error('the test lets a read fail'));
      if (using && step.how === 'lost') {
        using.resource.isLost = true;
        using.end.reject(new PointInTimeLost('the test loses it'));
      }
    }
    await turn();
  }

  async #pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= PART_MS) {
      const part = Math.min(left, PART_MS);
      Model.now += part;
      mock.timers.tick(part);
      await turn();
    }
  }

  #read(): void {
    const reader: Reader = { leaving: new AbortController() };
    this.readers.push(reader);
    this.#shared
      .use((resource) => this.#use(reader, resource), reader.leaving.signal)
      .then(
        () => {
          reader.outcome = {};
        },
        (error: unknown) => {
          reader.outcome = { error };
        },
      );
  }

  async #use(reader: Reader, resource: Resource): Promise<void> {
    this.#check(() => {
      expect(resource.state, 'a reader receives an open resource').to.equal('open');
      expect(reader.leaving.signal.aborted, 'a reader that has left receives nothing').to.be.false;
      // A reader that has waited for a resource receives it, however long opening took.
      if (resource.openedAt !== Model.now)
        expect(this.#ageOf(resource), 'age').to.be.at.most(this.#longestMs + PART_MS);
    });
    const end = Promise.withResolvers<void>();
    reader.using = { resource, end };
    try {
      await end.promise;
    } finally {
      delete reader.using;
    }
  }

  #open(): Promise<Resource> {
    this.#check(() => expect(this.opening, 'one resource is opened at a time').to.be.undefined);
    const opening = Promise.withResolvers<Resource>();
    this.resources.push({ requestedAt: Model.now, opening, state: 'opening', isLost: false });
    return opening.promise;
  }

  #close(resource: Resource): void {
    this.#check(() => {
      expect(resource.state, 'a resource is closed once').to.equal('open');
      expect(this.#isUsed(resource), 'a closed resource has no readers').to.be.false;
    });
    resource.state = 'closed';
  }

  /** The resource that readers may use until the next one is open. */
  get #before(): Resource | undefined {
    const last = this.resources.findLast(({ state }) => state === 'open');
    return last && !last.isLost && this.#ageOf(last) + PART_MS < this.#longestMs ? last : undefined;
  }

  #checkWaiting(): void {
    const { opening } = this;
    for (const { leaving } of this.waiting)
      this.#check(() => {
        expect(leaving.signal.aborted, 'a reader that has left does not wait').to.be.false;
        expect(opening, 'a reader waits for a resource').to.not.be.undefined;
        if (opening && this.#before)
          expect(this.#ageOf(opening), 'the wait').to.be.below(PATIENCE_MS + PART_MS);
      });
  }

  #checkOpen(): void {
    for (const resource of this.resources)
      if (resource.state === 'open' && !this.#isUsed(resource))
        this.#check(() => {
          const isHeld = this.waiting.length > 0 && this.#ageOf(resource) < this.#longestMs + PATIENCE_MS;
          if (!isHeld) expect(this.#ageOf(resource), 'is closed').to.be.at.most(this.#longestMs + PART_MS);
        });
  }

  #ageOf({ requestedAt }: Resource): number {
    return Model.now - requestedAt;
  }

  #isUsed(resource: Resource): boolean {
    return this.readers.some(({ using }) => using?.resource === resource);
  }

  /** The resource catches the errors from some callbacks. */
  #check(expectation: () => void): void {
    try {
      expectation();
    } catch (error) {
      this.#violations.push(error);
    }
  }
}

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 7, arbitrary: fc.constantFrom<Step>({ kind: 'read' }, { kind: 'read' }, { kind: 'open' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'fail' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(500, 1_000, 2_500, 3_000, 19_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      reader: fc.nat(5),
      how: fc.constantFrom<('done' | 'lost' | 'failed')[]>('done', 'done', 'lost', 'failed'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), reader: fc.nat(5) }) },
);

describe('a shared resource on a clock of its own', function () {
  this.timeout(60_000);
  const [read, open, fail] = (['read', 'open', 'fail'] as const).map((kind): Step => ({ kind })) as [
    Step,
    Step,
    Step,
  ];
  const pass = (ms: number): Step => ({ kind: 'pass', ms });
  const done: Step = { kind: 'finish', reader: 0, how: 'done' };
  const leave: Step = { kind: 'leave', reader: 0 };
  /** The first resource has no readers, and its lifetime is over. */
  const EXPIRED = [read, open, done, pass(LIFETIME_MS)];

  before(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(performance, 'now', () => Model.now);
  });
  after(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('is used while opening the next one fails, for example after a timeout', async () => {
    const model = new Model(true);
    await model.take(...EXPIRED, read, pass(1_000), fail);
    expect(model.used).to.deep.equal([1]);
    await model.take(read, open);
    expect(model.used).to.deep.equal([1, 3]);
    await model.end();
  });

  it('lets readers share the wait for a slow one', async () => {
    const model = new Model(true);
    await model.take(...EXPIRED, read, pass(2_500), read);
    expect(model.used).to.deep.equal([]);
    await model.take(pass(500), read);
    expect(model.used).to.deep.equal([1, 1, 1]);
    await model.end();
  });

  it('is not used after its time, although a reader came earlier', async () => {
    const model = new Model(true);
    await model.take(...EXPIRED, pass(KEPT_MS - 1_000), read, pass(PATIENCE_MS));
    expect([model.used, model.resources.map(({ state }) => state)]).to.deep.equal([
      [],
      ['closed', 'opening'],
    ]);
    await model.take(open);
    expect(model.used).to.deep.equal([2]);
    await model.end();
  });

  it('has its time from the request on, however long opening took', async () => {
    const model = new Model(true);
    await model.take(
      read,
      pass(10_000),
      open,
      done,
      pass(LIFETIME_MS + KEPT_MS - 10_000 - 500),
      read,
      pass(PATIENCE_MS),
    );
    expect(model.used).to.deep.equal([]);
    await model.end();
  });

  it('is not kept for a reader that leaves while the next one opens slowly', async () => {
    const model = new Model(true);
    await model.take(...EXPIRED, read, leave);
    expect(model.waiting).to.deep.equal([]);
    await model.take(open);
    expect(model.resources.map(({ state }) => state)).to.deep.equal(['closed', 'open']);
    await model.end();
  });

  for (const isKept of [true, false])
    it(`keeps its promises in any order of events, ${isKept ? 'even while the next one opens' : 'alone'}`, () =>
      fc.assert(
        fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
          const model = new Model(isKept);
          await model.take(...steps);
          await model.end();
        }),
        { numRuns: 500 },
      ));
});
