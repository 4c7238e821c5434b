export type Options = readonly (readonly [value: string | number, label: string])[];

export interface SelectProps {
  id?: string;
  class?: string;
  'aria-label'?: string;
  disabled?: boolean;
  value: string | number | undefined;
  options: Options;
  /** The text that stands for no value. It is absent if there is always a value. */
  none?: string;
  onChoose(value: string | undefined): void;
}

/** A choice among values. It can also offer the choice of no value. */
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
