const saoPaulo = new Intl.DateTimeFormat('en', { timeZone: 'America/Sao_Paulo', year: 'numeric', month: '2-digit', day: '2-digit' });

/** The date at `instant` in America/Sao_Paulo, as YYYY-MM-DD (decisions §2, "today"). */
export function dateInSaoPaulo(instant: Date): string {
  const parts = Object.fromEntries(saoPaulo.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/** Tells today's date, at most once a second by the calendar: every request asks for it. */
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
