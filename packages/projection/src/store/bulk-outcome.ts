import type { estypes } from '@elastic/elasticsearch';

/**
 * The result of a bulk entry. `done`: written, or nothing to delete. `conflict`: the index holds a version
 * that this write must not replace. `rejected`: the index will never accept this document. `unavailable`: any
 * other error. The cause of such an error is the state of the cluster, which can be temporary. Therefore the
 * projector retries and does not give up on the record.
 */
export type BulkOutcome = 'done' | 'conflict' | 'rejected' | 'unavailable';

/** The types of errors that a document's content causes. */
const DOCUMENT_FAULTS = new Set([
  'document_parsing_exception',
  'mapper_parsing_exception',
  'strict_dynamic_mapping_exception',
  'x_content_parse_exception',
]);

/**
 * Classifies one entry in a bulk response. `writeBulk` gives the status 413 to an entry that is too large for
 * any request.
 */
export function classify(entry: estypes.BulkResponseItem): BulkOutcome {
  if (entry.status >= 200 && entry.status < 300) return 'done';
  if (entry.status === 404 && !entry.error) return 'done';
  if (entry.status === 409 && entry.error?.type === 'version_conflict_engine_exception') return 'conflict';
  if (entry.status === 413) return 'rejected';
  if (entry.status === 400 && isDocumentFault(entry.error)) return 'rejected';
  return 'unavailable';
}

/**
 * Elasticsearch reports an immense term and an alias without a write index with the same error type. Only the
 * reason differs.
 */
function isDocumentFault(error: estypes.ErrorCause | undefined): boolean {
  if (!error) return false;
  return (
    DOCUMENT_FAULTS.has(error.type) ||
    (error.type === 'illegal_argument_exception' && /immense term|nested documents/.test(error.reason ?? ''))
  );
}
