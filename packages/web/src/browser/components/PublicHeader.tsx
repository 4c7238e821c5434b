import type { ComponentChildren } from 'preact';
import { usePreferences, useTexts } from './preferences.ts';
import { ViewHeader } from './ViewHeader.tsx';

const TEXTS = {
  en: { explorer: 'Explorer', documentation: 'Documentation' },
  'pt-BR': { explorer: 'Explorador', documentation: 'Documentação' },
};

export interface PublicHeaderProps {
  /** The absolute URL of the base path, with a slash at its end. */
  feeds: string;
  children?: ComponentChildren;
}

/** The bar of the explorer. The documentation has the same one, which packages/web/src/site writes. */
export function PublicHeader({ feeds, children }: PublicHeaderProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const links = [
    { label: texts.explorer, href: feeds, isCurrent: true },
    { label: texts.documentation, href: `${feeds}docs${language === 'en' ? '' : `/${language}`}` },
  ];
  return <ViewHeader links={links}>{children}</ViewHeader>;
}
