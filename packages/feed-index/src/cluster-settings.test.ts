import { expect } from 'chai';
import { clusterRefusal } from './index-settings.ts';

describe('a refusal because of a cluster setting', () => {
  it('names the setting, what Vitrine needs, and a command that restores the default', () =>
    expect(
      clusterRefusal(
        'Keep alive for request (5m) is too large. It must be less than (1m). This limit can be set by ' +
          'changing the [search.max_keep_alive] cluster level setting.',
      ),
    ).to.equal(
      'the cluster setting search.max_keep_alive of Elasticsearch must be at least 5m for Vitrine. Run ' +
        `curl -X PUT "$ELASTICSEARCH_URL/_cluster/settings" -H 'content-type: application/json' -d ` +
        `'{"persistent":{"search.max_keep_alive":null},"transient":{"search.max_keep_alive":null}}'`,
    ));

  it('is not assumed for other reasons', () =>
    expect(clusterRefusal('[parsing_exception] unknown query [x]')).to.equal(undefined));
});
