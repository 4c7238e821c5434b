import type { ComponentChildren } from 'preact';

/** A frame that scrolls wide content, even with the keyboard (WCAG 2.1.1). */
function ScrollFrame({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll the content.
    <section class="table-frame" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/**
 * A column: the heading (absent above buttons), the cells, and their class. A cell with class `name` heads
 * its row.
 */
export type Column<T> = readonly [
  head: string | undefined,
  cell: (row: T) => ComponentChildren,
  kind?: 'name' | (string & {}),
];

interface TableProps<T> {
  label: string;
  class?: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf(row: T): string;
  kindOf?(row: T): string;
}

/** A table in a frame that scrolls. On a narrow screen, each row is a card whose cells have their headings. */
export function Table<T>({ label, class: name, columns, rows, keyOf, kindOf }: TableProps<T>) {
  return (
    <ScrollFrame label={label}>
      <table class={name}>
        <thead>
          <tr>
            {columns.map(([head, , kind], i) => {
              const Cell = head === undefined ? 'td' : 'th';
              return (
                <Cell key={i} scope={head === undefined ? undefined : 'col'} class={kind}>
                  {head}
                </Cell>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={kindOf?.(row)}>
              {columns.map(([head, cell, kind], i) => {
                const Cell = kind === 'name' ? 'th' : 'td';
                return (
                  <Cell key={i} scope={kind === 'name' ? 'row' : undefined} class={kind} data-label={head}>
                    {cell(row)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}
