import '../components/base.css';
import './docs.css';
import { render } from 'preact';
import { CopyButton } from '../components/CopyButton.tsx';
import { changePreferences, type Language } from '../components/preferences.ts';
import { ThemeSelect } from '../components/ThemeSelect.tsx';
import { Search } from './Search.tsx';
import { SendForm } from './SendForm.tsx';

const { base = './', index = '' } = document.documentElement.dataset;
const feeds = new URL(base, location.href).href;

/** Returns the place that the page has reserved for a control that needs scripts. */
const place = (id: string) => document.getElementById(id);

const theme = place('theme');
if (theme) render(<ThemeSelect />, theme);
const search = place('search');
if (search) render(<Search index={index} base={feeds} />, search);

/** The style shows both lists on wide screens anyway. This code also informs assistive technology. */
for (const [list, width] of [
  ['.site-nav', 900],
  ['.toc', 1_200],
] as const) {
  const element = document.querySelector<HTMLDetailsElement>(list);
  const isWide = matchMedia(`(min-width: ${width}px)`);
  const adapt = () => {
    if (element) element.open = isWide.matches;
  };
  adapt();
  isWide.addEventListener('change', adapt);
}

const current = document.querySelector<HTMLElement>('.site-nav [aria-current]');
const pages = current?.closest<HTMLElement>('.site-nav');
// The list of pages scrolls separately on wide screens.
if (current && pages) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;

for (const bar of document.querySelectorAll<HTMLElement>('.example-bar')) {
  const name = bar.textContent ?? '';
  const code = bar.nextElementSibling?.textContent ?? '';
  bar.replaceChildren();
  render(
    <>
      <span>{name}</span>
      <CopyButton text={code.trimEnd()} what={name} />
    </>,
    bar,
  );
}

for (const link of document.querySelectorAll<HTMLAnchorElement>('.preferences a[hreflang]'))
  link.addEventListener('click', () => {
    // The headings have the same ids in both languages.
    link.hash = location.hash;
    changePreferences({ language: link.hreflang as Language });
  });

const form = document.querySelector<HTMLFormElement>('.send form');
const send = place('send');
if (form && send) render(<SendForm form={form} />, send);
