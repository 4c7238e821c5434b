/**
 * The release of the Universal Commerce Protocol that the catalog follows (docs/reference/ucp.md#version).
 */
export const UCP_VERSION = '2026-08-25';
export const UCP_SITE = `https://ucp.dev/${UCP_VERSION}`;
export const SEARCH_CAPABILITY = 'dev.ucp.shopping.catalog.search';
export const LOOKUP_CAPABILITY = 'dev.ucp.shopping.catalog.lookup';

/** The path of the catalog below the origin. The path of every REST endpoint begins with it. */
export const UCP_PATH = '/ucp';
export const UCP_MCP_PATH = '/ucp/mcp';
/** The path of the extension's JSON Schema. */
export const EXTENSION_PATH = '/ucp/availability.json';
/** The date on which the extension last changed. It does not depend on the release of UCP. */
export const EXTENSION_VERSION = '2026-11-26';

const EXTENSION_SUFFIX = 'catalog.availability';
/** UCP's reverse_domain_name.json. */
const REVERSE_DOMAIN_NAME = /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?)+$/;

/**
 * Returns the extension's name: the public host's labels in reverse order, and the capability's name. UCP
 * requires that the host of the extension's schema controls the name ("Authority Binding"). An IP address and
 * a host with one label control no name, so UCP clients reject the extension there.
 * @param base the URL at which clients reach the service
 */
export function extensionName(base: string): string {
  const hostname = URL.parse(base)?.hostname.replace(/\.$/, '') ?? '';
  const name = `${hostname.split('.').reverse().join('.')}.${EXTENSION_SUFFIX}`;
  return REVERSE_DOMAIN_NAME.test(name) ? name : `localhost.${EXTENSION_SUFFIX}`;
}
