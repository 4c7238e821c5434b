import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** A connected client of the official SDK. */
export interface McpClient {
  client: Client;
  /** Calls a tool. The caller counts the `tokens` of the text and the data. */
  call(name: string, args?: object): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export interface ToolAnswer {
  text: string;
  /** The structured content. Its members depend on the tool. */
  data: Record<string, unknown>;
  isError: boolean;
}

/** Both eras of the protocol: 2026-07-28 without a session, and the 2025 revisions with `initialize`. */
export const ERAS = ['auto', 'legacy'] as const;
export type Era = (typeof ERAS)[number];

/** Connects a client over Streamable HTTP. @param url the URL of the MCP endpoint */
export async function connectMcp(url: string, era: Era = 'auto'): Promise<McpClient> {
  const client = new Client(
    { name: 'vitrine-test', version: '1.0.0' },
    { versionNegotiation: { mode: era } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    client,
    async call(name, args = {}) {
      const { content, structuredContent, isError } = await client.callTool({
        name,
        arguments: args as Record<string, unknown>,
      });
      const [first] = content as { type: string; text?: string }[];
      return {
        text: first?.text ?? '',
        data: (structuredContent ?? {}) as Record<string, unknown>,
        isError: isError === true,
      };
    },
    close: () => client.close(),
  };
}
