const { feeds = './', mcp = './mcp', map = './map.json' } = document.documentElement.dataset;
const absolute = (address: string): string => new URL(address, location.href).href;

/** The absolute URLs of the base path of the feeds (with a slash at its end), of MCP, and of the map's data. */
export const ADDRESSES = { feeds: absolute(feeds), mcp: absolute(mcp), map: absolute(map) };
