import {
  EXTENSION_PATH,
  EXTENSION_VERSION,
  extensionName,
  LOOKUP_CAPABILITY,
  SEARCH_CAPABILITY,
  UCP_MCP_PATH,
  UCP_PATH,
  UCP_SITE,
  UCP_VERSION,
} from './ucp-names.ts';

/**
 * Creates the profile at `/.well-known/ucp`, in the form of UCP's profile.json (business_schema).
 * @param base the URL at which clients reach the service, without a slash at its end
 */
export function ucpProfile(base: string): object {
  const service = {
    version: UCP_VERSION,
    spec: `${UCP_SITE}/specification/overview`,
  };
  const catalog = (operation: 'search' | 'lookup') => [
    {
      version: UCP_VERSION,
      spec: `${UCP_SITE}/specification/shopping/catalog/${operation}`,
      schema: `${UCP_SITE}/schemas/shopping/catalog_${operation}.json`,
    },
  ];
  return {
    ucp: {
      version: UCP_VERSION,
      services: {
        'dev.ucp.shopping': [
          {
            ...service,
            transport: 'rest',
            schema: `${UCP_SITE}/services/shopping/rest.openapi.json`,
            endpoint: `${base}${UCP_PATH}`,
          },
          {
            ...service,
            transport: 'mcp',
            schema: `${UCP_SITE}/services/shopping/mcp.openrpc.json`,
            endpoint: `${base}${UCP_MCP_PATH}`,
          },
        ],
      },
      capabilities: {
        [SEARCH_CAPABILITY]: catalog('search'),
        [LOOKUP_CAPABILITY]: catalog('lookup'),
        [extensionName(base)]: [
          {
            version: EXTENSION_VERSION,
            extends: [SEARCH_CAPABILITY, LOOKUP_CAPABILITY],
            schema: `${base}${EXTENSION_PATH}`,
          },
        ],
      },
      // The business schema requires this member, although the catalog takes no payments.
      payment_handlers: {},
    },
  };
}
