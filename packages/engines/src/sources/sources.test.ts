import { expect } from 'chai';
import { connectSettings } from './connect.ts';
import { connectorProgress } from './connector.ts';
import { startPostgres } from './postgres.ts';

describe('the state of a connector', () => {
  const running = { state: 'RUNNING' };

  it('is running only when its task also runs', () => {
    expect(connectorProgress({ connector: running, tasks: [running] })).to.equal('running');
    expect(connectorProgress({ connector: running, tasks: [] })).to.deep.equal({
      waitsFor: 'its state is RUNNING, and its tasks are not there yet',
    });
    expect(connectorProgress({ connector: running, tasks: [{ state: 'UNASSIGNED' }] })).to.deep.equal({
      waitsFor: 'its state is RUNNING, and its tasks are UNASSIGNED',
    });
  });

  it('names the causes of a failure without stack frames', () => {
    const trace =
      'ConnectException: no slot\n\tat a.b(C.java:1)\nCaused by: PSQLException: x\n\t... 4 more\n';
    expect(connectorProgress({ connector: running, tasks: [{ state: 'FAILED', trace }] })).to.deep.include({
      failure: 'ConnectException: no slot\nCaused by: PSQLException: x',
    });
  });
});

describe('the engines of sources', () => {
  it('give each Connect worker topics of its own', () => {
    expect(connectSettings('a:1', 'g')).to.include({
      'group.id': 'g',
      'config.storage.topic': 'g-config',
      'offset.storage.topic': 'g-offset',
      'status.storage.topic': 'g-status',
    });
  });

  it('look for PostgreSQL where the environment says', async () => {
    expect(await startPostgres({ env: { VITRINE_POSTGRES: '/missing' } })).to.equal(
      'PostgreSQL is not installed in /missing (VITRINE_POSTGRES)',
    );
  });
});
