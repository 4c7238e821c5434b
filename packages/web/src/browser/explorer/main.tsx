import '../components/base.css';
import './explorer.css';
import './filters/filters.css';
import './detail/detail.css';
import './map/map.css';
import { render } from 'preact';
import { Explorer } from './Explorer.tsx';

const app = document.getElementById('app');
if (app) {
  // The results that the service has rendered stay until the script has its own.
  const first = document.getElementById('first-results') ?? undefined;
  app.replaceChildren();
  render(<Explorer first={first} />, app);
}
