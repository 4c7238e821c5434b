/**
 * Test files that `npm run test:matrix` runs on each pair of engine versions. They exercise every API of Kafka
 * and Elasticsearch that the product uses. docs/operate/versions.md lists the same files.
 */
export const ENGINE_FILES = [
  // packages/engines on these versions, and users, roles, ACLs and TLS
  'e2e/engines',
  'e2e/security',
  // consumer and topics
  'e2e/topics',
  'e2e/parallel-partitions',
  'e2e/more-partitions',
  'e2e/recreated-topic',
  'e2e/resume-after-retention',
  'faults/dead-letters',
  'faults/kafka-trouble',
  // states, items, generations
  'e2e/several-nodes',
  'e2e/lost-removals',
  'e2e/replay',
  'e2e/self-check',
  'faults/kills',
  'faults/resurrection',
  'faults/elasticsearch-trouble',
  // searches
  'e2e/query-contract',
  'e2e/query-paging',
  'e2e/query-outage',
  // changes and export
  'e2e/changes-entries',
  'e2e/changes-write-order',
  'e2e/query-changes',
  'e2e/query-export',
] as const;

/** Besides the unit tests, these files run on each version of Node. */
export const NODE_FILES = [
  'e2e/parallel-partitions',
  'e2e/replay',
  'e2e/query-contract',
  'e2e/query-outage',
  'e2e/query-changes',
  'e2e/query-export',
  'faults/shutdown',
] as const;
