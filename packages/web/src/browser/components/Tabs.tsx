interface Tab<T extends string> {
  value: T;
  label: string;
  /** A number that may arrive later. Its space is reserved. */
  count?: string;
}

export interface TabsProps<T extends string> {
  label: string;
  tabs: readonly Tab<T>[];
  value: T;
  /** The id of the element that shows the tab's content. */
  controls: string;
  onChange(value: T): void;
}

/** Tabs with the keyboard operation from the WAI-ARIA Authoring Practices: arrows, Home and End. */
export function Tabs<T extends string>({ label, tabs, value, controls, onChange }: TabsProps<T>) {
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const at = tabs.findIndex((tab) => tab.value === value);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = (next + tabs.length) % tabs.length;
    const chosen = tabs[index];
    if (chosen === undefined) return;
    onChange(chosen.value);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          aria-selected={tab.value === value}
          aria-controls={controls}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onChange(tab.value)}
        >
          {tab.label}
          {tab.count !== undefined && (
            <>
              {' '}
              <span class="tab-count number">{tab.count}</span>
            </>
          )}
        </button>
      ))}
    </div>
  );
}
