const { feeds = './', mcp = './mcp', map = './map.json' } = document.documentElement.dataset;
const absolute = (address: string): string => new URL(address, location.href).href;

/**
 * The absolute URLs of the feeds' base path (with a slash at its end), the MCP endpoint and the map's data.
 */
export const ADDRESSES = { feeds: absolute(feeds), mcp: absolute(mcp), map: absolute(map) };
