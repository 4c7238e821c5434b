import { expect } from 'chai';
import { clientRequestId } from './request-headers.ts';

describe('client request id', () => {
  it('accepts the ids that clients and proxies send', () => {
    for (const id of [
      'f47ac10b-58cc-4372-a567-0e02b2c3d479',
      'Root=1-67891233-abcdef012345678912345678',
      'a'.repeat(128),
    ])
      expect(clientRequestId(id)).to.equal(id);
  });

  it('refuses an id that is too long, empty, repeated, or unsafe in a log', () => {
    for (const id of [undefined, '', 'a'.repeat(129), 'one, two', 'a\tb', '{"a":1}', 'é', ['a', 'b']])
      expect(clientRequestId(id)).to.equal(undefined);
  });
});
