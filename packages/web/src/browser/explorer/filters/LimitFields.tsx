import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { type FilterProps, isWithin } from '../search-state.ts';
import { useWords } from '../use-words.ts';
import type { LimitName } from './active-filters.ts';

export interface LimitFieldsProps extends FilterProps {
  legend: string;
  hint?: string | undefined;
  /** The lower and the upper limit. */
  names: readonly [LimitName, LimitName];
  isDisabled?: boolean;
  children?: ComponentChildren;
}

/** Two amounts in BRL that limit a price. If the lower one is above the upper one, the two are swapped. */
export function LimitFields(props: LimitFieldsProps) {
  const { legend, hint, names, state, isDisabled, children, onChange } = props;
  const { texts } = useWords();
  const id = useId();
  const [low, high] = names;
  const set = (name: LimitName, text: string) => {
    const given = text.trim() === '' || !isWithin(name, Number(text)) ? undefined : Number(text);
    const { [low]: min, [high]: max } = { ...state, [name]: given };
    const areSwapped = min !== undefined && max !== undefined && min > max;
    onChange(areSwapped ? { [low]: max, [high]: min } : { [low]: min, [high]: max });
  };
  return (
    <fieldset class="field" aria-describedby={hint === undefined ? undefined : `${id}-hint`}>
      <legend class="label">{legend}</legend>
      {children}
      <div class="pair">
        {([low, high] as const).map((name) => (
          <input
            key={name}
            type="number"
            inputMode="decimal"
            min={0}
            step="any"
            aria-label={`${legend}, ${name === low ? texts.from : texts.upTo}`}
            placeholder={name === low ? texts.from : texts.upTo}
            disabled={isDisabled ?? false}
            value={state[name] ?? ''}
            onChange={({ currentTarget }) => set(name, currentTarget.value)}
          />
        ))}
      </div>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="soft small">
          {hint}
        </p>
      )}
    </fieldset>
  );
}
