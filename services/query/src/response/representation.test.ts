import { expect } from 'chai';
import { represent } from './representation.ts';

const item = (id: number) => [Buffer.from(`{"id":"${id}"`), Buffer.from('}')];
const content = {
  data: [item(1), item(2)],
  meta: { page: 1, pageSize: 20, pageCount: 0, total: 0, endpoint: 'ai-feed' },
};

describe('representation', () => {
  it('contains the content and its creation time', () => {
    expect(JSON.parse(represent(content, new Date('2026-12-01T12:00:00Z')).body.toString())).to.deep.equal({
      data: [{ id: '1' }, { id: '2' }],
      meta: { ...content.meta, generatedAt: '2026-12-01T12:00:00.000Z' },
    });
  });

  it('has a weak entity tag that depends on the content but not on the time', () => {
    const { etag } = represent(content, new Date(0));
    expect(represent(content, new Date()).etag).to.equal(etag);
    expect(represent({ ...content, meta: { ...content.meta, page: 2 } }, new Date(0)).etag).not.to.equal(
      etag,
    );
    expect(represent({ ...content, data: [item(1)] }, new Date(0)).etag).not.to.equal(etag);
  });

  it('can be empty', () =>
    expect(JSON.parse(represent({ ...content, data: [] }, new Date()).body.toString())).to.deep.include({
      data: [],
    }));

  it('keeps the link header', () => {
    expect(represent(content, new Date(), '<?page=2>; rel="next"').link).to.equal('<?page=2>; rel="next"');
    expect(represent(content, new Date())).not.to.have.property('link');
  });
});
