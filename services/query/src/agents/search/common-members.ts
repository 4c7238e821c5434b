import type { AnswerTime } from '../answer-time.ts';
import type { ShownFilters } from '../applied-filters.ts';
import type { SuggestedValue } from '../suggest/suggestions.ts';
import type { OtherDates } from './other-dates.ts';

/** The members that every answer of a search has. */
export type CommonMembers = AnswerTime &
  OtherDates['members'] & {
    applied_filters: ShownFilters;
    /** Cities of the same name in several states. */
    cities?: SuggestedValue[];
    currency: 'BRL';
  };
