import {
  createSecurity,
  fileRealm,
  KAFKA_SETTINGS,
  kafkaProperties,
  kafkaSecurity,
  SEVERAL_BROKERS,
  scramArguments,
} from '@vitrine/engines/testing';
import { PASSWORDS, secureUsers } from '../../support/engines.ts';

const BROKERS = [0, 1, 2];
const CLUSTER_ID = 'dml0cmluZS1jb21wb3NlLQ';
/** The folder in which the engines' pods find their files. */
const FILES = '/engine-files';

/** Starts a broker. Its number comes from its pod's name. The arguments add the SCRAM users. */
const START_KAFKA = `
number=\${HOSTNAME##*-}
cp ${FILES}/server.properties /tmp/server.properties
echo "node.id=$((number + 1))" >>/tmp/server.properties
echo "advertised.listeners=SECURE://$HOSTNAME.kafka:9093,INTERNAL://$HOSTNAME.kafka:9094" >>/tmp/server.properties
kafka() { java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "$@"; }
kafka -Xmx128m -cp '/opt/kafka/libs/*' kafka.tools.StorageTool format --ignore-formatted \\
  --cluster-id=${CLUSTER_ID} --config /tmp/server.properties "$@"
exec java -XX:TieredStopAtLevel=1 -Xmx512m -cp '/opt/kafka/libs/*' kafka.Kafka /tmp/server.properties
`;
const START_ELASTICSEARCH = `
cp -R /usr/share/elasticsearch/config/. /elasticsearch-config
cp ${FILES}/users ${FILES}/users_roles ${FILES}/roles.yml ${FILES}/http.pem ${FILES}/http.key /elasticsearch-config
exec /usr/local/bin/docker-entrypoint.sh eswrapper
`;
const ELASTICSEARCH: Record<string, string> = {
  ES_PATH_CONF: '/elasticsearch-config',
  'discovery.type': 'single-node',
  'xpack.security.enabled': 'true',
  'xpack.security.http.ssl.enabled': 'true',
  'xpack.security.http.ssl.certificate': 'http.pem',
  'xpack.security.http.ssl.key': 'http.key',
  'action.auto_create_index': 'false',
  ES_JAVA_OPTS: '-Xms1g -Xmx1g -XX:TieredStopAtLevel=1',
};

/** The settings that the strictest Pod Security profile requires for a container. */
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
 * The test's engines: three brokers and one Elasticsearch with TLS, users, roles and ACLs. They lose their
 * data with their pods, so they all run on one node, which the test does not drain. `tools` is a pod that
 * reaches both engines and the feed.
 * @returns the certificate of their authority, and the manifests
 */
export async function createEngines(
  node: string,
  toolsImage: string,
): Promise<{ ca: string; manifests: object[] }> {
  const names = [...BROKERS.map((number) => `kafka-${number}.kafka`), 'elasticsearch'];
  const security = await createSecurity(secureUsers(), names);
  const properties = kafkaProperties({
    ...KAFKA_SETTINGS,
    ...SEVERAL_BROKERS,
    ...kafkaSecurity(security, `${FILES}/keystore.pem`),
    listeners: 'SECURE://0.0.0.0:9093,INTERNAL://0.0.0.0:9094,CONTROLLER://0.0.0.0:9095',
    'controller.quorum.voters': BROKERS.map((number) => `${number + 1}@kafka-${number}.kafka:9095`).join(','),
    'log.dirs': '/var/lib/kafka/data/log',
  });
  const files = {
    ...fileRealm(security),
    'ca.crt': security.ca,
    'http.pem': security.certificate,
    'http.key': security.key,
    'keystore.pem': security.key + security.certificate,
    'server.properties': properties,
  };
  const onNode = { nodeSelector: { 'kubernetes.io/hostname': node } };
  const filesVolume = { name: 'files', secret: { secretName: 'engine-files' } };
  const filesMount = { name: 'files', mountPath: FILES };
  const manifests = [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'engine-files' }, stringData: files },
    ...engine('kafka', 9093, BROKERS.length, podSecurity(1000, 1000), onNode, {
      image: 'apache/kafka:4.2.0',
      command: ['bash', '-ec', START_KAFKA, 'start-kafka', ...scramArguments(security)],
      resources: { requests: { cpu: '50m', memory: '700Mi' }, limits: { memory: '1200Mi' } },
      volumeMounts: [{ name: 'data', mountPath: '/var/lib/kafka/data' }, filesMount],
    }),
    ...engine('elasticsearch', 9200, 1, podSecurity(1000, 0), onNode, {
      image: 'elasticsearch:9.5.0',
      command: ['bash', '-ec', START_ELASTICSEARCH],
      env: toEnv(ELASTICSEARCH),
      resources: { requests: { cpu: '50m', memory: '1500Mi' }, limits: { memory: '2Gi' } },
      volumeMounts: [
        { name: 'data', mountPath: '/usr/share/elasticsearch/data' },
        { name: 'config', mountPath: '/elasticsearch-config' },
        filesMount,
      ],
    }),
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'tools' },
      spec: {
        ...onNode,
        securityContext: podSecurity(10001, 10001),
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'tools',
            image: toolsImage,
            imagePullPolicy: 'IfNotPresent',
            command: ['sleep', 'infinity'],
            env: toEnv({
              BROKERS: names
                .slice(0, -1)
                .map((name) => `${name}:9093`)
                .join(','),
              CA_FILE: `${FILES}/ca.crt`,
              PASSWORD: PASSWORDS.administrator,
            }),
            resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '768Mi' } },
            securityContext: CONFINED,
            volumeMounts: [filesMount],
          },
        ],
        volumes: [filesVolume],
      },
    },
  ];
  return { ca: security.ca, manifests };

  function engine(
    name: string,
    port: number,
    replicas: number,
    securityContext: object,
    place: object,
    container: object,
  ): object[] {
    const labels = { 'vitrine-test': name };
    return [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name },
        // Brokers must find one another before they are ready.
        spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: labels, ports: [{ port }] },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name },
        spec: {
          serviceName: name,
          replicas,
          podManagementPolicy: 'Parallel',
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              ...place,
              enableServiceLinks: false,
              securityContext,
              containers: [
                {
                  name,
                  imagePullPolicy: 'IfNotPresent',
                  readinessProbe: { tcpSocket: { port }, periodSeconds: 3 },
                  securityContext: CONFINED,
                  ...container,
                },
              ],
              volumes: [{ name: 'data', emptyDir: {} }, { name: 'config', emptyDir: {} }, filesVolume],
            },
          },
        },
      },
    ];
  }
}
