import { slug } from './text.ts';

/** The values of an item that only items mapping 4 has, computed literally. Speed does not matter. */
export interface IndexMembers {
  state?: string | undefined;
  rating?: number | undefined;
  lowest_night?: number | undefined;
  highest_night?: number | undefined;
  nights?: string | undefined;
  known_days?: { gte: number; lte: number }[] | undefined;
}

type Calendar = readonly { date: string; available: boolean; price: number }[];

const STATES =
  'ac acre al alagoas ap amapa am amazonas ba bahia ce ceara df distrito-federal es espirito-santo go goias ' +
  'ma maranhao mt mato-grosso ms mato-grosso-do-sul mg minas-gerais pa para pb paraiba pr parana ' +
  'pe pernambuco pi piaui rj rio-de-janeiro rn rio-grande-do-norte rs rio-grande-do-sul ro rondonia ' +
  'rr roraima sc santa-catarina sp sao-paulo se sergipe to tocantins';

export function indexMembers(state: unknown, rating: number | undefined, calendar: Calendar): IndexMembers {
  const prices = calendar.filter(({ available }) => available).map(({ price }) => price);
  const sorted = prices.toSorted((a, b) => a - b);
  return {
    state: stateOf(slug(state)),
    rating,
    lowest_night: sorted[0],
    highest_night: sorted.at(-1),
    nights: calendar.length === 0 ? undefined : packed(calendar),
    known_days: calendar.length === 0 ? undefined : runs(calendar),
  };
}

/** The code of a state, or the slug of another text. */
function stateOf(text: string | undefined): string | undefined {
  const words = STATES.split(' ');
  const found = text === undefined ? -1 : words.indexOf(text);
  return found === -1 ? text : words[found - (found % 2)];
}

/** The number of days from 1970-01-01. */
function dayOf(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return new Date(0).setUTCFullYear(year, month - 1, day) / 86_400_000;
}

function runs(calendar: Calendar): { gte: number; lte: number }[] {
  const days = new Set(calendar.map(({ date }) => dayOf(date)));
  return [...days]
    .filter((day) => !days.has(day - 1))
    .map((gte) => {
      let lte = gte;
      while (days.has(lte + 1)) lte++;
      return { gte, lte };
    });
}

/** The bytes that `packages/feed-index/src/packed-nights.ts` documents. */
function packed(calendar: Calendar): string {
  const prices = [...new Set(calendar.filter(({ available }) => available).map(({ price }) => price))];
  const bytes: number[] = [...numberBytes(4, (view) => view.setInt32(0, prices.length))];
  for (const price of prices) bytes.push(...numberBytes(8, (view) => view.setFloat64(0, price)));
  for (let begin = 0; begin < calendar.length; ) {
    let end = begin + 1;
    while (end < calendar.length && distance(calendar, end - 1, end) <= 5) end++;
    const [first, dates] = [dayOf(calendar[begin]?.date ?? ''), distance(calendar, begin, end - 1) + 1];
    bytes.push(...numberBytes(4, (view) => view.setInt32(0, first)));
    bytes.push(...numberBytes(4, (view) => view.setInt32(0, dates)));
    for (let day = first; day < first + dates; day++) {
      const entry = calendar.slice(begin, end).find(({ date }) => dayOf(date) === day);
      const code = entry === undefined ? 0 : entry.available ? 2 + prices.indexOf(entry.price) : 1;
      bytes.push(code >> 8, code & 255);
    }
    begin = end;
  }
  return Buffer.from(bytes).toString('base64');
}

const distance = (calendar: Calendar, from: number, to: number): number =>
  dayOf(calendar[to]?.date ?? '') - dayOf(calendar[from]?.date ?? '');

function numberBytes(length: number, write: (view: DataView) => void): Uint8Array {
  const view = new DataView(new ArrayBuffer(length));
  write(view);
  return new Uint8Array(view.buffer);
}
