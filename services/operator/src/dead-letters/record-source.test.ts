import { expect } from 'chai';
import { recordSource } from './record-source.ts';

const valued = (value: string, headers = {}) => ({ key: null, value: Buffer.from(value), headers });

describe('the source of a refused record', () => {
  it('is the attribute of the CloudEvent in both modes', () => {
    expect(recordSource(valued('{"source":"/a","data":1}'))).to.equal('/a');
    expect(recordSource(valued('{}', { ce_specversion: '1.0', ce_source: Buffer.from('/b') }))).to.equal(
      '/b',
    );
  });

  it('is unknown if the record cannot be read', () => {
    for (const value of ['{', '[]', '1', '{"source":1}', '{"__proto__":{"source":"/a"}}', '"\\ud800"'])
      expect(recordSource(valued(value)), value).to.equal(undefined);
    expect(recordSource({ key: null, value: null })).to.equal(undefined);
    expect(recordSource(valued('{}', { ce_specversion: '1.0', ce_source: ['/a', '/b'] }))).to.equal(
      undefined,
    );
  });
});
