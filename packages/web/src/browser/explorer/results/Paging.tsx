import { count } from '../../components/format.ts';
import { usePreferences, useTexts } from '../../components/preferences.ts';
import type { FeedBody } from '../feed-page.ts';
import type { SearchState } from '../search-state.ts';
import { TEXTS } from '../texts.ts';

export interface PagingProps {
  state: SearchState;
  meta: FeedBody['meta'];
  onChange(position: { page?: number; cursor?: string }): void;
}

/** Moves through the result by page number or by cursor. */
export function Paging({ state, meta, onChange }: PagingProps) {
  const texts = useTexts(TEXTS);
  const { language } = usePreferences();
  const isCursor = state.cursor !== undefined;
  const { page = 1, pageCount, nextCursor } = meta;
  const next = isCursor ? nextCursor : page < pageCount ? page + 1 : undefined;
  return (
    <nav class="row spread paging" aria-label={texts.pages}>
      <div class="row">
        {isCursor ? (
          <button
            type="button"
            class="button"
            disabled={state.cursor === '*'}
            onClick={() => onChange({ cursor: '*' })}
          >
            {texts.firstPage}
          </button>
        ) : (
          <button
            type="button"
            class="button"
            disabled={page <= 1}
            onClick={() => onChange({ page: page - 1 })}
          >
            {texts.previous}
          </button>
        )}
        <span class="small number" aria-live="polite">
          {isCursor
            ? nextCursor === undefined
              ? texts.end
              : texts.cursorPage
            : texts.pageOf(count(page, language), count(Math.max(1, pageCount), language))}
        </span>
        <button
          type="button"
          class="button"
          disabled={next === undefined}
          onClick={() => onChange(typeof next === 'number' ? { page: next } : { cursor: next ?? '*' })}
        >
          {texts.next}
        </button>
      </div>
      <fieldset class="row" aria-label={texts.wayOfPaging}>
        <button
          type="button"
          class="button compact"
          aria-pressed={!isCursor}
          onClick={() => onChange({ page: 1 })}
        >
          {texts.byPage}
        </button>
        <button
          type="button"
          class="button compact"
          aria-pressed={isCursor}
          onClick={() => onChange({ cursor: '*' })}
        >
          {texts.byCursor}
        </button>
      </fieldset>
    </nav>
  );
}
