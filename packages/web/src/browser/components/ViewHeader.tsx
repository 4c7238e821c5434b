import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { changePreferences, usePreferences, useTexts } from './preferences.ts';
import { ThemeSelect } from './ThemeSelect.tsx';
import { bilingual } from './words/glossary.ts';

const TEXTS = bilingual({
  views: ['Views of Vitrine', 'Páginas do Vitrine'],
  language: ['Language', 'Idioma'],
});

export interface ViewLink {
  label: string;
  href: string;
  isCurrent?: boolean;
}

/** The bar at the top of every view: product, links, language and theme. */
export function ViewHeader({
  links,
  children,
}: {
  links: readonly ViewLink[];
  children?: ComponentChildren;
}) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const nav = useRef<HTMLElement>(null);
  const current = links.find(({ isCurrent }) => isCurrent)?.href;
  // On a narrow screen, the links scroll, and the current one must be visible.
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (nav.current && link) nav.current.scrollLeft = link.offsetLeft - nav.current.offsetLeft;
  }, [current, language]);
  return (
    <header class="bar">
      <span class="brand">Vitrine</span>
      <nav aria-label={texts.views} ref={nav}>
        {links.map(({ label, href, isCurrent }) => (
          <a key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      {children}
      <div class="row preferences">
        <button
          type="button"
          class="button compact quiet"
          aria-label={`${texts.language}: ${language === 'en' ? 'Português (Brasil)' : 'English'}`}
          onClick={() => changePreferences({ language: language === 'en' ? 'pt-BR' : 'en' })}
        >
          {language === 'en' ? 'Português' : 'English'}
        </button>
        <ThemeSelect />
      </div>
    </header>
  );
}
