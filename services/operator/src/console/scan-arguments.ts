import type { ListKind } from '../listings/listed.ts';

/**
 * The command-line arguments for a read, or the reason why the parameters are wrong. `printsLines` means that
 * the command prints one JSON document per line.
 */
export type ScanArguments = { argv: string[]; printsLines?: true } | { problem: string };

const FILTERS = ['reason', 'key', 'cause', 'since', 'until'] as const;
const LISTS: readonly string[] = ['hidden', 'dropped', 'superseded', 'dead-letters'] satisfies ListKind[];
const LIST_FILTERS = ['source', 'containing', 'after'] as const;
/** The limit in characters. It is longer than any listing id and any reason. */
const MAX_TEXT = 2_000;

/**
 * Converts a read to a command that scans a topic or an index. Every value is one word after `=` or `--`, so
 * it cannot become an option. Pure.
 * @returns undefined if the path does not stand for a read
 */
export function scanArguments(path: string, query: URLSearchParams): ScanArguments | undefined {
  for (const [name, value] of query)
    if (value.length > MAX_TEXT) return { problem: `${name} must have at most ${MAX_TEXT} characters` };
  const text = (name: string): string | undefined => query.get(name) ?? undefined;
  const options = (names: readonly string[]) =>
    names.flatMap((name) => {
      const value = text(name);
      return value === undefined || value === '' ? [] : [`--${name}=${value}`];
    });
  const filters = options(FILTERS);
  const ref = text('ref');
  const position = ref === undefined || ref === '' ? [] : ['--', ref];
  switch (path) {
    case '/api/explain': {
      const id = text('id');
      if (id === undefined || id === '') return { problem: 'the parameter id is required' };
      const history = query.get('history') === 'true' ? ['--history'] : [];
      return { argv: ['explain', ...history, '--', id] };
    }
    case '/api/listings': {
      const list = text('list') ?? '';
      if (!LISTS.includes(list)) return { problem: `list must be one of ${LISTS.join(', ')}` };
      const limit = limitOf(text('limit') ?? '100');
      if (limit === undefined) return { problem: WRONG_LIMIT };
      const name = text('name') ?? '';
      const chosen = name === '' ? `--${list}` : `--${list}=${name}`;
      return { argv: ['listings', chosen, ...options(LIST_FILTERS), limit], printsLines: true };
    }
    case '/api/dead-letters': {
      const limit = limitOf(text('limit') ?? '50');
      if (limit === undefined) return { problem: WRONG_LIMIT };
      const all = query.get('all') === 'true' ? ['--all'] : [];
      return { argv: ['dead-letters', 'list', ...filters, limit, ...all] };
    }
    case '/api/dead-letters/show':
      if (position.length === 0) return { problem: 'the parameter ref is required' };
      return { argv: ['dead-letters', 'show', ...position] };
    case '/api/dead-letters/retry':
      return { argv: ['dead-letters', 'retry', '--dry-run', ...filters, ...position] };
    case '/api/reconciliation':
      return { argv: ['reconciliation'] };
    case '/api/reconciliation/corrections':
      return { argv: ['reconciliation', '--corrections'], printsLines: true };
    case '/api/verify-self': {
      const generation = text('generation');
      const number = generation === undefined ? [] : ['--', generation];
      return { argv: ['verify', '--self', '--dry-run', ...number] };
    }
    default:
      return undefined;
  }
}

const WRONG_LIMIT = 'limit must be an integer from 1 to 9999';

const limitOf = (text: string): string | undefined =>
  /^[1-9]\d{0,3}$/.test(text) ? `--limit=${text}` : undefined;
