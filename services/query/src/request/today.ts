const saoPaulo = new Intl.DateTimeFormat('en', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The date at `instant` in America/Sao_Paulo, as YYYY-MM-DD. docs/reference/rules.md#today. */
export function dateInSaoPaulo(instant: Date): string {
  const parts = Object.fromEntries(saoPaulo.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/**
 * A function that returns today's date. Every request needs today's date, so the function computes it at most
 * once per second.
 */
export function createToday(now: () => number = Date.now): () => string {
  let date = '';
  let second = Number.NaN;
  return () => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      second = current;
      date = dateInSaoPaulo(new Date(current * 1_000));
    }
    return date;
  };
}
