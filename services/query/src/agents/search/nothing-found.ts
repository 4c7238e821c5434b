import type { AppliedFilters } from '../../filters/filter.ts';
import { joined, say } from '../answer-text.ts';
import { type AnswerTime, todayText } from '../answer-time.ts';
import { filtersLine } from '../applied-filters.ts';
import { countSuggestions, type EmptyResult, emptyResultText, firstSuggestions } from '../empty-result.ts';
import type { Answer } from '../token-budget.ts';
import { datesText, type NeighboringDate } from './other-dates.ts';

/** The members that every answer of a search has. */
export interface CommonMembers extends AnswerTime {
  applied_filters: AppliedFilters;
  neighbouring_dates?: NeighboringDate[];
  currency: 'BRL';
}

/** The answer without listings. @param count the number of suggested values in it */
export function nothingFound(reason: EmptyResult, count: number, common: CommonMembers): Answer {
  const suggestions = firstSuggestions(reason.suggestions, count);
  const truncated = count < countSuggestions(reason.suggestions);
  return {
    text: joined(
      [
        say`Nothing found. No listing matches all filters. ${todayText(common.today)}`,
        ...filtersLine(common.applied_filters),
        ...emptyResultText({ ...reason, suggestions }),
        ...datesText(common.neighbouring_dates ?? []),
        ...(truncated ? [say`truncated: further values did not fit into this answer`] : []),
      ],
      '\n',
    ),
    structured: {
      total: 0,
      items: [],
      ...common,
      without: reason.without,
      ...(Object.keys(suggestions).length > 0 && { suggestions }),
      ...(truncated && { truncated }),
    },
  };
}
