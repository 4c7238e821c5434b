import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useWords } from '../use-words.ts';

/** A control below its label. */
export function Field({ label, children }: { label: string; children(id: string): ComponentChildren }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
}

export interface SelectFieldProps {
  label: string;
  /** The applied value. A value that is not an option is shown as well, because a URL may contain it. */
  value: string | number | undefined;
  options: readonly { value: string; label: string }[];
  /** The name of a value that is not an option. */
  nameOf(value: string): string;
  /** The text without a value. */
  none?: string;
  isDisabled?: boolean;
  onChange(value: string | undefined): void;
}

/** A choice of one value or none. */
export function SelectField({ label, value, options, nameOf, none, isDisabled, onChange }: SelectFieldProps) {
  const { texts } = useWords();
  const applied = value === undefined ? '' : String(value);
  const isOption = applied === '' || options.some((option) => option.value === applied);
  return (
    <Field label={label}>
      {(id) => (
        <select
          id={id}
          value={applied}
          disabled={isDisabled ?? false}
          onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        >
          <option value="">{none ?? texts.any}</option>
          {[...options, ...(isOption ? [] : [{ value: applied, label: nameOf(applied) }])].map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
