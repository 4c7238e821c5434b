import { day, identifier, instant, type Shown, say } from './answer-text.ts';

const ZONE = 'America/Sao_Paulo';

/** The members that say at what time an answer was correct. Every answer has them. */
export interface AnswerTime {
  /** RFC 3339. */
  as_of: string;
  /** Today's date in `zone`, YYYY-MM-DD. */
  today: string;
  zone: typeof ZONE;
}

/** @param today YYYY-MM-DD */
export const answerTime = (today: string): AnswerTime => ({
  as_of: instant(Date.now()),
  today,
  zone: ZONE,
});

const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/** States today's date with the day of the week, because users say "Friday". @param today YYYY-MM-DD */
export const todayText = (today: string): Shown =>
  say`Today is ${identifier(weekday.format(new Date(`${today}T00:00:00Z`)))}, ${day(today)} (${ZONE}).`;
