import type { Encoder } from '../response/content-encoding.ts';
import {
  type ContentEncoding,
  chooseEncoding,
  encode,
  MIN_ENCODED_BYTES,
} from '../response/content-encoding.ts';
import type { Representation } from '../response/representation.ts';

export interface EncodedBody {
  encoding: ContentEncoding | undefined;
  bytes: Buffer;
}

/** The memory that a page's objects, key and headers use in addition to its bytes. */
const OVERHEAD_BYTES = 2_048;

/**
 * A finished page: the bytes of a representation and of its encodings. The page creates each encoding once,
 * for the first request that needs it.
 */
export class Page {
  readonly contentType: string;
  readonly etag: string;
  readonly link: string | undefined;
  /** A Cache-Control value that replaces the value of the page's route. */
  readonly cacheControl: string | undefined;
  /**
   * The time of the state that the page shows, in milliseconds of `performance.now()`. It is undefined if
   * this state is not older than the search for the page.
   */
  readonly shownAt: number | undefined;
  readonly #plain: EncodedBody;
  readonly #encoded = new Map<ContentEncoding, EncodedBody>();
  readonly #making = new Map<ContentEncoding, Promise<EncodedBody>>();
  readonly #encode: Encoder;

  constructor(
    { body, contentType = 'application/json', etag, link, cacheControl }: Representation,
    encoder: Encoder = encode,
    shownAt?: number,
  ) {
    this.contentType = contentType;
    this.etag = etag;
    this.link = link;
    this.cacheControl = cacheControl;
    this.shownAt = shownAt;
    this.#encode = encoder;
    this.#plain = { encoding: undefined, bytes: body };
  }

  /** Approximate memory use in bytes. */
  get size(): number {
    const encoded = this.#encoded.values().reduce((sum, { bytes }) => sum + bytes.length, 0);
    return OVERHEAD_BYTES + this.#plain.bytes.length + encoded;
  }

  /** Whether the page is large enough to benefit from an encoding. */
  get isWorthEncoding(): boolean {
    return this.#plain.bytes.length >= MIN_ENCODED_BYTES;
  }

  /** Selects the encoding of this page for an Accept-Encoding header. */
  encodingFor(acceptEncoding: string | undefined): ContentEncoding | undefined {
    return chooseEncoding(acceptEncoding, this.isWorthEncoding);
  }

  /** Returns the body in `encoding` if that body already exists. */
  existingBody(encoding: ContentEncoding | undefined): EncodedBody | undefined {
    return encoding === undefined ? this.#plain : this.#encoded.get(encoding);
  }

  /**
   * Returns the body in `encoding`. If necessary, encodes it outside the event loop. Returns the plain body
   * if the encoder has reached its limit.
   */
  async body(encoding: ContentEncoding | undefined): Promise<EncodedBody> {
    const made = this.existingBody(encoding);
    if (made || encoding === undefined) return made ?? this.#plain;
    return this.#making.get(encoding) ?? this.#make(encoding) ?? this.#plain;
  }

  #make(encoding: ContentEncoding): Promise<EncodedBody> | undefined {
    const making = this.#encode(this.#plain.bytes, encoding)?.then((bytes) => {
      const body = { encoding, bytes };
      this.#encoded.set(encoding, body);
      return body;
    });
    if (!making) return undefined;
    this.#making.set(encoding, making);
    const made = () => this.#making.delete(encoding);
    making.then(made, made);
    return making;
  }
}
