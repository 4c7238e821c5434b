import '../components/base.css';
import './reference.css';
import { render } from 'preact';
import type { PublicView } from '../components/PublicHeader.tsx';
import { Guide } from './Guide.tsx';
import { Reference } from './Reference.tsx';

const { view = 'reference', feeds = './', scalar = '' } = document.documentElement.dataset;
const base = new URL(feeds, location.href).href;

const app = document.getElementById('app');
if (app) {
  app.replaceChildren();
  const guides = [...document.querySelectorAll<HTMLElement>('article[lang]')];
  render(
    view === 'reference' ? (
      <Reference base={base} script={scalar} />
    ) : (
      <Guide view={view as PublicView} base={base} guides={guides} />
    ),
    app,
  );
}
