/** Names a field of the form by its row, whose id is the parameter's name. */
function labelOf(field: Element): string {
  const row = field.closest('tr');
  if (!row) return 'URL';
  const name = row.id || 'New entry';
  if (field instanceof HTMLInputElement) return `Send ${name}`;
  return `${name}: ${row.querySelector('.cm-content') === field ? 'name' : 'value'}`;
}

/** Scalar's texts are in English, and so is this one. */
const COPY = 'Copy';

/**
 * Repairs Scalar's markup where axe reports a serious fault: buttons that have only an icon, a button with the role of
 * a landmark, fields without a label, and `aria-selected` on elements that do not allow it. The repair continues while Scalar renders more.
 * @returns a function that ends the repair
 */
export function repairScalar(place: HTMLElement): () => void {
  const repair = () => {
    for (const button of place.querySelectorAll('button[role="search"]')) button.removeAttribute('role');
    for (const button of place.querySelectorAll('button[class*="copy-button"]:not([aria-label])'))
      button.setAttribute('aria-label', COPY);
    for (const button of place.querySelectorAll('button[role="none"]')) button.removeAttribute('role');
    for (const field of place.querySelectorAll(
      'input[type="checkbox"]:not([aria-label]), .cm-content:not([aria-label])',
    ))
      field.setAttribute('aria-label', labelOf(field));
    // The page has this landmark.
    for (const inner of place.querySelectorAll('main:not([role])')) inner.setAttribute('role', 'none');
    for (const entry of place.querySelectorAll('button[aria-selected]:not([role])')) {
      const isSelected = entry.getAttribute('aria-selected') === 'true';
      entry.removeAttribute('aria-selected');
      entry.setAttribute('aria-current', String(isSelected));
    }
  };
  repair();
  const observer = new MutationObserver(repair);
  observer.observe(place, { childList: true, subtree: true, attributeFilter: ['aria-selected', 'role'] });
  return () => observer.disconnect();
}

/** Opens the form as soon as Scalar has rendered its button. */
export function openForm(place: HTMLElement): void {
  const open = () => {
    const button = place.querySelector<HTMLElement>('button.show-api-client-button');
    button?.click();
    return button !== null;
  };
  if (open()) return;
  const observer = new MutationObserver(() => open() && observer.disconnect());
  observer.observe(place, { childList: true, subtree: true });
}
