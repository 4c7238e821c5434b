import { expect } from 'chai';
import { commitMetadata, topicIdOfCommit } from './topic-id.ts';

describe('the metadata of a commit', () => {
  const ID = 'ABEiM0RVZneImaq7zN3u_w';

  it('names the topic of the offset', () => expect(topicIdOfCommit(commitMetadata(ID))).to.equal(ID));

  for (const metadata of [null, '', 'NONE', 'topic-id=', `topic-id=${ID}x`, `my topic-id=${ID}`])
    it(`of another program names none: ${metadata}`, () =>
      expect(topicIdOfCommit(metadata)).to.equal(undefined));
});
