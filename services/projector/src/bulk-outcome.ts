import type { estypes } from '@elastic/elasticsearch';

/**
 * What a bulk entry's result means: `done` (also a deletion that found nothing), `conflict` (a newer
 * version is there), `record` (this one document can never be taken), `system` (anything else: the
 * state of the cluster, which passes, so nothing may be given up because of it).
 */
export type BulkOutcome = 'done' | 'conflict' | 'record' | 'system';

/** The types by which Elasticsearch says that a document's content is at fault. */
const DOCUMENT_FAULTS = new Set([
  'document_parsing_exception',
  'mapper_parsing_exception',
  'strict_dynamic_mapping_exception',
  'x_content_parse_exception',
]);

/** Classifies one entry of a bulk response. */
export function classify(entry: estypes.BulkResponseItem): BulkOutcome {
  if (entry.status >= 200 && entry.status < 300) return 'done';
  if (entry.status === 404 && !entry.error) return 'done';
  if (entry.status === 409 && entry.error?.type === 'version_conflict_engine_exception') return 'conflict';
  if (entry.status === 400 && isDocumentFault(entry.error)) return 'record';
  return 'system';
}

/** An immense term is an illegal_argument_exception, and so is an alias without a write index: the reason tells them apart. */
function isDocumentFault(error: estypes.ErrorCause | undefined): boolean {
  if (!error) return false;
  return DOCUMENT_FAULTS.has(error.type) || (error.type === 'illegal_argument_exception' && /immense term|nested documents/.test(error.reason ?? ''));
}
