import { expect } from 'chai';
import { mavenReason } from './maven.ts';

const LOG = `\u001b[0m[INFO] --- maven-enforcer-plugin:3.5.0:enforce (verify elasticsearch) @ engines ---
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal enforce (verify elasticsearch) on project engines:\u0020
[ERROR] sha512 hash of elasticsearch.zip was 1 but expected 2
[ERROR] -> [Help 1]
[ERROR]\u0020
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
[ERROR] Re-run Maven using the -X switch to enable full debug logging.
[ERROR]\u0020
[ERROR] For more information about the errors and possible solutions, please read the following articles:
[ERROR] [Help 1] about:blank
`;

describe('the reason why Maven failed', () => {
  it('consists of its errors without its advice', () => {
    expect(mavenReason(LOG)).to.equal(
      'Failed to execute goal enforce (verify elasticsearch) on project engines:\nsha512 hash of ' +
        'elasticsearch.zip was 1 but expected 2',
    );
    expect(mavenReason('[ERROR] Unknown host -> [Help 1]\n')).to.equal('Unknown host');
  });

  it('is the end of its log if it has no errors', () => {
    expect(mavenReason('Error: JAVA_HOME is not defined correctly.\n')).to.equal(
      'Error: JAVA_HOME is not defined correctly.',
    );
  });
});
