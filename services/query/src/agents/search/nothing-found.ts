import { joined, type Shown, say } from '../answer-text.ts';
import { type AnswerTime, todayText } from '../answer-time.ts';
import { filtersLine, type ShownFilters } from '../applied-filters.ts';
import { countSuggestions, type EmptyResult, emptyResultText, firstSuggestions } from '../empty-result.ts';
import type { SuggestedValue } from '../suggest/suggestions.ts';
import type { Answer } from '../token-budget.ts';
import type { OtherDates } from './other-dates.ts';

/** Returns an answer without listings. @param count the number of suggested values in the answer */
export function nothingFound(
  reason: EmptyResult,
  count: number,
  { members, otherDatesText }: { members: CommonMembers; otherDatesText: readonly Shown[] },
): Answer {
  const { calendarUnknown } = reason;
  const suggestions = firstSuggestions(reason.suggestions, count);
  const truncated = count < countSuggestions(reason.suggestions);
  return {
    text: joined(
      [
        say`Nothing found. No listing ${calendarUnknown ? 'is known to match' : 'matches'} all filters. ${todayText(members.today)}`,
        ...filtersLine(members.applied_filters),
        ...emptyResultText({ ...reason, suggestions }),
        ...otherDatesText,
        ...(truncated ? [say`truncated: further values did not fit into this answer`] : []),
      ],
      '\n',
    ),
    structured: {
      total: 0,
      items: [],
      ...members,
      ...(calendarUnknown !== undefined && { calendar_unknown: calendarUnknown }),
      without: reason.without,
      ...(Object.keys(suggestions).length > 0 && { suggestions }),
      ...(truncated && { truncated }),
    },
  };
}

/** The members that every answer to a search has. */
export type CommonMembers = AnswerTime &
  OtherDates['members'] & {
    applied_filters: ShownFilters;
    /** Cities with the same name in several states. */
    cities?: SuggestedValue[];
    currency: 'BRL';
  };
