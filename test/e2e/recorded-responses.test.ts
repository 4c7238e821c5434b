import { expect } from 'chai';
import { responsesOf, startRecordedMarket } from '../contract/recorded/recording.ts';
import { recordedRequests } from '../contract/recorded/requests.ts';
import { differences, storeRecording } from '../contract/recorded/stored-recording.ts';
import type { QueryDeployment } from '../support/query-service.ts';

const SHOWN = 20;

/**
 * Compares the responses to ordinary requests with the recorded ones. After an intended change, record them
 * again: `RECORD_RESPONSES=1 npm run test:file -- test/e2e/recorded-responses.test.ts` (CONTRIBUTING.md).
 */
describe('recorded responses', () => {
  let deployment: QueryDeployment;

  before(async () => {
    deployment = await startRecordedMarket();
  });
  after(() => deployment?.close());

  it('are byte-identical except for the time at which they were generated', async () => {
    const requests = recordedRequests();
    expect(requests.length).to.be.at.least(500);
    const responses = await responsesOf(deployment.origin, requests);
    const found = differences(responses);
    const report = found.slice(0, SHOWN).join('\n\n');
    if (process.env['RECORD_RESPONSES'] === '1') {
      storeRecording(responses);
      console.log(`Recorded ${responses.size} responses; ${found.length} differ:\n\n${report}`);
      return;
    }
    expect(
      found.length,
      `${found.length} of ${responses.size} responses differ. If this change is intended, record them again ` +
        `(CONTRIBUTING.md, "Recorded responses").\n\n${report}`,
    ).to.equal(0);
  });
});
