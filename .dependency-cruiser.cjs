/** The rules for the direction of imports. ARCHITECTURE.md, "Direction", explains them. */
module.exports = {
  forbidden: [
    ...require('./infra/dependency-rules.cjs'),
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      // The oracle shares no code with the product, so that a mistake in a rule cannot appear on both sides
      // of a comparison. It may import the event schema, because the schema is the contract. The
      // tests of the oracle compare it with the product.
      name: 'the-oracle-shares-no-code',
      severity: 'error',
      from: { path: '^test/support/oracle/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(packages|services|demo|bench|scripts|test)/',
        pathNot: '^(test/support/oracle/|packages/listing-events/src/listing-event\\.schema\\.json$)',
      },
    },
    {
      name: 'the-equality-shares-no-code',
      comment: 'It compares the feed with a database over HTTP and SQL, by the rules of the oracle.',
      severity: 'error',
      from: { path: '^test/support/equality/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(packages|services|demo|bench|scripts|test)/',
        pathNot: '^test/support/(equality|oracle)/',
      },
    },
    {
      name: 'the-oracle-of-the-bench-shares-no-code',
      comment: 'The questions of the bench contain its expected answers. The same reason applies.',
      severity: 'error',
      from: { path: '^bench/agents/(oracle/|questions/|question\\.ts$)', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(packages|services|demo|bench|scripts|test)/|node_modules/',
        pathNot: '^bench/agents/(oracle/|questions/|question\\.ts$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '(\\.d\\.m?ts|\\.test\\.ts|\\.(c|m)?js|\\.json)$' },
      to: {},
    },
    {
      name: 'no-unlisted-package',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    // These programs run in another folder, with packages that the repository does not have.
    exclude: { path: '^test/faults/foreign-clients/.*\\.mjs$' },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
};
