/**
 * Scalar's style follows the tokens of the other views. Its own colors for methods, numbers and notes have less
 * contrast than WCAG 2.2 (1.4.3) requires on our backgrounds.
 */
export const SCALAR_STYLE = `
.light-mode, .dark-mode {
  --scalar-font: var(--font);
  --scalar-font-code: var(--font-mono);
  --scalar-color-1: var(--text);
  --scalar-color-2: var(--text-soft);
  --scalar-color-3: var(--text-soft);
  --scalar-color-accent: var(--accent);
  --scalar-color-blue: var(--accent);
  --scalar-color-green: var(--good);
  --scalar-color-orange: var(--warn);
  --scalar-color-yellow: var(--warn);
  --scalar-color-red: var(--bad);
  --scalar-color-purple: var(--accent-strong);
  --scalar-background-1: var(--surface);
  --scalar-background-2: var(--surface-sunken);
  --scalar-background-3: var(--surface-sunken);
  --scalar-border-color: var(--border);
  --scalar-sidebar-background-1: var(--background);
}
/* Each example has a list of its own with the three languages, and this one would hide JavaScript under "More". */
.scalar-reference-intro-clients {
  display: none;
}
/* A deprecated parameter already has a label, and is otherwise too pale to read. */
.scalar-app .property--deprecated .property-heading,
.scalar-app .property--deprecated .property-description {
  opacity: 1;
}
/* The page around the reader has the title and the description of the interface. */
.scalar-app .introduction-section {
  display: none;
}
.scalar-app .section {
  padding-block: var(--space-4);
}
`;
