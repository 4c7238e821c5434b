/** The style sheet of the API reference: light and dark colour schemes, system fonts. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8); }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; padding: 1rem 1.25rem 4rem; max-width: 62rem; }
h1 { line-height: 1.2; }
h1 small { font-size: 0.55em; font-weight: 400; opacity: 0.7; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin-top: 2rem; }
h3, article { scroll-margin-top: 1rem; }
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0.5rem 0; }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; background: var(--soft); border-radius: 4px; }
code { padding: 0.1em 0.3em; overflow-wrap: anywhere; }
pre { padding: 0.75rem; overflow: auto; max-height: 26rem; }
.wide { overflow-x: auto; }
td:first-child code { white-space: nowrap; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); }
.tag { font-size: 0.75em; border: 1px solid var(--line); border-radius: 4px; padding: 0 0.35em; white-space: nowrap; }
summary { cursor: pointer; }
`;
