import { expect } from 'chai';
import { namesEtag } from './etag.ts';
import { represent } from './representation.ts';

const content = { data: [], meta: { page: 1, pageSize: 20, pageCount: 0, total: 0, endpoint: 'ai-feed' } };

describe('representation', () => {
  it('is the content with the time it was made', () => {
    expect(JSON.parse(represent(content, new Date('2026-12-01T12:00:00Z')).body)).to.deep.equal({
      data: [],
      meta: { ...content.meta, generatedAt: '2026-12-01T12:00:00.000Z' },
    });
  });

  it('has a weak entity tag over the content alone', () => {
    const { etag } = represent(content, new Date(0));
    expect(etag).to.match(/^W\/"[\w-]{43}"$/);
    expect(represent(content, new Date()).etag).to.equal(etag);
    expect(represent({ ...content, meta: { ...content.meta, page: 2 } }, new Date(0)).etag).not.to.equal(etag);
  });
});

describe('If-None-Match', () => {
  it('names a tag in a list, weak or strong, or any', () => {
    for (const header of ['*', ' * ', 'W/"a"', '"a"', '"b", W/"a"', '"b","a"']) expect(namesEtag(header, 'W/"a"'), header).to.equal(true);
  });

  it('does not name another tag', () => {
    for (const header of [undefined, '', 'a', '"b"', 'W/"ab"', '"', '"a']) expect(namesEtag(header, 'W/"a"'), header).to.equal(false);
  });
});
