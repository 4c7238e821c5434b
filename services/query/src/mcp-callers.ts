import { type AllowedCallers, LOOPBACK_HOSTS } from './mcp/allowed-callers.ts';

interface CallerSettings {
  /** Comma-separated host names. */
  MCP_ALLOWED_HOSTS?: string;
  /** Comma-separated origins, or `*`. */
  MCP_ALLOWED_ORIGINS?: string;
  PUBLIC_URL?: string;
}

const ANY = '*';

/**
 * Returns the callers that may use the MCP endpoints. The default is loopback plus the host and the origin of
 * PUBLIC_URL (docs/operate/configuration.md#query-service).
 */
export function allowedCallers({
  MCP_ALLOWED_HOSTS: hosts,
  MCP_ALLOWED_ORIGINS: origins,
  PUBLIC_URL: publicUrl,
}: CallerSettings): AllowedCallers {
  const own = publicUrl === undefined ? null : URL.parse(publicUrl);
  return {
    hosts:
      hosts === undefined
        ? [...LOOPBACK_HOSTS, ...(own ? [own.hostname] : [])]
        : listOf(hosts).flatMap((host) => hostOf(host) ?? []),
    origins:
      origins === undefined
        ? { exact: own ? [own.origin] : [], loopback: true }
        : origins.trim() === ANY
          ? ANY
          : { exact: listOf(origins).flatMap((origin) => originOf(origin) ?? []), loopback: false },
  };
}

/** Returns one message for each malformed setting, without its value, which may contain a password. */
export function checkMcpCallers({
  MCP_ALLOWED_HOSTS: hosts = '',
  MCP_ALLOWED_ORIGINS: origins = '',
}: CallerSettings): string[] {
  const hasBadHost = listOf(hosts).some((host) => hostOf(host) === undefined);
  const badOrigin = listOf(origins).find((origin) => origin !== ANY && originOf(origin) === undefined);
  return [
    ...(hasBadHost ? ['MCP_ALLOWED_HOSTS must be host names, separated by commas'] : []),
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

/** Returns an origin in the form of the `Origin` header, that is, without the default port of its scheme. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  const isOrigin = url && /^https?:\/\/[^/@?#\\*\s]+\/?$/i.test(text);
  return isOrigin ? url.origin : undefined;
}
