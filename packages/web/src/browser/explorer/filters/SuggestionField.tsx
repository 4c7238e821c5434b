import { useEffect, useId, useState } from 'preact/hooks';
import { Button } from '../../components/Button.tsx';
import { type FacetValue, readFacet } from '../mcp-tools.ts';
import { learnNames, type NamedFacet, nameOf } from '../names.ts';
import type { FilterProps } from '../search-state.ts';
import { useWords } from '../use-words.ts';

/** The state contains the applied value as a slug or in any spelling. The other filters also limit the suggestions. */
export interface SuggestionFieldProps extends FilterProps {
  facet: NamedFacet;
  label: string;
}

const PAUSE_MS = 150;

/** A text field with suggestions: the combobox with a listbox from the WAI-ARIA Authoring Practices. */
export function SuggestionField({ facet, label, state, onChange }: SuggestionFieldProps) {
  const { texts, number } = useWords();
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const [values, setValues] = useState<FacetValue[] | 'failed'>([]);
  const [active, setActive] = useState(-1);
  const isOpen = typed !== undefined;
  const value = state[facet];
  const name = value === undefined ? '' : nameOf(facet, value);

  useEffect(() => {
    if (typed === undefined) return;
    const leaving = new AbortController();
    const query = typed === name ? '' : typed;
    const timer = setTimeout(() => {
      readFacet(facet, state, query, leaving.signal).then(
        (found) => {
          learnNames(facet, found, true);
          setValues(found);
          setActive(-1);
        },
        () => leaving.signal.aborted || setValues('failed'),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [typed]);

  const choose = (chosen: string | undefined) => {
    setTyped(undefined);
    setValues([]);
    if (chosen !== value) onChange({ [facet]: chosen });
  };
  /** An unchanged text keeps the value. */
  const chooseTyped = (text: string) => choose(text === name ? value : text.trim() || undefined);
  // An answer may arrive after the choice.
  const listed = values === 'failed' || !isOpen ? [] : values;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setTyped(undefined);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      active >= 0 ? choose(listed[active]?.value) : chooseTyped(typed ?? name);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) return setTyped(name);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((at) => Math.max(-1, Math.min(listed.length - 1, at + step)));
    }
  };

  return (
    <div class="field suggestion-field">
      <label for={id}>{label}</label>
      <div class="suggestion-input">
        <input
          id={id}
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          placeholder={texts.any}
          value={typed ?? name}
          onFocus={() => setTyped(name)}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onBlur={() => typed !== undefined && chooseTyped(typed)}
          onKeyDown={onKeyDown}
        />
        {value !== undefined && (
          <Button
            kind="compact quiet"
            aria-label={`${texts.clear}: ${label}`}
            onClick={() => choose(undefined)}
          >
            ×
          </Button>
        )}
      </div>
      <div id={`${id}-list`} class="suggestions" role="listbox" aria-label={label} hidden={!isOpen}>
        {listed.map((one, index) => (
          <div
            key={one.value}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            class={index === active ? 'active' : ''}
            aria-selected={index === active}
            // The field must not lose the focus before the click arrives.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(one.value)}
            onKeyDown={onKeyDown}
          >
            <span>{nameOf(facet, one.value)}</span> <span class="soft number">{number(one.count)}</span>
          </div>
        ))}
      </div>
      {isOpen && listed.length === 0 && (
        <p class="soft small" role="status">
          {values === 'failed' ? texts.valuesFailed : typed && typed !== name ? texts.noValues : ''}
        </p>
      )}
    </div>
  );
}
