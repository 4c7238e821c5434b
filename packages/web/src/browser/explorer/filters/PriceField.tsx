import { readOne } from '../feed-page.ts';
import { type FilterProps, queryOf } from '../search-state.ts';
import { useRetried } from '../use-retried.ts';
import { useWords } from '../use-words.ts';
import { limitText } from './active-filters.ts';
import { LimitFields } from './LimitFields.tsx';
import { readPriceBars } from './price-bars.ts';

export interface PriceFieldProps extends FilterProps {
  /** Whether the counts may be read now: a page has loaded, and no other page is loading. */
  canCount: boolean;
}

/** The price limits, below bars with the number of listings in each price range. A bar sets the limits. */
export function PriceField({ state, canCount, onChange }: PriceFieldProps) {
  const { texts, language, plural } = useWords();
  const { min_price, max_price, sort: _, page: _page, cursor: _cursor, ...filters } = state;
  const { value: bars = [] } = useRetried(
    queryOf(filters),
    (signal) => readPriceBars(filters, (asked) => readOne(asked, signal)),
    canCount,
  );
  const most = Math.max(1, ...bars.map(({ items }) => items));
  return (
    <LimitFields
      legend={texts.priceField}
      hint={texts.priceHint}
      names={['min_price', 'max_price']}
      state={state}
      onChange={onChange}
    >
      <div class="price-bars">
        {bars.map(({ min, max, items }) => {
          const title = `${limitText(min, max, language)}: ${plural(items, texts.listings)}`;
          const isChosen = min === min_price && max === max_price;
          return (
            <button
              key={`${min} ${max}`}
              type="button"
              title={title}
              aria-label={title}
              aria-pressed={isChosen}
              onClick={() =>
                onChange(
                  isChosen
                    ? { min_price: undefined, max_price: undefined }
                    : { min_price: min, max_price: max },
                )
              }
            >
              <svg viewBox="0 0 10 40" preserveAspectRatio="none" aria-hidden="true">
                <rect width="10" y={40 - (items / most) * 40} height={(items / most) * 40} />
              </svg>
            </button>
          );
        })}
      </div>
    </LimitFields>
  );
}
