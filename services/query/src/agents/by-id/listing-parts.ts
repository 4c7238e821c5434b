import { identifier, joined, type Shown, say } from '../answer-text.ts';
import { answerTime, todayText } from '../answer-time.ts';
import { type Answer, type Draft, MAX_TOKENS } from '../token-budget.ts';
import type { FoundListings } from './find-listings.ts';

/** The answer about one listing. Its `elements` can be left out, from the end. */
export type ListingPart = Omit<Draft, 'budget'>;

/**
 * Makes the answer about one or several listings. An answer that would be too large gets fewer elements per
 * listing, and then fewer listings. It names the ids that it leaves out.
 * @param parts one for each found listing
 * @param today YYYY-MM-DD
 */
export function draftOfParts(found: FoundListings, parts: readonly ListingPart[], today: string): Draft {
  const time = answerTime(today);
  const [part] = parts;
  if (found.isOne && part) {
    const render = (count: number): Answer => {
      const { text, structured } = part.render(count);
      return { text: joined([text, todayText(today)], '\n'), structured: { ...structured, ...time } };
    };
    return { budget: MAX_TOKENS, elements: part.elements, render };
  }
  const most = Math.max(...parts.map(({ elements }) => elements));
  const render = (count: number): Answer => {
    const shown = parts.slice(0, count);
    const each = Math.max(count - parts.length, 0);
    const answers = shown.map(({ elements, render: renderPart }) => renderPart(Math.min(each, elements)));
    const leftOut = [...found.listings.slice(shown.length).map(({ item }) => item.id), ...found.unread];
    return {
      text: joined(
        [
          say`${found.listings.length} listings found, ${shown.length} shown. ${todayText(today)}`,
          ...namedIds(say`No listing has these ids`, found.unknown),
          ...namedIds(say`truncated: ask again for these ids, which did not fit into this answer`, leftOut),
          ...answers.map(({ text }) => text),
        ],
        '\n',
      ),
      structured: {
        items: answers.map(({ structured }) => structured),
        ...(found.unknown.length > 0 && { unknown_ids: found.unknown }),
        ...(leftOut.length > 0 && { truncated: true, left_out_ids: leftOut }),
        ...time,
      },
    };
  };
  return { budget: MAX_TOKENS, elements: parts.length + most, render };
}

const namedIds = (what: Shown, ids: readonly string[]): Shown[] =>
  ids.length === 0 ? [] : [say`${what}: ${joined(ids.map(identifier), ', ')}`];
