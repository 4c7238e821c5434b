import { FILTERS, type FilterName } from '@vitrine/feed-index/filters';
import { useId } from 'preact/hooks';

export interface ValueFieldProps {
  name: FilterName;
  label: string;
  value: string | number | boolean | undefined;
  onChange(value: string | number | undefined): void;
}

/** A field for any text or number, without suggestions. */
export function ValueField({ name, label, value, onChange }: ValueFieldProps) {
  const id = useId();
  const { kind, minimum, maximum } = FILTERS[name];
  const isNumber = kind === 'number';
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...(isNumber ? { type: 'number', min: minimum, max: maximum } : {})}
        value={value === undefined ? '' : String(value)}
        onChange={({ currentTarget: { value: text } }) =>
          onChange(text.trim() === '' ? undefined : isNumber ? Number(text) : text)
        }
      />
    </div>
  );
}
