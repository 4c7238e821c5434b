import { expect } from 'chai';
import { createDeployment, type Deployment } from '../support/deployment.ts';
import { exampleOf, runExample } from '../support/package-readme.ts';

describe('the example in the README of a package that needs engines', () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await createDeployment('package-example');
  });
  after(() => deployment.close());

  for (const name of ['projection', 'engines', 'kafka'] as const)
    it(`${name} prints what the README states`, async () => {
      const example = exampleOf(name);
      expect(await runExample(example, deployment.env)).to.equal(example.output);
    });
});
