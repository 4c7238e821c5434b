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

export interface TableProps {
  label: string;
  class?: string;
  /** The headings. A column of buttons has none. */
  columns: readonly (ComponentChildren | undefined)[];
  /** The index of the column with numbers. */
  numbers?: number;
  /** The rows. */
  children: ComponentChildren;
}

/** A table in a frame that scrolls. */
export function Table({ label, class: name, columns, numbers, children }: TableProps) {
  return (
    <ScrollFrame label={label}>
      <table class={name}>
        <thead>
          <tr>
            {columns.map((column, i) =>
              column === undefined ? (
                <td key={i} />
              ) : (
                <th key={i} scope="col" class={i === numbers ? 'right' : undefined}>
                  {column}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollFrame>
  );
}
