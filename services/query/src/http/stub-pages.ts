import { UnreadBodies } from './limits/unread-bodies.ts';
import type { FeedPages } from './routes.ts';

/** The source of the feeds' pages in tests: one client without a rate limit, and no cache. */
export const stubPages = (read: FeedPages['read']): FeedPages => ({
  read,
  accountOf: () => ({ client: '', charge: () => undefined, settle: () => undefined }),
  cacheControl: 'public, max-age=7',
  unread: new UnreadBodies(
    1_000_000,
    () => undefined,
    () => '',
  ),
  onServed: () => undefined,
});
