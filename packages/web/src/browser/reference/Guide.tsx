import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { CopyButton } from '../components/CopyButton.tsx';
import { PublicHeader, type PublicView } from '../components/PublicHeader.tsx';
import { usePreferences } from '../components/preferences.ts';

export interface GuideProps {
  view: PublicView;
  /** The absolute URL of the base path, with a slash at its end. */
  base: string;
  /** The guide in each language. */
  guides: readonly HTMLElement[];
}

/** Shows the guide in the chosen language. The page contains all languages, so that it needs no script. */
export function Guide({ view, base, guides }: GuideProps) {
  const { language } = usePreferences();
  useEffect(() => {
    for (const guide of guides) guide.hidden = guide.lang !== language;
    // The fragment names the section in English.
    const section = location.hash.slice(1);
    if (section !== '')
      document.getElementById(language === 'en' ? section : `${section}-${language}`)?.scrollIntoView();
  }, [language]);
  useEffect(() => {
    for (const example of guides.flatMap((guide) => [...guide.querySelectorAll('pre')]))
      addCopyButton(example);
  }, []);
  return <PublicHeader current={view} feeds={base} />;
}

/** The name of a language as `marked` writes it into the class of the code. */
const LANGUAGES: Record<string, string> = {
  'language-sh': 'Shell',
  'language-js': 'JavaScript',
  'language-python': 'Python',
};

/** Adds a bar with the name of the language and a button, which only work with scripts. */
function addCopyButton(example: HTMLElement): void {
  const code = example.querySelector('code');
  const language = LANGUAGES[code?.className ?? ''] ?? '';
  const bar = document.createElement('div');
  bar.className = 'example-bar small soft';
  const frame = document.createElement('div');
  frame.className = 'example';
  example.replaceWith(frame);
  frame.append(bar, example);
  render(
    <>
      <span>{language}</span>
      <CopyButton text={(code?.textContent ?? '').trimEnd()} what={language} />
    </>,
    bar,
  );
}
