/**
 * The kinds of indices. The registry and the history of the epochs have the kind `document`. Each contains
 * one document.
 */
export type IndexKind = 'states' | 'items' | 'changes' | 'document';

interface RequiredSetting {
  /** The name without the prefix `index.`. */
  name: string;
  /** The value that new indices receive. Null removes the value that comes from an index template. */
  value: string | string[] | null;
  /** Returns whether an existing index may have this value. By default, only `value` is accepted. */
  accepts?: (value: string) => boolean;
  /**
   * This member is present if any other value would change, refuse or lose documents. Otherwise, another
   * value affects only readers.
   */
  damages?: 'documents';
  /** Whether the setting can be set only when an index is created. */
  fixed?: true;
  /** Whether requests omit the setting because Elasticsearch 9.2 or some distributions do not support it. */
  onlyChecked?: true;
}

/** A setting of an existing index that Vitrine cannot accept. */
export interface WrongSetting {
  /** The name with the prefix `index.`. */
  name: string;
  actual: string;
  /** Null means that the setting must not be set. */
  required: string | null;
  damages: boolean;
  fixed: boolean;
}

const atLeast = (least: number) => (value: string) => Number(value) >= least;
const MILLISECONDS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Reads a duration in Elasticsearch's notation. The result for -1 is NaN. */
const milliseconds = (value: string): number => {
  const [, number, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(value) ?? [];
  return Number(number) * (MILLISECONDS[unit ?? ''] ?? Number.NaN);
};
const anyValue = () => true;
const MAX_REFRESH_MS = 30_000;
/** Elasticsearch's own default. No item has that many nested documents, and states have none. */
const MOST_OBJECTS = 10_000;

const refreshEvery = (value: string): RequiredSetting => ({
  name: 'refresh_interval',
  value,
  // An index under construction has a longer interval, and an operator may choose another one.
  accepts: (actual) => milliseconds(actual) > 0 && milliseconds(actual) <= MAX_REFRESH_MS,
});

/** The sort order of an index only makes searches faster, so an index without one is accepted. */
const sortedBy = (fields: readonly (readonly [field: string, order: string])[]): RequiredSetting[] =>
  [
    { name: 'sort.field', value: fields.map(([field]) => field) },
    { name: 'sort.order', value: fields.map(([, order]) => order) },
    // Elasticsearch's own defaults. Without them, version 9.2 reads null as an empty list and refuses the
    // index.
    { name: 'sort.mode', value: fields.map(([, order]) => (order === 'desc' ? 'max' : 'min')) },
    { name: 'sort.missing', value: fields.map(() => '_last') },
  ].map((setting) => ({ ...setting, accepts: anyValue, fixed: true }));

/** Every index has these settings, so that no index template and no cluster default can change them. */
const OF_ALL: readonly RequiredSetting[] = [
  { name: 'default_pipeline', value: '_none', damages: 'documents' },
  { name: 'final_pipeline', value: '_none', damages: 'documents' },
  { name: 'mode', value: 'standard', damages: 'documents', fixed: true },
  { name: 'mapping.source.mode', value: 'stored', damages: 'documents', fixed: true },
  { name: 'mapping.ignore_malformed', value: 'false', damages: 'documents', fixed: true },
  {
    name: 'mapping.ignore_above',
    value: '2147483647',
    accepts: atLeast(32_766),
    damages: 'documents',
    fixed: true,
  },
  {
    name: 'mapping.nested_objects.limit',
    value: `${MOST_OBJECTS}`,
    accepts: atLeast(MOST_OBJECTS),
    damages: 'documents',
  },
  {
    name: 'mapping.array_objects.limit',
    value: `${MOST_OBJECTS}`,
    accepts: atLeast(MOST_OBJECTS),
    damages: 'documents',
    onlyChecked: true,
  },
  {
    name: 'disable_sequence_numbers',
    value: 'false',
    damages: 'documents',
    fixed: true,
    onlyChecked: true,
  },
  { name: 'routing_partition_size', value: '1', damages: 'documents', fixed: true },
  { name: 'number_of_routing_shards', value: null, accepts: anyValue, fixed: true },
  // Elasticsearch checks these limits when it creates the mapping, which never grows afterwards.
  { name: 'mapping.total_fields.limit', value: '1000', accepts: anyValue },
  { name: 'mapping.nested_fields.limit', value: '50', accepts: anyValue },
  { name: 'mapping.depth.limit', value: '20', accepts: anyValue },
  { name: 'mapping.field_name_length.limit', value: '1000', accepts: anyValue },
  { name: 'max_result_window', value: '10000', accepts: atLeast(10_000) },
  { name: 'max_terms_count', value: '65536', accepts: atLeast(10_000) },
  { name: 'translog.durability', value: 'request' },
  // A policy may delete, shrink or close the index. `null` is not possible where the module is missing.
  { name: 'lifecycle.name', value: null, onlyChecked: true },
  // The patterns that the readers and the command line use do not match hidden indices.
  { name: 'hidden', value: 'false' },
  { name: 'routing.allocation.enable', value: 'all' },
  { name: 'blocks.read', value: 'false' },
  { name: 'blocks.write', value: 'false' },
  { name: 'blocks.read_only', value: 'false' },
  { name: 'blocks.metadata', value: 'false' },
  // Elasticsearch itself sets and removes this block when a disk is full.
  { name: 'blocks.read_only_allow_delete', value: 'false', accepts: anyValue },
  { name: 'write.wait_for_active_shards', value: '1', accepts: anyValue },
];

const REQUIRED: Readonly<Record<IndexKind, readonly RequiredSetting[]>> = {
  states: [...OF_ALL, refreshEvery('5s'), ...sortedBy([])],
  items: [
    ...OF_ALL,
    // The interval is set explicitly, because an index otherwise stops refreshing after 30 s without a
    // search.
    refreshEvery('1s'),
    // How long Elasticsearch remembers a deletion (see docs/guide/record.md, "The stale writer").
    { name: 'gc_deletes', value: '15m', accepts: (value) => milliseconds(value) >= 15 * 60_000 },
    ...sortedBy([
      ['published_at', 'desc'],
      ['id', 'asc'],
    ]),
  ],
  changes: [
    ...OF_ALL,
    // Each search of the changes refreshes the index first, so frequent refreshes would only cost writers
    // time.
    refreshEvery('5s'),
    // The sequence numbers of one shard form one order.
    { name: 'number_of_shards', value: '1', damages: 'documents', fixed: true },
    ...sortedBy([]),
  ],
  document: [...OF_ALL, refreshEvery('1s'), ...sortedBy([])],
};

/**
 * The settings for new indices of a kind. Their names lack the prefix `index.`. The settings replace those
 * from index templates (elasticsearch#32758). Rule: docs/decisions/0084-required-settings.md
 */
export const requiredSettings = (kind: IndexKind): Record<string, string | string[] | null> =>
  Object.fromEntries(
    REQUIRED[kind].filter(({ onlyChecked }) => !onlyChecked).map(({ name, value }) => [name, value]),
  );

/**
 * Compares the settings of an index with the required ones. Pure.
 * @param settings keyed by names that begin with `index.`, including Elasticsearch's defaults
 */
export const wrongSettings = (kind: IndexKind, settings: Readonly<Record<string, unknown>>): WrongSetting[] =>
  REQUIRED[kind].flatMap(({ name, value, accepts, damages, fixed }) => {
    const actual = settings[`index.${name}`];
    // Earlier versions of Elasticsearch do not support every setting.
    if (actual === undefined || actual === null || actual === '') return [];
    const text = String(actual);
    const isAccepted = accepts ?? ((one: string) => one.toLowerCase() === value);
    if (isAccepted(text)) return [];
    const required = value === null ? null : String(value);
    return [
      {
        name: `index.${name}`,
        actual: text,
        required,
        damages: damages !== undefined,
        fixed: fixed ?? false,
      },
    ];
  });

/**
 * The cluster settings without which Vitrine's requests fail, with the values that Vitrine needs.
 * Elasticsearch's defaults satisfy all of them.
 */
const NEEDED: Readonly<Record<string, string>> = {
  // A scan keeps its point in time for 5 minutes, and a page of the feeds for 20 s.
  'search.max_keep_alive': 'at least 5m',
  // A search for 10,000 values also returns a label for each of them.
  'search.max_buckets': 'at least 20000',
  'search.allow_expensive_queries': 'true',
};

/**
 * Finds the cluster setting that made Elasticsearch refuse a request.
 * @param reason the reason in Elasticsearch's response, which names the setting
 * @returns a message with the required value and a command that restores the default; undefined if the
 * refusal has another reason
 */
export function clusterRefusal(reason: string): string | undefined {
  const name = Object.keys(NEEDED).find((one) => reason.includes(one));
  if (name === undefined) return undefined;
  const restored = JSON.stringify({ persistent: { [name]: null }, transient: { [name]: null } });
  return (
    `the cluster setting ${name} of Elasticsearch must be ${NEEDED[name]} for Vitrine. Run ` +
    `curl -X PUT "$ELASTICSEARCH_URL/_cluster/settings" -H 'content-type: application/json' -d '${restored}'`
  );
}
