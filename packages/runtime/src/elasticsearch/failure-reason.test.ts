import { errors } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { failureReason } from './failure-reason.ts';

/** An error as the client creates it from a response. */
const response = (statusCode: number, body: unknown) =>
  new errors.ResponseError({ statusCode, body } as unknown as ConstructorParameters<
    typeof errors.ResponseError
  >[0]);

describe('failureReason', () => {
  it('names the status of a response without a body, as Elasticsearch answers 413', () => {
    expect(failureReason(response(413, ''))).to.equal('HTTP status 413, and the response has no text');
  });
  it('reads the text of an HTML page, as nginx answers', () => {
    const page =
      '<html>\r\n<head><title>413 Request Entity Too Large</title><style>b { color: red }</style></head>' +
      '\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr>nginx</body></html>';
    expect(failureReason(response(413, page))).to.equal(
      'HTTP status 413: 413 Request Entity Too Large 413 Request Entity Too Large nginx',
    );
  });
  it("contains Elasticsearch's error", () => {
    const error = { type: 'security_exception', reason: 'no', root_cause: [{ type: 'a', reason: 'b' }] };
    expect(failureReason(response(403, { error }))).to.equal(
      'HTTP status 403: security_exception Root causes: a: b',
    );
  });
  it('has one line without control characters, and ends after 400 characters', () => {
    const reason = failureReason(response(502, `\u001b[31m${'long '.repeat(1_000)}`));
    expect(reason).to.have.length.below(430);
    expect(reason).to.match(/^HTTP status 502: \[31mlong long .*…$/);
  });
  it('keeps the message of every other error', () => {
    expect(failureReason(new Error('suspended\n1'))).to.equal('suspended\n1');
    expect(failureReason(new errors.TimeoutError(''))).to.equal('TimeoutError');
    expect(failureReason('text')).to.equal('text');
  });
});
