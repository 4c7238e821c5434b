const DAY_MS = 86_400_000;

/** The date `days` after `date`, both YYYY-MM-DD. */
export const addDays = (date: string, days: number): string => new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/** Whether the night or day of this date is one of a weekend: Friday or Saturday. */
export function isWeekend(date: string): boolean {
  const day = new Date(date).getUTCDay();
  return day === 5 || day === 6;
}

/** The date in America/Sao_Paulo, which is "today" to the feed. */
export const dateInSaoPaulo = (instant: Date): string =>
  // Swedish dates are written YYYY-MM-DD.
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' }).format(instant);
