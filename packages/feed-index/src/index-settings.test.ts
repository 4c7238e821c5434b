import { expect } from 'chai';
import { requiredSettings, wrongSettings } from './index-settings.ts';

describe('the required settings of an index', () => {
  const names = (settings: Record<string, unknown>) =>
    wrongSettings('items', settings).map(({ name }) => name);

  it('accept what a new index receives', () => {
    const created = (kind: 'states' | 'items' | 'changes' | 'document') =>
      Object.fromEntries(
        Object.entries(requiredSettings(kind)).map(([name, value]) => [`index.${name}`, value]),
      );
    for (const kind of ['states', 'items', 'changes', 'document'] as const)
      expect(wrongSettings(kind, created(kind)), kind).to.deep.equal([]);
  });

  it('give each sorted field an order, a mode and a place for missing values, as Elasticsearch 9.2 demands', () => {
    const settings = requiredSettings('items');
    const lengths = ['field', 'order', 'mode', 'missing'].map((name) => settings[`sort.${name}`]?.length);
    expect(lengths).to.deep.equal([2, 2, 2, 2]);
  });

  it('accept higher limits, longer memory of deletions, and the refresh intervals of a rebuild', () =>
    expect(
      names({
        'index.max_result_window': '20000',
        'index.mapping.nested_objects.limit': '50000',
        'index.gc_deletes': '1h',
        'index.refresh_interval': '30s',
        'index.mapping.source.mode': 'STORED',
        'index.translog.durability': 'REQUEST',
      }),
    ).to.deep.equal([]));

  it('refuse lower limits, no refresh, and a policy that may delete the index', () => {
    for (const [name, value] of [
      ['index.max_result_window', '9999'],
      ['index.mapping.nested_objects.limit', '50'],
      ['index.gc_deletes', '60s'],
      ['index.refresh_interval', '-1'],
      ['index.refresh_interval', '5m'],
      ['index.lifecycle.name', 'thirty-days'],
      ['index.disable_sequence_numbers', 'true'],
      ['index.blocks.write', 'true'],
    ] as const)
      expect(names({ [name]: value }), `${name}=${value}`).to.deep.equal([name]);
  });

  it('state what damages documents, and what only a new index can correct', () => {
    const [pipeline] = wrongSettings('states', { 'index.default_pipeline': 'x' });
    expect(pipeline).to.deep.equal({
      name: 'index.default_pipeline',
      actual: 'x',
      required: '_none',
      damages: true,
      fixed: false,
    });
    expect(wrongSettings('states', { 'index.mode': 'logsdb' })[0]).to.include({ damages: true, fixed: true });
    expect(wrongSettings('states', { 'index.lifecycle.name': 'x' })[0]).to.include({
      required: null,
      damages: false,
    });
    expect(wrongSettings('changes', { 'index.number_of_shards': '2' })[0]).to.include({ fixed: true });
  });

  it('leave out settings that this Elasticsearch does not know', () =>
    expect(names({ 'index.mapping.array_objects.limit': undefined })).to.deep.equal([]));
});
