import type { ComponentChildren } from 'preact';

/** A frame that scrolls wide content, also with the keyboard (WCAG 2.1.1). */
export function ScrollFrame({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll the content.
    <section class="table-frame" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
