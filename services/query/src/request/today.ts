const saoPaulo = new Intl.DateTimeFormat('en', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** Returns the date at `instant` in America/Sao_Paulo, as YYYY-MM-DD. Rule: docs/reference/rules.md#today. */
export function dateInSaoPaulo(instant: Date): string {
  const parts = Object.fromEntries(saoPaulo.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/**
 * Creates a function that returns today's date. The function computes the date at most once per second
 * because every request needs it.
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
