import type { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { bulkLimit, lowerBulkLimit } from './bulk-writer.ts';

const MIB = 1024 * 1024;

describe('the limit of bulk requests', () => {
  it('halves below a refused request, and not below 8 KiB', () => {
    const client = {} as Client;
    expect(bulkLimit(client, 0)).to.equal(5 * MIB);
    lowerBulkLimit(client, 3 * MIB, 0);
    expect(bulkLimit(client, 0)).to.equal(1.5 * MIB);
    // A single document may exceed the limit. The refusal of such a document says nothing about smaller
    // requests.
    lowerBulkLimit(client, 20 * MIB, 0);
    expect(bulkLimit(client, 0)).to.equal(1.5 * MIB);
    lowerBulkLimit(client, 9 * 1024, 0);
    expect(bulkLimit(client, 0)).to.equal(8 * 1024);
  });
  it('is forgotten ten minutes after the last refusal', () => {
    const client = {} as Client;
    lowerBulkLimit(client, 4 * MIB, 0);
    expect(bulkLimit(client, 599_999)).to.equal(2 * MIB);
    lowerBulkLimit(client, 2 * MIB, 599_999);
    expect(bulkLimit(client, 600_001)).to.equal(MIB);
    expect(bulkLimit(client, 1_199_999)).to.equal(5 * MIB);
  });
  it('belongs to one client', () => {
    const client = {} as Client;
    lowerBulkLimit(client, 2 * MIB, 0);
    expect(bulkLimit({} as Client, 0)).to.equal(5 * MIB);
  });
});
