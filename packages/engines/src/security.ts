import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { generate } from 'selfsigned';

/** A user of both engines, with a name and a password. */
export interface EngineUser {
  readonly password: string;
  /**
   * The user's permissions in the format of Elasticsearch's role API. A `superuser` may do everything in both
   * engines. In Kafka, all other users need ACLs.
   */
  readonly role: object | 'superuser';
}

/** The security settings of both engines: users, and a certificate from a temporary authority. */
export interface EngineSecurity {
  readonly users: Readonly<Record<string, EngineUser>>;
  /** The user who may read Elasticsearch's cluster health. */
  readonly watcher: { readonly username: string; readonly password: string };
  /** The certificate of the temporary authority, in PEM format. */
  readonly ca: string;
  /** The engines' certificate, in PEM format. */
  readonly certificate: string;
  /** The private key of `certificate`, in PEM format. */
  readonly key: string;
}

/**
 * Creates the security settings for these users, with a certificate for 127.0.0.1 and the names in `hosts`.
 */
export async function createSecurity(
  users: Readonly<Record<string, EngineUser>>,
  hosts: readonly string[] = [],
): Promise<EngineSecurity> {
  const kind = { keyType: 'ec', algorithm: 'sha256' } as const;
  const authority = await generate([{ name: 'commonName', value: 'Vitrine engines' }], {
    ...kind,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    ...kind,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [{ type: 7, ip: '127.0.0.1' }, ...hosts.map((value) => ({ type: 2, value }) as const)],
      },
    ],
  });
  const watcher = { username: 'watcher', password: randomBytes(16).toString('hex') };
  return {
    users: { ...users, [watcher.username]: { password: watcher.password, role: { cluster: ['monitor'] } } },
    watcher,
    ca: authority.cert,
    certificate: server.cert,
    key: server.private,
  };
}

/**
 * Returns the files for Elasticsearch's file realm by name. Each user has one role, which has the user's
 * name.
 */
export function fileRealm({
  users,
}: Pick<EngineSecurity, 'users'>): Record<'users' | 'users_roles' | 'roles.yml', string> {
  const lines = (line: (name: string, user: EngineUser) => string[]) =>
    Object.entries(users)
      .flatMap(([name, user]) => line(name, user))
      .map((text) => `${text}\n`)
      .join('');
  return {
    users: lines((name, { password }) => [`${name}:${hashOf(password)}`]),
    users_roles: lines((name, { role }) => [`${role === 'superuser' ? role : name}:${name}`]),
    // Every JSON document is valid YAML.
    'roles.yml': lines((name, { role }) =>
      role === 'superuser' ? [] : [`${name}: ${JSON.stringify(role)}`],
    ),
  };
}

/**
 * Hashes a password in Elasticsearch's `pbkdf2` format. Elasticsearch's own tool would need a JVM and several
 * seconds per user.
 */
function hashOf(password: string): string {
  const [rounds, salt] = [10_000, randomBytes(32)];
  const hash = pbkdf2Sync(password, salt, rounds, 32, 'sha512');
  return `{PBKDF2}${rounds}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

/**
 * Returns the broker's settings for a listener with TLS, SASL (PLAIN and SCRAM) and ACLs. `keystore` is a PEM
 * file that contains key and certificate.
 */
export function kafkaSecurity(
  { users }: Pick<EngineSecurity, 'users'>,
  keystore: string,
): Record<string, string> {
  const known = Object.entries(users).map(([name, { password }]) => `user_${name}="${password}"`);
  const superusers = Object.entries(users).flatMap(([name, { role }]) =>
    role === 'superuser' ? [`User:${name}`] : [],
  );
  const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  return {
    'listener.security.protocol.map': 'SECURE:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'INTERNAL',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystore,
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'listener.name.secure.plain.sasl.jaas.config': `${plain} ${known.join(' ')};`,
    'listener.name.secure.scram-sha-256.sasl.jaas.config': scram,
    'listener.name.secure.scram-sha-512.sasl.jaas.config': scram,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    // The controller and this package connect through the other two listeners, where the broker sees them as
    // ANONYMOUS.
    'super.users': ['User:ANONYMOUS', ...superusers].join(';'),
  };
}

/** Returns the arguments with which Kafka's storage tool creates the SCRAM users. */
export function scramArguments({ users }: Pick<EngineSecurity, 'users'>): string[] {
  return Object.entries(users).flatMap(([name, { password }]) =>
    ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name="${name}",password="${password}"]`,
    ]),
  );
}
