import { AD_TYPE_NAMES, AD_TYPES, type AdType } from '@vitrine/feed-index/ad-types';
import { type Facet, FILTERS } from '@vitrine/feed-index/filters';
import { useEffect, useState } from 'preact/hooks';
import { count } from '../../components/format.ts';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import { Tabs } from '../../components/Tabs.tsx';
import type { FacetValue } from '../mcp-tools.ts';
import { queryOf, type SearchState } from '../search-state.ts';
import { TEXTS } from '../texts.ts';

export interface AdTypeTabsProps {
  state: SearchState;
  suggest(facet: Facet, query: string, signal: AbortSignal): Promise<FacetValue[]>;
  onChange(adType: AdType | undefined): void;
}

/** The kinds of offers as tabs, with the number of listings that match the other filters. */
export function AdTypeTabs({ state, suggest, onChange }: AdTypeTabsProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const [counts, setCounts] = useState<Record<string, number>>();
  const { page: _, cursor: _cursor, ad_type: _adType, ...filters } = state;
  const key = queryOf(filters);
  useEffect(() => {
    const leaving = new AbortController();
    suggest('ad_type', '', leaving.signal).then(
      (values) => setCounts(Object.fromEntries(values.map(({ value, count: total }) => [value, total]))),
      // The tabs work without their counts.
      () => leaving.signal.aborted || setCounts(undefined),
    );
    return () => leaving.abort();
  }, [key]);
  return (
    <Tabs
      label={FILTERS.ad_type.label?.[language] ?? ''}
      controls="results"
      value={state.ad_type ?? 'all'}
      tabs={(['all', ...AD_TYPE_NAMES] as const).map((value) => {
        const total = counts && (value === 'all' ? sumOf(counts) : (counts[value] ?? 0));
        const label = value === 'all' ? texts.allAdTypes : AD_TYPES[value].tab[language];
        return { value, label: total === undefined ? label : `${label} (${count(total, language)})` };
      })}
      onChange={(value) => onChange(value === 'all' ? undefined : value)}
    />
  );
}

const sumOf = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, total) => sum + total, 0);
