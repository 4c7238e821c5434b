import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { HttpRequest } from '../http-connection.ts';
import type { CallTool } from './tool-client.ts';

const PATH = '/mcp';

/** A tool call, as the SDK's client sends it. */
interface SentCall {
  headers: Record<string, string>;
  message: { params: { name: string; arguments: object } };
}

/** The query service's MCP endpoint, called through the official SDK's client. */
export class McpConnection {
  readonly #client: Client;
  readonly #sent: { last?: SentCall };

  private constructor(client: Client, sent: { last?: SentCall }) {
    this.#client = client;
    this.#sent = sent;
  }

  /**
   * Connects to a port of 127.0.0.1. The client chooses the newest protocol version that both sides support.
   */
  static async open(port: number): Promise<McpConnection> {
    const sent: { last?: SentCall } = {};
    const client = new Client(
      { name: 'vitrine-bench', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' } },
    );
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}${PATH}`), {
      fetch: async (url, init) => {
        const message = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
        if (message?.method === 'tools/call')
          sent.last = { headers: Object.fromEntries(new Headers(init?.headers)), message };
        return fetch(url, init);
      },
    });
    await client.connect(transport);
    return new McpConnection(client, sent);
  }

  callTool: CallTool = (name, args) => this.#client.callTool({ name, arguments: args });

  /** The definitions of all tools, as a model reads them. */
  async definitions(): Promise<object[]> {
    return (await this.#client.listTools()).tools;
  }

  /**
   * Calls the tool once, and returns a function that makes the same request with other arguments. Such
   * requests do not pass through the SDK, so a measurement does not include the client's time.
   */
  async requestsLike(
    name: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<(args: Readonly<Record<string, unknown>>) => HttpRequest> {
    await this.callTool(name, args);
    const { last } = this.#sent;
    if (last?.message.params.name !== name) throw new Error(`the client sent no call of ${name}`);
    const { headers, message } = last;
    return (others) => ({
      method: 'POST',
      path: PATH,
      headers,
      body: Buffer.from(JSON.stringify({ ...message, params: { ...message.params, arguments: others } })),
    });
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
