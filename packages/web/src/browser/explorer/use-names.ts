import { listValues } from '@vitrine/feed-index/filters';
import { useLayoutEffect, useState } from 'preact/hooks';
import { readFacet } from './mcp-tools.ts';
import { isNamed, learnNames, type NamedFacet, onNewNames } from './names.ts';
import { useRetried } from './use-retried.ts';

/**
 * Learns the names of all categories and of the requested cities. Renders the component again when the page
 * learns a name.
 * @param city the filter, possibly a list
 */
export function useNames(city: string | undefined): void {
  const [, setLearned] = useState(0);
  useLayoutEffect(() => onNewNames(() => setLearned((times) => times + 1)), []);
  const learn = async (facet: NamedFacet, query: string, signal: AbortSignal) =>
    learnNames(facet, await readFacet(facet, { feed: 'public-feed' }, query, signal));
  const categories = ['category', 'sub_category'] as const;
  useRetried('categories', (signal) => Promise.all(categories.map((facet) => learn(facet, '', signal))));
  useRetried(city, (signal) =>
    Promise.all(
      listValues(city ?? '')
        .filter((value) => !isNamed('city', value))
        .map((value) => learn('city', value, signal)),
    ),
  );
}
