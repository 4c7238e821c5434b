interface TextFieldProps {
  id: string;
  label: string;
  value: string;
  onChange(value: string): void;
  type?: 'search' | 'text' | 'number';
  inputMode?: 'numeric';
  min?: string;
  maxLength?: number;
  pattern?: string;
  required?: boolean;
}

/** A field for a text. */
export function TextField({ id, label, onChange, type = 'search', ...more }: TextFieldProps) {
  return (
    <div class="field grow">
      <label for={id}>{label}</label>
      {/* The types of Preact have other attributes for each type of input. */}
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

interface ChoiceProps {
  id: string;
  label: string;
  value: string;
  options: readonly (readonly [value: string, name: string])[];
  onChange(value: string): void;
}

/** A field for one of several values, with their names. */
export function Choice({ id, label, value, options, onChange }: ChoiceProps) {
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
