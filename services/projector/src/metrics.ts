import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type ProjectorMetrics = ReturnType<typeof createMetrics>;

/** The projector's metrics, in a registry of its own. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    records: new Counter({ name: 'projector_records_total', help: 'Records finished', registers }),
    bytes: new Counter({ name: 'projector_record_bytes_total', help: 'Bytes of finished records', registers }),
    skipped: new Counter({ name: 'projector_skipped_total', help: 'Well-formed events of an unknown type', registers }),
    deadLetters: new Counter({ name: 'projector_dead_letters_total', help: 'Dead letters by reason', labelNames: ['reason'] as const, registers }),
    visible: new Counter({ name: 'projector_items_written_total', help: 'Items written to the feed index', registers }),
    hidden: new Counter({
      name: 'projector_items_hidden_total',
      help: 'Listings found incomplete, by reason',
      labelNames: ['reason'] as const,
      registers,
    }),
    retries: new Counter({
      name: 'projector_elasticsearch_retries_total',
      help: 'Chunks tried again because Elasticsearch could not take them',
      registers,
    }),
    lag: new Gauge({ name: 'projector_lag_records', help: 'Records not yet finished', labelNames: ['generation', 'partition'] as const, registers }),
  };
}
