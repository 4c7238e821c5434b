import { PASSWORDS } from '../../support/engines.ts';

const USERS = ['projector', 'query', 'cli', 'ingest'] as const;
export const passwordOf = (user: (typeof USERS)[number]): string => PASSWORDS[`vitrine-${user}`];

const JAAS = [
  'org.apache.kafka.common.security.plain.PlainLoginModule required',
  `username="administrator" password="${PASSWORDS.administrator}"`,
  `user_administrator="${PASSWORDS.administrator}"`,
  ...USERS.map((user) => `user_vitrine-${user}="${passwordOf(user)}"`),
].join(' ');

const KAFKA: Record<string, string> = {
  CLUSTER_ID: 'dml0cmluZS1jb21wb3NlLQ',
  KAFKA_NODE_ID: '1',
  KAFKA_PROCESS_ROLES: 'broker,controller',
  KAFKA_LISTENERS: 'CLIENT://0.0.0.0:9092,CONTROLLER://0.0.0.0:9093',
  KAFKA_ADVERTISED_LISTENERS: 'CLIENT://kafka:9092',
  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CLIENT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
  KAFKA_INTER_BROKER_LISTENER_NAME: 'CLIENT',
  KAFKA_SASL_ENABLED_MECHANISMS: 'PLAIN',
  KAFKA_SASL_MECHANISM_INTER_BROKER_PROTOCOL: 'PLAIN',
  KAFKA_LISTENER_NAME_CLIENT_PLAIN_SASL_JAAS_CONFIG: `${JAAS};`,
  KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
  KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
  KAFKA_LOG_DIRS: '/var/lib/kafka/data/log',
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
  KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
  KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
  KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
  KAFKA_OFFSETS_RETENTION_MINUTES: '525600',
  KAFKA_HEAP_OPTS: '-Xms512m -Xmx512m',
};
const ELASTICSEARCH: Record<string, string> = {
  ES_PATH_CONF: '/elasticsearch-config',
  'discovery.type': 'single-node',
  'xpack.security.enabled': 'false',
  'action.auto_create_index': 'false',
  ES_JAVA_OPTS: '-Xms1g -Xmx1g',
};

/** What the strictest Pod Security profile requires of a container. */
const CONFINED = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const podSecurity = (user: number, group: number) => ({
  runAsNonRoot: true,
  runAsUser: user,
  runAsGroup: group,
  fsGroup: group,
  seccompProfile: { type: 'RuntimeDefault' },
});
const toEnv = (env: Record<string, string>) => Object.entries(env).map(([name, value]) => ({ name, value }));

/**
 * Engines of the test: one broker with users, and one Elasticsearch without security. They lose their data with
 * their pods, so nothing may evict them. `tools` is a pod that reaches both engines and the feed.
 */
export const engineManifests = (toolsImage: string): object[] => [
  ...engine('kafka', 9092, {
    image: 'apache/kafka:4.2.0',
    env: toEnv(KAFKA),
    resources: { requests: { cpu: '50m', memory: '800Mi' }, limits: { memory: '1200Mi' } },
    volumeMounts: [{ name: 'data', mountPath: '/var/lib/kafka/data' }],
  }),
  ...engine('elasticsearch', 9200, {
    image: 'elasticsearch:9.5.0',
    command: ['bash', '-c'],
    args: [
      'cp -R /usr/share/elasticsearch/config/. /elasticsearch-config && exec /usr/local/bin/docker-entrypoint.sh eswrapper',
    ],
    env: toEnv(ELASTICSEARCH),
    resources: { requests: { cpu: '50m', memory: '1500Mi' }, limits: { memory: '2Gi' } },
    volumeMounts: [
      { name: 'data', mountPath: '/usr/share/elasticsearch/data' },
      { name: 'config', mountPath: '/elasticsearch-config' },
    ],
  }),
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'tools' },
    spec: {
      securityContext: podSecurity(10001, 10001),
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'tools',
          image: toolsImage,
          imagePullPolicy: 'IfNotPresent',
          command: ['sleep', 'infinity'],
          env: toEnv({ KAFKA_USER: 'administrator', KAFKA_PASSWORD: PASSWORDS.administrator }),
          resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '768Mi' } },
          securityContext: CONFINED,
        },
      ],
    },
  },
];

function engine(name: string, port: number, container: object): object[] {
  const labels = { 'vitrine-test': name };
  const security = name === 'kafka' ? podSecurity(1000, 1000) : podSecurity(1000, 0);
  return [
    { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: labels, ports: [{ port }] } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        selector: { matchLabels: labels },
        strategy: { type: 'Recreate' },
        template: {
          metadata: { labels },
          spec: {
            enableServiceLinks: false,
            securityContext: security,
            containers: [
              {
                name,
                imagePullPolicy: 'IfNotPresent',
                readinessProbe: { tcpSocket: { port }, periodSeconds: 3 },
                securityContext: CONFINED,
                ...container,
              },
            ],
            volumes: [
              { name: 'data', emptyDir: {} },
              { name: 'config', emptyDir: {} },
            ],
          },
        },
      },
    },
  ];
}
