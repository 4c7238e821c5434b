export const VIEWS = [
  'overview',
  'rebuild',
  'listings',
  'explain',
  'dead-letters',
  'reconciliation',
] as const;
type View = (typeof VIEWS)[number];

/**
 * The content of the page. The URL's fragment names it, so that a link, a reload and the back button work.
 */
export interface Route {
  view: View;
  /** The listing of `explain`, or the position of a dead letter. */
  subject?: string;
  /** The filters of the view. */
  query: Record<string, string>;
}

/** Reads a fragment such as `#/explain/apt-1?history=true`. Pure. */
export function routeOf(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [name, subject] = path.split('/', 2);
  const query = Object.fromEntries(new URLSearchParams(search));
  const view = VIEWS.find((one) => one === name) ?? 'overview';
  const given = decoded(subject);
  return { view, query, ...(given && { subject: given }) };
}

/** Writes the fragment for a route. Pure. */
export function hashOf({
  view,
  subject,
  query = {},
}: Omit<Route, 'query'> & Partial<Pick<Route, 'query'>>): string {
  const path = view === 'overview' ? '' : view;
  const filters = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(filters).toString();
  return `#/${path}${subject ? `/${encodeURIComponent(subject)}` : ''}${search === '' ? '' : `?${search}`}`;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return text;
  }
}
