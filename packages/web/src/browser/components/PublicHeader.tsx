import type { ComponentChildren } from 'preact';
import { useTexts } from './preferences.ts';
import { ViewHeader } from './ViewHeader.tsx';

const TEXTS = {
  en: { explorer: 'Explorer', reference: 'API reference', crawlers: 'For crawlers', agents: 'For agents' },
  'pt-BR': {
    explorer: 'Explorador',
    reference: 'Referência da API',
    crawlers: 'Para rastreadores',
    agents: 'Para agentes',
  },
};

/** The path of the reference, below the base path. */
const DOCS = 'docs';

export type PublicView = keyof (typeof TEXTS)['en'];

export interface PublicHeaderProps {
  current: PublicView;
  /** The absolute URL of the base path, with a slash at its end. */
  feeds: string;
  children?: ComponentChildren;
}

/** The bar of the pages that the query service serves. */
export function PublicHeader({ current, feeds, children }: PublicHeaderProps) {
  const texts = useTexts(TEXTS);
  const paths: Record<PublicView, string> = {
    explorer: '',
    reference: DOCS,
    crawlers: `${DOCS}/crawlers`,
    agents: `${DOCS}/agents`,
  };
  return (
    <ViewHeader
      links={(Object.keys(paths) as PublicView[]).map((view) => ({
        label: texts[view],
        href: `${feeds}${paths[view]}`,
        isCurrent: view === current,
      }))}
    >
      {children}
    </ViewHeader>
  );
}
