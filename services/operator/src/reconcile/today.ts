/** The date in America/Sao_Paulo as YYYY-MM-DD, which is the date format of the Swedish locale. */
const FORMAT = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The feeds' date at an instant. Pure. @param instant epoch milliseconds */
export const today = (instant: number): string => FORMAT.format(instant);
