export type Options = readonly (readonly [value: string | number, label: string])[];

export interface SelectProps {
  id?: string;
  class?: string;
  'aria-label'?: string;
  disabled?: boolean;
  value: string | number | undefined;
  options: Options;
  /** The text without a value. Absent: there always is one. */
  none?: string;
  onChoose(value: string | undefined): void;
}

/** A choice among values, or of none. */
export const Select = ({ value = '', options, none, onChoose, ...attributes }: SelectProps) => (
  <select
    {...attributes}
    value={value}
    onChange={({ currentTarget }) => onChoose(currentTarget.value || undefined)}
  >
    {none !== undefined && <option value="">{none}</option>}
    {options.map(([option, label]) => (
      <option key={option} value={option}>
        {label}
      </option>
    ))}
  </select>
);
