import { missingPartner } from '@vitrine/runtime/credentials';
import { certificates, secret } from '@vitrine/runtime/settings';
import { type Static, type TObject, Type } from 'typebox';

/** Kafka's address and the service's credentials (docs/operate/configuration.md). */
export const kafkaSettings = {
  KAFKA_BROKERS: Type.String({
    format: 'brokers',
    description: 'comma-separated list of brokers, each as host:port',
  }),
  KAFKA_TLS: Type.String({ default: 'false', pattern: '^(true|false)$' }),
  KAFKA_TLS_CA: certificates(),
  KAFKA_SASL_MECHANISM: Type.Optional(
    Type.String({ pattern: '^(plain|scram-sha-256|scram-sha-512|PLAIN|SCRAM-SHA-256|SCRAM-SHA-512)$' }),
  ),
  KAFKA_SASL_USERNAME: Type.Optional(Type.String({ minLength: 1 })),
  KAFKA_SASL_PASSWORD: secret(),
};

type KafkaSettings = Pick<Static<TObject<typeof kafkaSettings>>, 'KAFKA_BROKERS'> &
  Partial<Static<TObject<typeof kafkaSettings>>>;

type SaslMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

export interface KafkaConnection {
  /** One or more brokers as host:port, separated by commas. */
  brokers: string;
  sasl?: { mechanism: SaslMechanism; username: string; password: string };
  /**
   * If this member is present, the client uses TLS with the authorities in `ca` (PEM), or with Node's own
   * authorities.
   */
  tls?: { ca?: string };
  /** The name of this client in Kafka's lists and quotas. Default: `vitrine`. */
  clientId?: string;
}

/** Converts settings that `checkKafka` accepts to a connection. */
export function kafkaConnection(settings: KafkaSettings): KafkaConnection {
  const {
    KAFKA_TLS_CA: ca,
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
  } = settings;
  return {
    brokers: settings.KAFKA_BROKERS,
    ...(settings.KAFKA_TLS === 'true' && { tls: ca === undefined ? {} : { ca } }),
    ...(mechanism !== undefined &&
      username !== undefined &&
      password !== undefined && {
        sasl: { mechanism: mechanism.toLowerCase() as SaslMechanism, username, password },
      }),
  };
}

/** Reports conflicts between the connection settings. A cross-check for `readSettings` uses this function. */
export function checkKafka(settings: Partial<KafkaSettings>): string[] {
  return [
    ...missingPartner(settings, 'KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME'),
    ...missingPartner(settings, 'KAFKA_SASL_MECHANISM', 'KAFKA_SASL_PASSWORD'),
    ...('KAFKA_TLS_CA' in settings && settings.KAFKA_TLS === 'false'
      ? ['KAFKA_TLS_CA requires KAFKA_TLS=true']
      : []),
  ];
}
