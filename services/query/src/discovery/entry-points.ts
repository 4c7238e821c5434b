/** A page at the root of the origin. GET returns 200 without a redirect. */
interface EntryLink {
  name: string;
  path: string;
  notes: string;
}

/** An endpoint that accepts only POST, so that a link to it would fail. */
interface PostEndpoint {
  path: string;
  notes: string;
}

/** What `/llms.txt` and `/sitemap.xml` name in addition to the operations of the OpenAPI document. */
export interface EntryPoints {
  links: readonly EntryLink[];
  posts: readonly PostEndpoint[];
}

/** The paths of the entry points, below the origin and not below BASE_PATH. */
export const PATHS = {
  llmsText: '/llms.txt',
  aiCatalog: '/.well-known/ai-catalog.json',
  mcp: '/mcp',
  serverCard: '/mcp/server-card',
  robots: '/robots.txt',
  sitemap: '/sitemap.xml',
} as const;

export const ENTRY_POINTS: EntryPoints = {
  links: [
    {
      name: 'MCP server card',
      path: PATHS.serverCard,
      notes: 'the address and the protocol versions of the MCP server',
    },
    { name: 'AI catalog', path: PATHS.aiCatalog, notes: 'the index of the cards of this origin' },
  ],
  posts: [
    {
      path: PATHS.mcp,
      notes:
        'MCP over Streamable HTTP, without credentials. Usually one call of the tool `search_listings` is ' +
        'enough.',
    },
  ],
};
