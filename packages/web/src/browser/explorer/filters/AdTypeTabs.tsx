import { AD_TYPE_NAMES, AD_TYPES, type AdType } from '@vitrine/feed-index/ad-types';
import { FILTERS } from '@vitrine/feed-index/filters';
import { Tabs } from '../../components/Tabs.tsx';
import { readFacet } from '../mcp-tools.ts';
import { queryOf, type SearchState } from '../search-state.ts';
import { useRetried } from '../use-retried.ts';
import { useWords } from '../use-words.ts';

export interface AdTypeTabsProps {
  state: SearchState;
  /** The number of listings on the chosen tab, if it is known. The tab shows the same number. */
  total: number | undefined;
  onChange(adType: AdType | undefined): void;
}

/** The kinds of offers as tabs, with the number of listings that match the other filters. */
export function AdTypeTabs({ state, total, onChange }: AdTypeTabsProps) {
  const { texts, language, number } = useWords();
  const { page: _, cursor: _cursor, ad_type: chosen, sort: _sort, ...filters } = state;
  const { value: values } = useRetried(queryOf(filters), (signal) => readFacet('ad_type', state, '', signal));
  const counts = values && new Map(values.map(({ value, count }) => [value, count]));
  if (counts && chosen !== undefined && total !== undefined) counts.set(chosen, total);
  const sum = counts && [...counts.values()].reduce((all, count) => all + count, 0);
  return (
    <Tabs
      label={FILTERS.ad_type.label?.[language] ?? ''}
      controls="results"
      value={chosen ?? 'all'}
      tabs={(['all', ...AD_TYPE_NAMES] as const).map((value) => {
        const everything = chosen === undefined ? (total ?? sum) : sum;
        const count = value === 'all' ? everything : counts && (counts.get(value) ?? 0);
        return {
          value,
          label: value === 'all' ? texts.allAdTypes : AD_TYPES[value].tab[language],
          count: count === undefined ? '' : `(${number(count)})`,
        };
      })}
      onChange={(value) => onChange(value === 'all' ? undefined : value)}
    />
  );
}
