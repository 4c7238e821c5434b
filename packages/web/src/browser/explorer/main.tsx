import '../components/base.css';
import './explorer.css';
import './filters/filters.css';
import './detail/detail.css';
import { render } from 'preact';
import { Explorer } from './Explorer.tsx';

const { feeds = './', mcp = './mcp' } = document.documentElement.dataset;
const app = document.getElementById('app');
if (app) {
  app.replaceChildren();
  render(
    <Explorer
      addresses={{ feeds: new URL(feeds, location.href).href, mcp: new URL(mcp, location.href).href }}
    />,
    app,
  );
}
