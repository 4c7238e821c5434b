import { get, type HttpConnection } from '../http-connection.ts';
import { bodyOf } from '../measure.ts';
import { type Cost, tokensOf } from './answer.ts';

/** The members of the agent feed's items that the questions need. */
export interface FeedEntry {
  id: string;
  price: number;
  availability: { date: string; available: boolean; price: number }[];
  location: { state?: string };
  images?: string[];
  stay?: { from: string; to: string; total_price: number };
}

/** The members of an agent feed page that the questions need. */
export interface FeedPage {
  data: FeedEntry[];
  meta: {
    total: number;
    pageCount: number;
    availability?: { date: string; items: number; min_price?: number }[];
    stays?: { from: string; items: number; min_total_price?: number }[];
  };
}

export type FeedQuery = Readonly<Record<string, string | number>>;

/**
 * Reads the agent feed as a model without tools does, and counts what the model writes and reads: the path of
 * each URL, and the whole body of each response.
 */
export class FeedClient {
  readonly #connection: HttpConnection;
  #calls = 0;
  #tokens = 0;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  get cost(): Cost {
    return { calls: this.#calls, tokens: this.#tokens };
  }

  /**
   * Requests one page.
   * @param adType `sale`, `rent` or `service`; empty for the feed of all types
   */
  async page(adType: string, query: FeedQuery): Promise<FeedPage> {
    const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const path = `/api/ai-feed${adType && `/${adType}`}?${new URLSearchParams(parameters)}`;
    const body = (await bodyOf(this.#connection, get(path))).toString();
    this.#calls++;
    this.#tokens += tokensOf(path, body);
    return JSON.parse(body) as FeedPage;
  }

  /** The number of matching items, read from the smallest page. */
  async total(adType: string, query: FeedQuery): Promise<number> {
    return (await this.page(adType, { ...query, pageSize: 1 })).meta.total;
  }

  /**
   * Requests page after page, and stops as soon as it has accepted enough items or no page is left.
   * @returns the accepted items, in the feed's order
   */
  async find(
    adType: string,
    query: FeedQuery & { pageSize: number },
    wanted: number,
    accepts: (item: FeedEntry) => boolean,
  ): Promise<FeedEntry[]> {
    const found: FeedEntry[] = [];
    for (let page = 1, pageCount = 1; page <= pageCount && found.length < wanted; page++) {
      const { data, meta } = await this.page(adType, { ...query, page });
      found.push(...data.filter(accepts));
      pageCount = meta.pageCount;
    }
    return found.slice(0, wanted);
  }
}
