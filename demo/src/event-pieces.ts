import type { CalendarDate, FieldChanges } from '@vitrine/listing-events';
import type { Draws } from './draws.ts';
import { type DemoEvent, listingEvent, type Piece } from './listing-event.ts';
import type { DemoListing, Flaw } from './listing-generator.ts';

const TOLD_AT_ONCE = 0.12;
const PRICE_AND_PLACE_APART = 0.4;
const HOUR_MS = 3_600_000;

/**
 * The events that tell of a listing, in the order of their versions: mostly the catalogue's part
 * first, then price and place, then reviews and calendar. Pure.
 * @param firstVersion of the first event; the others follow one by one
 */
export function eventsOf(listing: DemoListing, draws: Draws, firstVersion = 1): DemoEvent[] {
  const published = Date.parse(listing.fields.published_at);
  return piecesOf(listing, draws).map((piece, index) => listingEvent(listing.id, firstVersion + index, new Date(published + index * HOUR_MS), piece));
}

function piecesOf(listing: DemoListing, draws: Draws): Piece[] {
  const pieces = draws.chance(TOLD_AT_ONCE)
    ? wholePiece(listing, draws)
    : [...fieldPieces(listing, draws), ...calendarPieces(listing.calendar, draws)];
  return listing.removed ? [...pieces, { type: 'removed', data: { reason: 'vendido ou retirado pelo anunciante' } }] : pieces;
}

function wholePiece({ fields, flaw, calendar }: DemoListing, draws: Draws): Piece[] {
  const told: FieldChanges = { ...fields, ...(flaw && flawed(flaw, draws)) };
  return [{ type: 'snapshot', data: { listing: calendar.length > 0 ? { ...told, availability: calendar } : told } }];
}

function fieldPieces({ fields, flaw }: DemoListing, draws: Draws): Piece[] {
  const { price, location, rating, review_count, ...catalogue } = { ...fields, ...(flaw && flawed(flaw, draws)) } satisfies FieldChanges;
  const offer: FieldChanges[] = draws.chance(PRICE_AND_PLACE_APART) ? [{ price }, { location }] : [{ price, location }];
  // Half of the missing prices and places were never told, the others were told as nothing.
  const told = offer.filter((changes) => !(Object.values(changes).every((value) => value === null) && draws.chance(0.5)));
  const changed: FieldChanges[] = [...told, { rating, review_count }];
  return [{ type: 'snapshot', data: { listing: catalogue } }, ...changed.map((changes): Piece => ({ type: 'changed', data: { changes } }))];
}

/** What a seller who gets this member wrong delivers for it. */
function flawed(flaw: Flaw, draws: Draws): FieldChanges {
  switch (flaw) {
    case 'title':
      return { title: draws.pick([null, '', '<p>&nbsp;</p>']) };
    case 'price':
      return { price: draws.pick([null, 0, 0.001]) };
    case 'location':
      return { location: draws.pick([null, { state: 'SP' }, { city: '  ', state: 'MG' }]) };
    case 'url':
      return { url: draws.pick([null, 'www.vitrine.example/catalogo', 'ftp://vitrine.example/1', 'https://user:pass@vitrine.example/1']) };
    default:
      return flaw satisfies never;
  }
}

function calendarPieces(calendar: readonly CalendarDate[], draws: Draws): Piece[] {
  if (calendar.length === 0) return [];
  const half = draws.chance(0.3) ? Math.ceil(calendar.length / 2) : calendar.length;
  const pieces: Piece[] = [{ type: 'availability_changed', data: { mode: 'replace', dates: calendar.slice(0, half) } }];
  if (half < calendar.length) pieces.push({ type: 'availability_changed', data: { mode: 'merge', dates: calendar.slice(half) } });
  return pieces;
}
