const MAX_ENTRIES = 200;

/** Shows a JSON value as a tree that opens on demand. A string stays a string, whatever it contains. */
export function JsonView({ value, name, open = false }: { value: unknown; name?: string; open?: boolean }) {
  if (typeof value !== 'object' || value === null)
    return (
      <span>
        {name !== undefined && <span class="key">{name}: </span>}
        <span class={typeof value === 'string' ? 'string' : 'other'}>{JSON.stringify(value)}</span>
      </span>
    );
  const entries = Object.entries(value);
  const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return (
    <details open={open}>
      <summary>
        {name !== undefined && <span class="key">{name}: </span>}
        {left}
        {entries.length}
        {right}
      </summary>
      <ul>
        {entries.slice(0, MAX_ENTRIES).map(([key, member]) => (
          <li key={key}>
            <JsonView value={member} name={key} />
          </li>
        ))}
        {entries.length > MAX_ENTRIES && <li>…</li>}
      </ul>
    </details>
  );
}
