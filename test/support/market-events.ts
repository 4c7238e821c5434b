import type { Published } from './deployment.ts';

/** Listings with a source that numbers the versions of each, and the log of all events that it sent. */
export class MarketEvents {
  readonly sent: Published[] = [];
  readonly #versions = new Map<number, number>();
  #events = 0;

  static idOf(listing: number): string {
    return `l-${String(listing).padStart(6, '0')}`;
  }

  /** The whole listing. Every seventh lacks a price at first and is therefore hidden. */
  snapshot(listing: number, days = 3): Published {
    const availability = Array.from({ length: days }, (_, day) => ({
      date: new Date(Date.UTC(2026, 11, 1 + day)).toISOString().slice(0, 10),
      available: (listing + day) % 3 > 0,
      price: 100 + day,
    }));
    return this.#event(listing, 'snapshot', {
      listing: {
        title: `Casa ${listing}`,
        description: 'Casa com varanda, cozinha completa e garagem.',
        ad_type: 'rent',
        ...(listing % 7 > 0 && { price: 100 + (listing % 900) }),
        location: { city: listing % 2 ? 'Curitiba' : 'São Paulo', state: 'PR' },
        url: `https://vitrine.example/${listing}`,
        published_at: new Date(Date.UTC(2026, 0, 1) + listing * 60_000).toISOString(),
        availability,
      },
    });
  }

  changed(listing: number, changes: object): Published {
    return this.#event(listing, 'changed', { changes });
  }

  removed(listing: number): Published {
    return this.#event(listing, 'removed', {});
  }

  #event(listing: number, type: string, data: object): Published {
    const version = (this.#versions.get(listing) ?? 0) + 1;
    this.#versions.set(listing, version);
    const id = MarketEvents.idOf(listing);
    const time = new Date(Date.UTC(2026, 0, 1)).toISOString();
    const head = { specversion: '1.0', id: `e-${++this.#events}`, source: '/test', type: `marketplace.listing.${type}`, subject: id, time };
    const record = { key: id, value: JSON.stringify({ ...head, data: { version, ...data } }) };
    this.sent.push(record);
    return record;
  }
}
