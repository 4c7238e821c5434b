/** The date format of the Swedish locale is YYYY-MM-DD. */
const FORMAT = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The feeds' date at an instant, as YYYY-MM-DD. Pure. @param instant a date, or epoch milliseconds */
export const dateInSaoPaulo = (instant: Date | number): string => FORMAT.format(instant);
