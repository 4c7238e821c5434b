import { expect } from 'chai';
import type { CommandContext } from '../../command-context.ts';
import { unchangedCorrections } from './apply-corrections.ts';
import type { StoredCorrection } from './corrections.ts';

describe('the corrections that are published', () => {
  it('leave out a listing whose state has changed, or whose event waits in the topic', async () => {
    const versions: Record<string, number> = { changed: 2, kept: 1, waiting: 1 };
    const client = {
      indices: {
        getAlias: async () => ({ 'p-items-1': { aliases: { 'p-items': {} } } }),
        exists: async () => true,
      },
      mget: async ({ ids }: { ids: string[] }) => ({
        docs: ids.map((_id) => ({ _id, found: true, _version: versions[_id], _source: {} })),
      }),
    };
    const context = { client, settings: { INDEX_PREFIX: 'p' } } as unknown as CommandContext;
    const correction = (subject: string) => ({ revision: 1, event: { subject } }) as StoredCorrection;
    const batch = ['changed', 'kept', 'waiting'].map(correction);
    const left = await unchangedCorrections(context, batch, 1, (id) => id === 'waiting');
    expect(left.map(({ event }) => event.subject)).to.deep.equal(['kept']);
  });
});
