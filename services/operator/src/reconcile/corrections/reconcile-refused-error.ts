/** The command refuses to correct the feed. It has published and written no correction. */
export class ReconcileRefusedError extends Error {
  override readonly name = 'ReconcileRefusedError';
}
