import { Button } from '../../components/Button.tsx';
import type { Language } from '../../components/preferences.ts';
import { number } from '../../components/words/words.ts';
import type { FeedBody } from '../feed-page.ts';
import type { SearchState } from '../search-state.ts';
import { useWords } from '../use-words.ts';

export interface PagingProps {
  state: SearchState;
  meta: FeedBody['meta'];
  onChange(position: { page?: number; cursor?: string }): void;
}

/** Inserts the number of the page for `#`, and the number of pages for `##`. */
export const pagesText = (text: string, { page = 1, pageCount }: FeedBody['meta'], language: Language) =>
  text.replace('##', number(language, Math.max(1, pageCount))).replace('#', number(language, page));

/** Moves through the result by page number or by cursor. */
export function Paging({ state, meta, onChange }: PagingProps) {
  const { texts, language } = useWords();
  const isCursor = state.cursor !== undefined;
  const { page = 1, pageCount, nextCursor } = meta;
  const next = isCursor ? nextCursor : page < pageCount ? page + 1 : undefined;
  const isFirst = isCursor ? state.cursor === '*' : page <= 1;
  const toFirst = { cursor: '*' };
  const cursorText = nextCursor === undefined ? texts.end : texts.cursorPage;
  return (
    <nav class="row spread paging" aria-label={texts.pages}>
      <div class="row">
        <Button disabled={isFirst} onClick={() => onChange(isCursor ? toFirst : { page: page - 1 })}>
          {isCursor ? texts.firstPage : texts.previous}
        </Button>
        <span class="small number" aria-live="polite">
          {isCursor ? cursorText : pagesText(texts.pageOf, meta, language)}
        </span>
        <Button
          disabled={next === undefined}
          onClick={() => onChange(typeof next === 'number' ? { page: next } : { cursor: next ?? '*' })}
        >
          {texts.next}
        </Button>
      </div>
      <fieldset class="row" aria-label={texts.wayOfPaging}>
        <Button kind="compact" aria-pressed={!isCursor} onClick={() => onChange({ page: 1 })}>
          {texts.byPage}
        </Button>
        <Button kind="compact" aria-pressed={isCursor} onClick={() => onChange(toFirst)}>
          {texts.byCursor}
        </Button>
      </fieldset>
    </nav>
  );
}
