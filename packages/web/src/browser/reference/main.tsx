import '../components/base.css';
import './reference.css';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { PublicHeader, type PublicView } from '../components/PublicHeader.tsx';
import { usePreferences, useTexts } from '../components/preferences.ts';
import { mountScalar } from './scalar.ts';

const TEXTS = {
  en: { note: '' },
  'pt-BR': { note: 'As descrições da API estão em inglês.' },
};

const { view = 'reference', feeds = './', scalar = '' } = document.documentElement.dataset;
const base = new URL(feeds, location.href).href;

/** The API reference below its header. */
function Reference() {
  const { note } = useTexts(TEXTS);
  const { theme } = usePreferences();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current) void mountScalar(place.current, { script: scalar, base, theme });
  }, [theme]);
  return (
    <>
      <PublicHeader current="reference" feeds={base} />
      {note !== '' && <p class="language-note small soft">{note}</p>}
      <main>
        <div ref={place} />
      </main>
    </>
  );
}

/** Shows the guide in the chosen language. The page contains all languages, so that it needs no script. */
function Guide({ guides }: { guides: readonly HTMLElement[] }) {
  const { language } = usePreferences();
  useEffect(() => {
    for (const guide of guides) guide.hidden = guide.lang !== language;
  }, [language]);
  return <PublicHeader current={view as PublicView} feeds={base} />;
}

const app = document.getElementById('app');
if (app) {
  app.replaceChildren();
  const guides = [...document.querySelectorAll<HTMLElement>('article[lang]')];
  render(view === 'reference' ? <Reference /> : <Guide guides={guides} />, app);
}
