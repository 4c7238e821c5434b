import type { IncomingHttpHeaders } from 'node:http';
import { Client } from 'undici';

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: Buffer;
}

export interface HttpResponse {
  status: number;
  /** The headers by lower-case name. */
  headers: IncomingHttpHeaders;
  /** The body as it was sent: it is still compressed if the server compressed it. */
  body: Buffer;
}

/** A server counts as failed if it sends no bytes for this long. No request of the bench takes this long. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * One keep-alive HTTP/1.1 connection to a port of 127.0.0.1, with one request at a time. The bench measures
 * all subjects through such connections. The class uses the callbacks of undici's `dispatch`, because
 * undici's `request` takes twice the CPU time.
 */
export class HttpConnection {
  readonly #client: Client;

  /** Connects with the first request, and again after the server has closed the connection. */
  constructor(port: number, timeoutMs = REQUEST_TIMEOUT_MS) {
    this.#client = new Client(`http://127.0.0.1:${port}`, {
      connectTimeout: timeoutMs,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  /**
   * @throws an Error that names the request if the connection breaks or the server sends nothing for too long
   */
  send(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let status = 0;
      let headers: IncomingHttpHeaders = {};
      this.#client.dispatch(request, {
        onRequestStart() {},
        onResponseStart(_controller, statusCode, received) {
          status = statusCode;
          headers = received;
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          resolve({
            status,
            headers,
            body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks),
          });
        },
        onResponseError(_controller, error) {
          reject(new Error(`${request.method} ${request.path}: ${error.message}`, { cause: error }));
        },
      });
    });
  }

  /** Closes the connection. A pending request fails. */
  close(): void {
    void this.#client.destroy();
  }
}

export const get = (path: string, headers: Readonly<Record<string, string>> = {}): HttpRequest => ({
  method: 'GET',
  path,
  headers,
});

/** A POST request whose JSON body is serialized only once. */
export const post = (path: string, body: object): HttpRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});
