import { generationNames } from '@vitrine/feed-index';
import { MarketEvents } from '@vitrine/fixtures';
import { RULES, type Rules } from '@vitrine/listing';
import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { modelOf } from '../support/expected-contents.ts';
import { cli, type RunningProjector, runProjector } from '../support/in-process.ts';

/**
 * Faulty rules. They throw for one title, and for another title they derive a document that the mapping
 * rejects.
 */
const FAULTY: Rules = {
  version: RULES.version + 1,
  derive: (id, state) => {
    const derived = RULES.derive(id, state);
    const title = derived.item?.feed_item.title;
    if (title === 'throws') throw new TypeError('this rule has a fault');
    return derived.item && title === 'refused'
      ? { item: { ...derived.item, unmapped: 1 } as typeof derived.item }
      : derived;
  },
};

/** Both listings have a price, so correct rules put both into the feed. */
const [THROWS, REFUSED] = [1, 2];
const FAILED = [THROWS, REFUSED].map(MarketEvents.idOf);

describe('a listing whose item cannot be derived', () => {
  let deployment: Deployment;
  /**
   * The first projector has correct rules and writes generation 1. The second projector has the faulty rules
   * and writes the later generations.
   */
  const projectors: RunningProjector[] = [];
  const market = new MarketEvents();

  before(async () => {
    deployment = await createDeployment('failing-rules', 2);
    projectors.push(await runProjector(deployment), await runProjector(deployment, {}, { rules: FAULTY }));
    await deployment.publish(Array.from({ length: 30 }, (_, i) => market.snapshot(i)));
    await deployment.publish([
      market.changed(THROWS, { title: 'throws' }),
      market.changed(REFUSED, { title: 'refused' }),
    ]);
    await deployment.caughtUp();
  });
  after(async () => {
    await Promise.all(projectors.map((projector) => projector.stop()));
    await deployment.close();
  });

  const deadLetters = async () =>
    (await deployment.deadLetters()).map(({ key, value, headers }) => {
      const header = (name: string) => String(headers?.[`dead-letter-${name}`]);
      return {
        id: String(key),
        value: String(value),
        reason: header('reason'),
        detail: header('detail'),
        topic: header('topic'),
      };
    });
  const others = () => [...modelOf(market.sent).items.keys()].filter((id) => !FAILED.includes(id)).sort();
  const faulty = (args: string[]) => cli(deployment, args, { rules: FAULTY });

  it('becomes a dead letter with its state, and does not stop a rebuild from the states', async () => {
    const replayed = await faulty(['replay', '--from', 'states']);
    expect(replayed.code, replayed.output).to.equal(0);
    expect([...(await deployment.items(2)).keys()].sort()).to.deep.equal(others());
    const written = (await deadLetters()).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const topic = generationNames(deployment.prefix, 2).states;
    expect(written.map(({ id, reason, topic }) => ({ id, reason, topic }))).to.deep.equal(
      FAILED.map((id) => ({ id, reason: 'listing-failed', topic })),
    );
    expect(written.map(({ detail }) => detail)).to.match(
      /this rule has a fault.*strict_dynamic_mapping_exception/s,
    );
    expect(
      written.map(({ value }) => (JSON.parse(value) as { fields: { title: unknown } }).fields.title),
    ).to.deep.equal([
      [2, 'throws'],
      [2, 'refused'],
    ]);
    // The state keeps the facts, so that corrected rules can derive the item later.
    const { docs } = await deployment.client.mget({ index: topic, ids: FAILED });
    expect(docs.every((doc) => 'found' in doc && doc.found)).to.equal(true);
  });

  it('is reported by every kind of verification, which neither fails nor writes another dead letter', async () => {
    const compared = await faulty(['verify', '2']);
    expect(compared.code, compared.output).to.equal(3);
    const differences = compared.json.differences as {
      id: string;
      kind: string;
      explained: boolean;
      failure?: string;
    }[];
    expect(
      differences
        .map(({ id, kind, explained }) => ({ id, kind, explained }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    ).to.deep.equal(FAILED.map((id) => ({ id, kind: 'only-live', explained: false })));
    expect(differences.find(({ id }) => id === FAILED[0])?.failure).to.include('this rule has a fault');

    const before = (await deadLetters()).length;
    for (const run of [1, 2]) {
      const checked = await faulty(['verify', '2', '--self']);
      expect(checked.code, `run ${run}: ${checked.output}`).to.equal(3);
      const found = checked.json.disagreements as { id: string; kind: string; repaired: boolean }[];
      expect(
        found
          .map(({ id, kind, repaired }) => ({ id, kind, repaired }))
          .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      ).to.deep.equal([
        { id: FAILED[0], kind: 'failed', repaired: false },
        { id: FAILED[1], kind: 'missing', repaired: false },
      ]);
    }
    expect(await deadLetters()).to.have.lengthOf(before);
    const explained = await faulty(['explain', FAILED[0] as string]);
    expect(explained.code, explained.output).to.equal(0);
    expect(explained.stdout).to.include('this rule has a fault');
  });

  it('cannot be retried, because its dead letter contains a state instead of a record', async () => {
    const retried = await cli(deployment, ['dead-letters', 'retry', '--reason', 'listing-failed']);
    expect(retried.json).to.deep.include({ sent: 0, notRetryableTotal: 2 });
  });

  it('becomes a dead letter in the live projection, which continues with the other records', async () => {
    const record = market.changed(THROWS, { price: 5 });
    await deployment.publish([
      market.changed(3, { title: 'before' }),
      record,
      market.changed(4, { title: 'after' }),
    ]);
    await deployment.caughtUp(undefined, 2);
    expect(
      [...(await deployment.items(2)).values()].map(({ feed_item }) => feed_item.title),
    ).to.include.members(['before', 'after']);
    const [deadLetter] = (await deadLetters()).filter(({ topic }) => topic === deployment.topic);
    expect(deadLetter).to.include({ id: FAILED[0], value: record.value });
    expect(deadLetter?.detail).to.include('this rule has a fault');
  });

  it('becomes one dead letter per record in a rebuild from the topic, and does not stop the rebuild', async () => {
    const replayed = await faulty(['replay', '--from', 'topic']);
    expect(replayed.code, replayed.output).to.equal(0);
    expect([...(await deployment.items(3)).keys()].sort()).to.deep.equal(others());
    const values = (await deadLetters()).map(({ value }) => value);
    const sent = market.sent.filter(({ key }) => key === FAILED[0]).map(({ value }) => value);
    expect(values).to.include.members(sent.slice(1));
  });
});
