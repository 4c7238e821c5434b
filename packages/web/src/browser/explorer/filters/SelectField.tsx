import { useId } from 'preact/hooks';
import { useTexts } from '../../components/preferences.ts';
import { TEXTS } from '../texts.ts';

export interface SelectFieldProps {
  label: string;
  /** The applied value. A value that is no option is shown as well, because a URL may contain it. */
  value: string | undefined;
  options: readonly { value: string; label: string }[];
  /** The name of a value that is no option. */
  nameOf(value: string): string;
  /** The text without a value. */
  none?: string;
  isDisabled?: boolean;
  onChange(value: string | undefined): void;
}

/** A choice of one value or none. */
export function SelectField({ label, value, options, nameOf, none, isDisabled, onChange }: SelectFieldProps) {
  const texts = useTexts(TEXTS);
  const id = useId();
  const isOption = value === undefined || options.some((option) => option.value === value);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value ?? ''}
        disabled={isDisabled ?? false}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      >
        <option value="">{none ?? texts.any}</option>
        {[...options, ...(isOption ? [] : [{ value, label: nameOf(value) }])].map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
