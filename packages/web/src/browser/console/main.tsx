import '../components/base.css';
import './console.css';
import { render } from 'preact';
import { App } from './App.tsx';
import { takeToken } from './api.ts';

takeToken();
const app = document.getElementById('app');
if (app) {
  app.replaceChildren();
  render(<App />, app);
}
