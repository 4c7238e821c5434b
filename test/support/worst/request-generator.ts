import { changeNumber } from '@vitrine/feed-index';
import { day, type Random } from '@vitrine/fixtures';
import type { HostileMarket } from './hostile-market.ts';

/** A request that may be expensive. */
export interface WorstRequest {
  interface: 'tools' | 'batch' | 'ucp' | 'ucp-mcp' | 'feeds' | 'changes' | 'export';
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

type Message = {
  jsonrpc: '2.0';
  id: number;
  method: 'tools/call';
  params: { name: string; arguments: object };
};

/** Creates requests to every interface, with random arguments up to the limits of their schemas. */
export class RequestGenerator {
  readonly #random: Random;
  readonly #market: HostileMarket;

  constructor(random: Random, market: HostileMarket) {
    this.#random = random;
    this.#market = market;
  }

  /** @param name the interface of the request */
  next(name: WorstRequest['interface']): WorstRequest {
    switch (name) {
      case 'tools':
        return { interface: name, method: 'POST', path: '/mcp', body: this.#message(1) };
      case 'batch': {
        // A batch of equal calls costs the most if its call costs the most.
        const messages = this.#random.integer(2, 10);
        const repeated = this.#random.chance(0.7) ? this.#message(0) : undefined;
        const body = Array.from({ length: messages }, (_, id) => ({
          ...(repeated ?? this.#message(id)),
          id,
        }));
        return { interface: name, method: 'POST', path: '/mcp', body };
      }
      case 'ucp': {
        const [operation, body] = this.#catalog();
        return { interface: name, method: 'POST', path: `/ucp/catalog/${operation}`, body };
      }
      case 'ucp-mcp': {
        const [operation, catalog] = this.#catalog();
        const tool = { search: 'search_catalog', lookup: 'lookup_catalog', product: 'get_product' }[
          operation
        ];
        return { interface: name, method: 'POST', path: '/ucp/mcp', body: call(1, tool, { catalog }) };
      }
      case 'feeds': {
        const feed = this.#random.pick(['public-feed', 'ai-feed', 'ai-feed/rent']);
        const query = new URLSearchParams({
          pageSize: String(this.#random.integer(1, 100)),
          ...(this.#random.chance(0.6) ? { cursor: '*' } : { page: String(this.#random.integer(1, 3)) }),
          ...(this.#random.chance(0.3) && { city: this.#random.pick(this.#market.nearValues) ?? '' }),
          ...(this.#random.chance(0.3) && { date: day(this.#random.integer(0, 400)) }),
        });
        return { interface: name, method: 'GET', path: `/api/${feed}?${query}` };
      }
      case 'changes': {
        const after = this.#random.integer(0, this.#market.items.length - 1);
        const query = `afterChangeNumber=${changeNumber(1, after)}&limit=${10 ** this.#random.integer(0, 3)}`;
        return { interface: name, method: 'GET', path: `/api/changes?${query}` };
      }
      case 'export':
        return { interface: name, method: 'GET', path: `/api/export?after=${this.#extreme()}` };
    }
  }

  #message(id: number): Message {
    const random = this.#random;
    const one = () => random.pick([...Object.values(this.#market.ids)].flat()) ?? '';
    const name = random.pick([
      'search_listings',
      'get_listing',
      'check_availability',
      'check_availability',
      'list_facets',
    ]);
    if (random.chance(0.15)) return call(id, name, this.#unknownArguments());
    if (name === 'get_listing')
      return call(id, name, { id: random.chance(0.5) ? one() : this.#extreme(), ...this.#stay(0.3) });
    if (name === 'check_availability') return call(id, name, { id: this.#extreme(), ...this.#stay(1) });
    if (name === 'list_facets')
      return call(id, name, {
        facet: random.pick(['city', 'category', 'sub_category']),
        limit: 100,
        ...(random.chance(0.5) && { query: this.#word() }),
      });
    return call(id, name, {
      ...(random.chance(0.6) && { city: this.#word() }),
      ...(random.chance(0.4) && { category: this.#word() }),
      ...(random.chance(0.3) && { sub_category: this.#word() }),
      ...(random.chance(0.6) && { limit: random.integer(1, 20), detail: 'detailed' }),
      ...this.#stay(0.3),
    });
  }

  /** A value near those of many listings, one of them, or a value that does not exist. */
  #word(): string {
    const near = this.#random.pick(this.#market.nearValues) ?? '';
    return this.#random.pick([near, `${near}00`, `c${near}`, near.slice(0, 4), 'nada']);
  }

  /** The id of a listing whose members are all long. */
  #extreme(): string {
    const { giant, calendar, text } = this.#market.ids;
    return this.#random.pick([...giant.slice(0, 2), ...calendar, ...text.slice(0, 12)]) ?? '';
  }

  #unknownArguments(): object {
    const count = 10 ** this.#random.integer(0, 3) * this.#random.integer(1, 8);
    return Object.fromEntries(Array.from({ length: count }, (_, i) => [`u${i}`, 1]));
  }

  #stay(probability: number): object {
    if (!this.#random.chance(probability)) return {};
    const first = this.#random.integer(0, 1_000);
    return { date: day(first), date_to: day(first + this.#random.pick([0, 6, 30])) };
  }

  #catalog(): ['search' | 'lookup' | 'product', object] {
    const random = this.#random;
    const { giant, calendar, text, ordinary } = this.#market.ids;
    const filters = random.chance(0.5) ? { filters: this.#stay(1) } : {};
    const operation = random.pick(['lookup', 'lookup', 'search', 'product'] as const);
    if (operation === 'product') return [operation, { id: this.#extreme(), ...filters }];
    if (operation === 'lookup') {
      const pool = random.pick([giant, calendar, text, [...giant, ...calendar, ...ordinary]]);
      return [operation, { ids: pool.slice(0, random.integer(1, 50)), ...filters }];
    }
    return [
      operation,
      {
        query: random.pick(['anuncio', 'anuncio 1']),
        ...filters,
        pagination: { limit: random.integer(1, 50) },
      },
    ];
  }
}

const call = (id: number, name: string, args: object): Message => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
