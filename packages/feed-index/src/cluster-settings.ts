/**
 * The settings of a cluster below which Vitrine's requests fail, and what it needs. Elasticsearch's defaults
 * satisfy all of them.
 */
const NEEDED: Readonly<Record<string, string>> = {
  // A scan keeps its point in time for 5 minutes, and a page of the feeds for 20 s.
  'search.max_keep_alive': 'at least 5m',
  // A search for 10,000 values also returns a label for each of them.
  'search.max_buckets': 'at least 20000',
  'search.allow_expensive_queries': 'true',
};

/**
 * Finds the cluster setting because of which Elasticsearch refused a request.
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
