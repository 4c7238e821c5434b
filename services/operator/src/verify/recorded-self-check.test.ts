import type { Client } from '@elastic/elasticsearch';
import { type GenerationRecord, generationNames, itemsAlias, type Registry } from '@vitrine/feed-index';
import { createLog } from '@vitrine/runtime/log';
import { expect } from 'chai';
import type { CommandContext } from '../command-context.ts';
import { recordedSelfCheck } from './recorded-self-check.ts';

describe('a recorded self-check', () => {
  const live = {
    number: 1,
    phase: 'pruning',
    versions: { states: 1, items: 1, rules: 1 },
  } as GenerationRecord;

  /** Returns the registry's last run after a check, which fails because the live generation is not ready. */
  const recorded = async (signal: AbortSignal) => {
    let registry: Registry = { generations: [live], last: 1 };
    const client = {
      get: async () => ({ _source: { registry }, _seq_no: 1, _primary_term: 1 }),
      index: async ({ document }: { document: { registry: Registry } }) => {
        registry = document.registry;
      },
      indices: {
        getAlias: async () => ({ [generationNames('p', 1).items]: { aliases: { [itemsAlias('p')]: {} } } }),
        exists: async () => true,
      },
    } as unknown as Client;
    const context = { client, settings: { INDEX_PREFIX: 'p' }, signal, log: createLog('test', 'silent') };
    const options = { generation: undefined, repair: true };
    const failure = await recordedSelfCheck(context as CommandContext, options, () => undefined).catch(
      String,
    );
    expect(failure).to.include('generation 1 is not ready');
    return registry.self_check?.last;
  };

  it('stores a failed run with its error, but never stores an interrupted run', async () => {
    const failed = await recorded(new AbortController().signal);
    expect(failed).to.include({ generation: 1, outcome: 'failed', repaired: 0, unrepaired: 0 });
    expect(failed?.error).to.include('generation 1 is not ready');
    expect(await recorded(AbortSignal.abort())).to.equal(undefined);
  });
});
