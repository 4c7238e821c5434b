import { PATHS } from './entry-points.ts';
import { hostNameOf } from './public-root.ts';
import { MCP_SERVER_NAME, MCP_SERVER_TITLE, SERVER_CARD_TYPE } from './server-card.ts';

export const AI_CATALOG_TYPE = 'application/ai-catalog+json';

/**
 * Creates the AI catalog: the index of the cards of this origin. `mediaType` is the earlier name of `type`.
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
