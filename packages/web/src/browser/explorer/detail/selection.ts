/** The listings that the page shows above its results. */
export interface Selection {
  /** The listing in the drawer. */
  listing?: string;
  /** The listings in the comparison, at most `MAX_COMPARED`. If it is empty, there is no comparison. */
  compare: readonly string[];
}

export const MAX_COMPARED = 3;

/** Reads the selection from the query string of the page's URL. No id contains a comma. */
export function selectionOf(query: string): Selection {
  const given = new URLSearchParams(query);
  const listing = given.get('listing');
  const ids = (given.get('compare') ?? '').split(',').filter((id) => id !== '');
  return { ...(listing && { listing }), compare: [...new Set(ids)].slice(0, MAX_COMPARED) };
}

/** Replaces the selection in a query string. @returns the query string, empty or with its `?` */
export function withSelection(query: string, { listing, compare }: Selection): string {
  const next = new URLSearchParams(query);
  next.delete('listing');
  next.delete('compare');
  if (compare.length > 0) next.set('compare', compare.join(','));
  if (listing !== undefined) next.set('listing', listing);
  // A comma needs no encoding in a query (RFC 3986 §3.4), and people read this query.
  const text = next.toString().replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}
