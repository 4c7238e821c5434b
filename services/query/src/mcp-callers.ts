import type { AllowedCallers } from './mcp/allowed-callers.ts';

interface CallerSettings {
  /** Comma-separated host names. */
  MCP_ALLOWED_HOSTS?: string;
  /** Comma-separated origins, or `*`. */
  MCP_ALLOWED_ORIGINS?: string;
  PUBLIC_URL?: string;
}

const ANY = '*';
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns the callers that may use the MCP endpoints. The default is loopback and the host of PUBLIC_URL
 * (docs/operate/configuration.md#query-service).
 */
export function allowedCallers({
  MCP_ALLOWED_HOSTS: hosts,
  MCP_ALLOWED_ORIGINS: origins,
  PUBLIC_URL: publicUrl,
}: CallerSettings): AllowedCallers {
  const own = publicUrl === undefined ? undefined : URL.parse(publicUrl)?.hostname;
  const preset = [...LOOPBACK, ...(own ? [own] : [])];
  return {
    hosts: hosts === undefined ? preset : listOf(hosts).flatMap((host) => hostOf(host) ?? []),
    origins:
      origins === undefined
        ? preset
        : origins.trim() === ANY
          ? ANY
          : listOf(origins).flatMap((origin) => originHost(origin) ?? []),
  };
}

/** Returns one message for each malformed setting. */
export function checkMcpCallers({
  MCP_ALLOWED_HOSTS: hosts = '',
  MCP_ALLOWED_ORIGINS: origins = '',
}: CallerSettings): string[] {
  const badHost = listOf(hosts).find((host) => hostOf(host) === undefined);
  const badOrigin = listOf(origins).find((origin) => origin !== ANY && originHost(origin) === undefined);
  return [
    ...(badHost === undefined
      ? []
      : [`MCP_ALLOWED_HOSTS must be host names, separated by commas: ${badHost}`]),
    ...(badOrigin === undefined && !(listOf(origins).length > 1 && listOf(origins).includes(ANY))
      ? []
      : ['MCP_ALLOWED_ORIGINS must be *, or origins such as https://example.com, separated by commas']),
  ];
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Returns the host name of `host` or `host:port`. */
function hostOf(text: string): string | undefined {
  if (/[/@?#\s*]/.test(text)) return undefined;
  return URL.parse(`http://${text}`)?.hostname || undefined;
}

function originHost(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '').toLowerCase()
    ? url.hostname
    : undefined;
}
