import type { estypes } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { mappingDifferences } from './mapping-differences.ts';

describe('the differences between two mappings', () => {
  const required: estypes.MappingTypeMapping = {
    dynamic: 'strict',
    _meta: { mapping_version: 1 },
    properties: { id: { type: 'keyword' }, state: { type: 'object', enabled: false } },
  };
  const differences = (changes: estypes.MappingTypeMapping) =>
    mappingDifferences(required, { ...required, ...changes });

  it('leave out other fields, other metadata and other runtime fields', () =>
    expect(
      differences({
        _meta: { other: 1 },
        _source: { enabled: true },
        properties: { ...required.properties, more: { type: 'long' } },
        runtime: { more: { type: 'long' } },
      }),
    ).to.deep.equal([]));

  it('name each effect of a template', () =>
    expect(
      differences({
        dynamic: true,
        _source: { enabled: false, excludes: ['state'] },
        _routing: { required: true },
        properties: { id: { type: 'keyword', null_value: 'x' } },
        runtime: { state: { type: 'long' } },
      }),
    ).to.deep.equal([
      '_source.enabled is false',
      '_source.excludes is ["state"]',
      '_routing.required is true',
      'dynamic is true',
      'id is {"type":"keyword","null_value":"x"}',
      'a runtime field hides state',
    ]));

  it('name a missing field', () =>
    expect(differences({ properties: { id: { type: 'keyword' } } })).to.deep.equal(['state is missing']));
});
