/** A page at the root of the origin. GET returns 200 without a redirect. */
interface EntryLink {
  name: string;
  path: string;
  notes: string;
}

/** An endpoint that accepts only POST. A link to the endpoint would fail. */
interface PostEndpoint {
  path: string;
  notes: string;
}

/**
 * The entry points that `/llms.txt` and `/sitemap.xml` name in addition to the OpenAPI document's operations.
 */
export interface EntryPoints {
  links: readonly EntryLink[];
  posts: readonly PostEndpoint[];
  /** The pages of the documentation, below BASE_PATH. */
  pages: readonly string[];
}

/** The paths of the entry points. They are below the origin, not below BASE_PATH. */
export const PATHS = {
  llmsText: '/llms.txt',
  aiCatalog: '/.well-known/ai-catalog.json',
  mcp: '/mcp',
  serverCard: '/mcp/server-card',
  robots: '/robots.txt',
  sitemap: '/sitemap.xml',
  ucpProfile: '/.well-known/ucp',
  ucpSearch: '/ucp/catalog/search',
  ucpMcp: '/ucp/mcp',
} as const;

export const ENTRY_POINTS: Omit<EntryPoints, 'pages'> = {
  links: [
    {
      name: 'MCP server card',
      path: PATHS.serverCard,
      notes: 'the address and the protocol versions of the MCP server',
    },
    { name: 'AI catalog', path: PATHS.aiCatalog, notes: 'the index of the cards of this origin' },
    {
      name: 'UCP profile',
      path: PATHS.ucpProfile,
      notes: 'the endpoints of the catalog in the form of the Universal Commerce Protocol',
    },
  ],
  posts: [
    {
      path: PATHS.mcp,
      notes:
        'MCP over Streamable HTTP, without credentials. Usually one call of the tool `search_listings` is ' +
        'enough.',
    },
    {
      path: PATHS.ucpSearch,
      notes: 'search of the UCP catalog, for shopping agents. The UCP profile names the other operations.',
    },
    {
      path: PATHS.ucpMcp,
      notes: 'the UCP catalog over MCP: `search_catalog`, `lookup_catalog`, `get_product`.',
    },
  ],
};
