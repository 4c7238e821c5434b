import type { ComponentChildren } from 'preact';
import { useWords } from './use-words.ts';

interface FieldProps {
  id: string;
  label: string;
  value: string;
  onChange(value: string): void;
}

interface TextFieldProps extends FieldProps {
  type?: 'search' | 'text' | 'number';
  inputMode?: 'numeric';
  min?: string;
  maxLength?: number;
  pattern?: string;
  required?: boolean;
}

/** A text field. */
export function TextField({ id, label, onChange, type = 'search', ...more }: TextFieldProps) {
  return (
    <div class="field grow">
      <label for={id}>{label}</label>
      {/* Preact's types have different attributes for each type of input. */}
      <input
        {...more}
        id={id}
        type={type as 'search'}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}

/** A field with which a person chooses one of several named values. */
export function Choice({
  id,
  label,
  value,
  options,
  onChange,
}: FieldProps & { options: readonly (readonly [value: string, name: string])[] }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

export const CheckBox = ({
  label,
  isChecked,
  onChange,
}: {
  label: string;
  isChecked: boolean;
  onChange(isChecked: boolean): void;
}) => (
  <label class="row small">
    <input
      type="checkbox"
      checked={isChecked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {label}
  </label>
);

/** The fields of a request, on one line. A bar shows that the response is on its way. */
export function RequestForm({
  button,
  isBusy,
  onSubmit,
  children,
  after,
}: {
  button: string;
  isBusy: boolean;
  onSubmit(): void;
  children: ComponentChildren;
  after?: ComponentChildren;
}) {
  const { texts } = useWords();
  return (
    <form
      class="card row filters"
      aria-busy={isBusy}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <button type="submit" class="button primary">
        {button}
      </button>
      {after}
      <span class="hidden-text" role="status">
        {isBusy && texts.loading}
      </span>
    </form>
  );
}
