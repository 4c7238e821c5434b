import { missingPartner } from '@vitrine/runtime/credentials';
import { certificates, secret, userName } from '@vitrine/runtime/settings';
import { type Static, type TObject, Type } from 'typebox';
import type { RegistryConnection } from './schema-registry.ts';

/** The schema registry's address and the service's credentials (docs/operate/configuration.md). */
export const registrySettings = {
  SCHEMA_REGISTRY_URL: Type.Optional(
    Type.String({
      format: 'http-urls',
      description: 'http(s)://host:port, then the path of the API if it has one',
    }),
  ),
  SCHEMA_REGISTRY_USERNAME: userName(),
  SCHEMA_REGISTRY_PASSWORD: secret(),
  SCHEMA_REGISTRY_TOKEN: secret('^[A-Za-z0-9._~+/-]+=*$'),
  SCHEMA_REGISTRY_TLS_CA: certificates(),
};

type RegistrySettings = Partial<Static<TObject<typeof registrySettings>>>;

/**
 * Converts the settings, which `checkRegistry` has accepted, to a connection. Returns undefined if there is
 * no registry.
 */
export function registryConnection(settings: RegistrySettings): RegistryConnection | undefined {
  const {
    SCHEMA_REGISTRY_URL: registryUrl,
    SCHEMA_REGISTRY_USERNAME: username,
    SCHEMA_REGISTRY_PASSWORD: password,
    SCHEMA_REGISTRY_TOKEN: token,
    SCHEMA_REGISTRY_TLS_CA: ca,
  } = settings;
  if (registryUrl === undefined) return undefined;
  const user = username !== undefined && password !== undefined ? { username, password } : undefined;
  const auth = token === undefined ? user : { token };
  return { registryUrl, ...(auth && { auth }), ...(ca !== undefined && { ca }) };
}

/** Reports conflicts between the connection settings to `readSettings`. */
export function checkRegistry(settings: RegistrySettings): string[] {
  const { SCHEMA_REGISTRY_URL: url = '' } = settings;
  const user = ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD'] as const;
  return [
    // Many messages contain the address, so the address must not contain a secret.
    ...(/@/.test(url)
      ? [
          'SCHEMA_REGISTRY_URL must not contain a user or a password. ' +
            'Set SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD instead',
        ]
      : []),
    ...(/[,?#]/.test(url) ? ['SCHEMA_REGISTRY_URL must be one address, without a query'] : []),
    ...missingPartner(settings, ...user),
    ...user
      .filter((name) => name in settings && 'SCHEMA_REGISTRY_TOKEN' in settings)
      .map((name) => `SCHEMA_REGISTRY_TOKEN and ${name} must not both be set`),
    ...('SCHEMA_REGISTRY_TLS_CA' in settings && !url.startsWith('https:')
      ? ['SCHEMA_REGISTRY_TLS_CA requires a SCHEMA_REGISTRY_URL that begins with https://']
      : []),
  ];
}
