import { type Client, errors } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { bulkLimit, lowerBulkLimit, writeBulk } from './bulk-writer.ts';
import { ElasticsearchUnavailableError } from './elasticsearch-unavailable.ts';

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

describe('bulk writer', () => {
  const entries = ['a', 'b', 'c', 'd'].map((id) => ({
    action: { index: { _index: 'i', _id: id } },
    document: JSON.stringify({ text: 'x'.repeat(8 * 1024) }),
  }));
  /** A client whose Elasticsearch responds to each bulk request with one status per entry, or with 413. */
  const clientOf = (statusOf: (bytes: number) => number) => {
    const sent: number[] = [];
    const request = async ({ bulkBody }: { bulkBody: Buffer }) => {
      const status = statusOf(bulkBody.length);
      if (status === 413)
        throw new errors.ResponseError({ statusCode: 413 } as ConstructorParameters<
          typeof errors.ResponseError
        >[0]);
      const count = bulkBody.toString().trimEnd().split('\n').length / 2;
      sent.push(count);
      return { items: Array.from({ length: count }, () => ({ index: { status } })) };
    };
    return { client: { transport: { request } } as unknown as Client, sent };
  };

  it('sends smaller requests after a 413 response until every entry is written', async () => {
    const { client, sent } = clientOf((bytes) => (bytes > 20 * 1024 ? 413 : 201));
    const results = await writeBulk(client, entries);
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(['done', 'done', 'done', 'done']);
    expect(sent.reduce((sum, count) => sum + count)).to.equal(entries.length);
    expect(sent.length).to.be.at.least(2);
  });

  it('never counts an entry as written if Elasticsearch could not write it', async () => {
    const { client } = clientOf(() => 429);
    const failure = await writeBulk(client, entries).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(ElasticsearchUnavailableError);
  });
});
