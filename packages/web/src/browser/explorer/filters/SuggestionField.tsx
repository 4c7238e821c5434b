import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/Button.tsx';
import { withDeadline } from '../../components/deadline.ts';
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
const DEADLINE_MS = 10_000;

/** A text field with suggestions: the combobox with a listbox from the WAI-ARIA Authoring Practices. */
export function SuggestionField({ facet, label, state, onChange }: SuggestionFieldProps) {
  const { texts, number } = useWords();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string>();
  /** The suggestions are undefined until the answer for the text arrives. */
  const [values, setValues] = useState<FacetValue[] | 'failed'>();
  const [active, setActive] = useState(-1);
  const isOpen = typed !== undefined;
  const value = state[facet];
  const name = value === undefined ? '' : nameOf(facet, value);

  useEffect(() => {
    if (typed === undefined) return;
    const leaving = new AbortController();
    const query = typed === name ? '' : typed;
    const timer = setTimeout(() => {
      readFacet(facet, state, query, withDeadline(leaving.signal, DEADLINE_MS)).then(
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

  const close = () => {
    setTyped(undefined);
    setValues(undefined);
    setActive(-1);
  };
  const choose = (chosen: string | undefined) => {
    close();
    if (chosen !== value) onChange({ [facet]: chosen });
  };
  /** An unchanged text keeps the value. */
  const chooseTyped = (text: string) => choose(text === name ? value : text.trim() || undefined);
  // An answer may arrive after the choice.
  const listed = values === undefined || values === 'failed' || !isOpen ? [] : values;
  const option = listed[active];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      close();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      option ? choose(option.value) : chooseTyped(typed ?? name);
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
          ref={input}
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={option && `${id}-${active}`}
          placeholder={texts.any}
          value={typed ?? name}
          onFocus={() => setTyped(name)}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            // Neither the highlighted suggestion nor an empty list belongs to the new text.
            setActive(-1);
            setValues((known) => (known?.length === 0 ? undefined : known));
          }}
          onBlur={() => typed !== undefined && chooseTyped(typed)}
          onKeyDown={onKeyDown}
        />
        {value !== undefined && (
          <Button
            kind="compact quiet"
            aria-label={`${texts.clear}: ${label}`}
            onClick={() => {
              // The focused button disappears.
              input.current?.focus();
              choose(undefined);
            }}
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
          {values === 'failed' ? texts.valuesFailed : values && typed && typed !== name ? texts.noValues : ''}
        </p>
      )}
    </div>
  );
}
