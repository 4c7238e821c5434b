/** Elasticsearch limits ids to this number of bytes. */
const MAX_ID_BYTES = 512;

/** Returns whether a listing can have the id. Elasticsearch would reject any other id. */
export const isPossibleId = (id: string): boolean =>
  id !== '' && id.isWellFormed() && Buffer.byteLength(id) <= MAX_ID_BYTES;
