import { type Client, errors } from '@elastic/elasticsearch';
import {
  GenerationError,
  type GenerationRecord,
  generationNames,
  itemsAlias,
  type Phase,
  type Registry,
} from '@vitrine/feed-index';
import { expect } from 'chai';
import { moveAliases, roleOf } from './roles.ts';

describe('roleOf', () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  const record = (number: number, phase: Phase): GenerationRecord => ({
    number,
    phase,
    versions: { states: 1, items: 1, rules: 1 },
    created_at: '2026-01-01T00:00:00Z',
    origin: { from: 'topic' },
  });
  const registry = (seenAt?: string): Registry => ({
    generations: [],
    last: 1,
    ...(seenAt && { builders: [{ id: 'b', host: 'h', pid: 1, started_at: seenAt, seen_at: seenAt }] }),
  });

  it('comes from the aliases for a ready generation', () => {
    const roles = { live: 2, previous: 1 };
    expect([1, 2, 3].map((number) => roleOf(record(number, 'ready'), roles, registry(), now))).to.deep.equal([
      'previous',
      'live',
      'ready',
    ]);
  });

  it('distinguishes generations that are being pruned, being built or unfinished', () => {
    const roles = { live: 2, previous: 1 };
    expect(roleOf(record(1, 'pruning'), roles, registry(), now)).to.equal('pruning');
    for (const phase of ['folding', 'copying', 'deriving', 'following'] as const) {
      expect(roleOf(record(3, phase), roles, registry('2026-01-01T00:00:59Z'), now)).to.equal('building');
      expect(roleOf(record(3, phase), roles, registry('2026-01-01T00:00:30Z'), now)).to.equal('unfinished');
      expect(roleOf(record(3, phase), roles, registry(), now)).to.equal('unfinished');
    }
    expect(roleOf(record(1, 'creating'), {}, registry(), now)).to.equal('building');
  });
});

interface AliasAction {
  remove?: { index: string; alias: string; must_exist?: boolean };
  add?: { index: string; alias: string };
}

describe('moveAliases', () => {
  const [first, second] = [generationNames('p', 1), generationNames('p', 2)];
  const notFound = { statusCode: 404 } as ConstructorParameters<typeof errors.ResponseError>[0];
  /** Generation 1 is live. The alias update is atomic. It fails if an alias to be removed is missing. */
  const moved = async (writers: readonly string[]) => {
    let held = [`${first.items} ${itemsAlias('p')}`, `${first.states} p-states`, ...writers];
    const updateAliases = async ({ actions }: { actions: AliasAction[] }) => {
      let next = held;
      for (const { remove, add } of actions) {
        const alias = `${(remove ?? add)?.index} ${(remove ?? add)?.alias}`;
        if (remove?.must_exist && !next.includes(alias)) throw new errors.ResponseError(notFound);
        next = next.filter((one) => one !== alias).concat(add ? alias : []);
      }
      held = next;
    };
    const getAlias = async () => ({
      [first.items]: { aliases: { [itemsAlias('p')]: {} } },
      [first.states]: { aliases: { 'p-states': {} } },
    });
    const client = { indices: { updateAliases, getAlias } } as unknown as Client;
    const outcome = await moveAliases(client, 'p', 1, 2, undefined).catch(({ name }: Error) => name);
    return [outcome, held.includes(`${second.items} ${itemsAlias('p')}`)];
  };

  it("changes nothing if a prune has removed the items' write alias, however late the move arrives", async () => {
    expect(await moved([])).to.deep.equal(['GenerationError', false]);
    expect(await moved([`${second.items} ${second.itemsWriter}`])).to.deep.equal([undefined, true]);
  });

  it('never makes a second generation live, if another process has switched while none was live', async () => {
    const updates: unknown[] = [];
    const updateAliases = async (update: unknown) => void updates.push(update);
    const getAlias = async () => ({
      [first.items]: { aliases: { [itemsAlias('p')]: {} } },
      [first.states]: { aliases: { 'p-states': {} } },
    });
    const client = { indices: { updateAliases, getAlias } } as unknown as Client;
    const failure = await moveAliases(client, 'p', undefined, 2, undefined).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(GenerationError);
    expect(updates).to.deep.equal([]);
  });
});
