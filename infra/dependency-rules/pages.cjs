/**
 * The rules of packages/web. Code for browsers imports only Preact and itself. The views know the components, and the
 * components know no view.
 */
const WEB = 'packages/web/src';
const TESTS = '\\.test\\.ts$';
/** The tables that the explorer shares with the service. They import nothing else. */
const TABLES = '^packages/feed-index/src/(ad-types|filters)\\.ts$';
const PREACT = '(^|/)node_modules/preact/';

const folder = (name, path, allowed) => ({
  name,
  severity: 'error',
  from: { path: `^${path}/`, pathNot: TESTS },
  to: { pathNot: [`^${path}/`, ...allowed] },
});

/** The same rule for the files directly in a folder. */
const files = (name, path, allowed) => ({
  name,
  severity: 'error',
  from: { path: `^${path}/[^/]+$`, pathNot: TESTS },
  to: { pathNot: [`^${path}/[^/]+$`, ...allowed] },
});

const COMPONENTS = `${WEB}/browser/components`;

module.exports = [
  files('web-build', 'packages/web', [
    '^(node:)?(crypto|fs|path|url)$',
    '(^|/)node_modules/(esbuild|marked)/',
  ]),
  files('web-index', WEB, [`^${WEB}/pages/`]),
  files('web-browser', `${WEB}/browser`, []),
  folder('web-components', COMPONENTS, [PREACT]),
  folder('web-explorer', `${WEB}/browser/explorer`, [`^${COMPONENTS}/`, PREACT, TABLES]),
  ...['console', 'reference'].map((view) =>
    folder(`web-${view}`, `${WEB}/browser/${view}`, [`^${COMPONENTS}/`, PREACT]),
  ),
  folder('web-charts', `${COMPONENTS}/charts`, [`^${COMPONENTS}/[^/]+$`, PREACT]),
  folder('web-pages', `${WEB}/pages`, ['^(node:)?(fs|path)$']),
  {
    name: 'web-for-services',
    comment: 'The services import the files and the HTML of the pages, never their code.',
    severity: 'error',
    from: { path: '^(services|demo)/' },
    to: { path: `^${WEB}/browser/` },
  },
];
