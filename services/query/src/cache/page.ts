import type { Encoder } from '../response/bounded-encoder.ts';
import { CODING_WORTHWHILE_BYTES, encode } from '../response/compression.ts';
import { type ContentCoding, chooseCoding } from '../response/content-encoding.ts';
import type { Representation } from '../response/representation.ts';

/** A body in one content coding. */
export interface CodedBody {
  coding: ContentCoding | undefined;
  bytes: Buffer;
}

/** Memory of a page in addition to its bytes: objects, key, headers. */
const OVERHEAD_BYTES = 2_048;

/**
 * A finished page: the bytes of a representation and of its encodings. Each encoding is made once, at its
 * first request.
 */
export class Page {
  readonly contentType: string;
  readonly etag: string;
  readonly link: string | undefined;
  readonly #plain: CodedBody;
  readonly #coded = new Map<ContentCoding, CodedBody>();
  readonly #making = new Map<ContentCoding, Promise<CodedBody>>();
  readonly #encode: Encoder;

  constructor({ body, contentType = 'application/json', etag, link }: Representation, encoder: Encoder = encode) {
    this.contentType = contentType;
    this.etag = etag;
    this.link = link;
    this.#encode = encoder;
    this.#plain = { coding: undefined, bytes: body };
  }

  /** Approximate memory use in bytes. */
  get size(): number {
    const coded = this.#coded.values().reduce((sum, { bytes }) => sum + bytes.length, 0);
    return OVERHEAD_BYTES + this.#plain.bytes.length + coded;
  }

  /** Whether the page is large enough to gain from a coding. */
  get isWorthCoding(): boolean {
    return this.#plain.bytes.length >= CODING_WORTHWHILE_BYTES;
  }

  /** The coding of this page for an Accept-Encoding header. */
  codingFor(acceptEncoding: string | undefined): ContentCoding | undefined {
    return chooseCoding(acceptEncoding, this.isWorthCoding);
  }

  /** The body in `coding`, if it exists already. */
  ready(coding: ContentCoding | undefined): CodedBody | undefined {
    return coding === undefined ? this.#plain : this.#coded.get(coding);
  }

  /**
   * The body in `coding`, encoded outside the event loop if necessary; the plain body if the encoder is at
   * its limit.
   */
  async in(coding: ContentCoding | undefined): Promise<CodedBody> {
    const made = this.ready(coding);
    if (made || coding === undefined) return made ?? this.#plain;
    return this.#making.get(coding) ?? this.#make(coding) ?? this.#plain;
  }

  #make(coding: ContentCoding): Promise<CodedBody> | undefined {
    const making = this.#encode(this.#plain.bytes, coding)?.then((bytes) => {
      const body = { coding, bytes };
      this.#coded.set(coding, body);
      return body;
    });
    if (!making) return undefined;
    this.#making.set(coding, making);
    const made = () => this.#making.delete(coding);
    making.then(made, made);
    return making;
  }
}
