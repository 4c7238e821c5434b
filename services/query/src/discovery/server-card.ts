import { INTERFACE_VERSION } from '../contract/operations.ts';
import { PATHS } from './entry-points.ts';
import { hostNameOf, reverseHostName } from './public-root.ts';

export const SERVER_CARD_TYPE = 'application/mcp-server-card+json';
/** The name of the MCP server, as in its `serverInfo`. */
const MCP_SERVER_NAME = 'vitrine';
const MCP_SERVER_TITLE = 'Vitrine listings';

/** The protocol versions of the MCP server. A test compares them with the SDK. */
const MCP_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'];

/**
 * Creates the card of the MCP server (MCP SEP-2127): its identity, address and protocol versions.
 * @param root the origin of the service, without a slash at its end
 */
export const serverCard = (root: string): object => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: `${reverseHostName(hostNameOf(root))}/${MCP_SERVER_NAME}`,
  version: INTERFACE_VERSION,
  // A description may have at most 100 characters.
  description: 'Read-only listings of a marketplace: search, prices and availability by date.',
  title: MCP_SERVER_TITLE,
  remotes: [{ type: 'streamable-http', url: `${root}${PATHS.mcp}`, supportedProtocolVersions: MCP_VERSIONS }],
});

export const AI_CATALOG_TYPE = 'application/ai-catalog+json';

/**
 * Creates the AI catalog: the index of this origin's cards. `mediaType` is the earlier name of `type`.
 * @param root the origin of the service, without a slash at its end
 */
export const aiCatalog = (root: string): object => ({
  specVersion: '1.0',
  entries: [
    {
      identifier: `urn:air:${hostNameOf(root)}:mcp:${MCP_SERVER_NAME}`,
      displayName: MCP_SERVER_TITLE,
      type: SERVER_CARD_TYPE,
      mediaType: SERVER_CARD_TYPE,
      url: `${root}${PATHS.serverCard}`,
    },
  ],
});
