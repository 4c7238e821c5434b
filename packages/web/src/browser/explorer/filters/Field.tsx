import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Select, type SelectProps } from '../../components/Select.tsx';

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

export const SelectField = ({ label, ...select }: SelectProps & { label: string }) => (
  <Field label={label}>{(id) => <Select id={id} {...select} />}</Field>
);
