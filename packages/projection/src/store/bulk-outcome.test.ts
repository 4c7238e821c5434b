import { expect } from 'chai';
import { type BulkOutcome, classify } from './bulk-outcome.ts';

describe('classify', () => {
  const cases: [
    what: string,
    status: number,
    type: string | undefined,
    reason: string | undefined,
    outcome: BulkOutcome,
  ][] = [
    ['written', 200, undefined, undefined, 'done'],
    ['created', 201, undefined, undefined, 'done'],
    ['nothing to delete', 404, undefined, undefined, 'done'],
    ['a newer version exists', 409, 'version_conflict_engine_exception', 'x', 'conflict'],
    ['the document does not parse', 400, 'document_parsing_exception', 'x', 'rejected'],
    ['a field that the mapping does not know', 400, 'strict_dynamic_mapping_exception', 'x', 'rejected'],
    [
      'a term that is too long',
      400,
      'illegal_argument_exception',
      'Document contains at least one immense term in field="city"',
      'rejected',
    ],
    [
      'an alias without a write index',
      400,
      'illegal_argument_exception',
      'no write index is defined for alias [x]',
      'unavailable',
    ],
    ['the index is closed', 400, 'index_closed_exception', 'closed', 'unavailable'],
    ['the index is gone', 404, 'index_not_found_exception', 'no such index', 'unavailable'],
    ['a document that is too large for any request', 413, 'request_too_large', 'x', 'rejected'],
    ['the queue is full', 429, 'es_rejected_execution_exception', 'x', 'unavailable'],
    ['the disk is full', 429, 'cluster_block_exception', 'flood-stage watermark', 'unavailable'],
    [
      'the index is write-blocked',
      403,
      'cluster_block_exception',
      'FORBIDDEN/8/index write (api)',
      'unavailable',
    ],
    ['no permission', 403, 'security_exception', 'x', 'unavailable'],
    ['no shard', 503, 'unavailable_shards_exception', 'x', 'unavailable'],
    ['an unknown error', 418, 'teapot', 'x', 'unavailable'],
  ];
  for (const [what, status, type, reason, outcome] of cases)
    it(`${what}: ${outcome}`, () =>
      expect(
        classify({ _index: 'i', status, ...(type && { error: { type, ...(reason && { reason }) } }) }),
      ).to.equal(outcome));
});
