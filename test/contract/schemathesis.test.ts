import { generateItems, TODAY } from '@vitrine/fixtures';
import { expect } from 'chai';
import { createChangesIndex, deleteChanges, writeEntries } from '../support/changes-index.ts';
import { type QueryDeployment, startQuery } from '../support/query-service.ts';
import { findSchemathesis, runSchemathesis } from './schemathesis.ts';

const isFull = process.env.VITRINE_FULL === '1';
/** Number of generated cases per operation, besides the cases that test the bounds of parameters. */
const EXAMPLES = isFull ? 1_500 : 25;
const LEAST_CASES = isFull ? 5_000 : 300;

/** Tests the service against its own OpenAPI document. `VITRINE_FULL=1` generates thousands of cases. */
describe('contract: Schemathesis', () => {
  let deployment: QueryDeployment;
  let schemathesis: string;

  before(async function () {
    const found = await findSchemathesis();
    if ('missing' in found) {
      process.stderr.write(
        `# skipped: Schemathesis is not available, so it does not test the contract. ${found.missing}\n`,
      );
      return this.skip();
    }
    schemathesis = found.path;
    deployment = await startQuery({ env: { FEED_TODAY: TODAY, RATE_LIMIT: 'off' } });
    const items = generateItems(400);
    await deployment.createIndex(items);
    const { elasticsearch, prefix } = deployment;
    await createChangesIndex(elasticsearch, prefix, 1, 1);
    const entries = items.map(({ id }) => [id, 'updated'] as const);
    await writeEntries(elasticsearch, prefix, 1, entries);
  });
  after(async () => {
    if (!deployment) return;
    await deleteChanges(deployment.elasticsearch, deployment.prefix);
    await deployment.close();
  });

  it('finds no responses that differ from the OpenAPI document', async () => {
    const seed = Number(process.env.VITRINE_SEED ?? 1);
    const { code, output } = await runSchemathesis(schemathesis, `${deployment.origin}/api/openapi.json`, {
      examples: EXAMPLES,
      seed,
    });
    const counted = (what: string) =>
      Number(new RegExp(`cases: (\\d+) ${what}$`, 'm').exec(output)?.[1] ?? 0);
    if (isFull) process.stderr.write(output.slice(output.indexOf('= SUMMARY')));
    expect(code, output.slice(-50_000)).to.equal(0);
    expect(counted('valid') + counted('invalid')).to.be.at.least(LEAST_CASES);
  }).timeout(isFull ? 3_600_000 : 900_000);
});
