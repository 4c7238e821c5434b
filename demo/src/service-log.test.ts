import { expect } from 'chai';
import { forScreen } from './service-log.ts';

describe('the log line of a service on the screen', () => {
  const line = (entry: object) => JSON.stringify({ service: 'query', ...entry });

  it('appears if its level is the configured level or higher', () => {
    expect(forScreen('query', line({ level: 'info', msg: 'hello' }), 'warn')).to.equal(undefined);
    expect(forScreen('query', line({ level: 'info', msg: 'hello' }), 'info')).to.equal('query info: hello');
    expect(forScreen('query', line({ level: 'fatal', msg: 'hello' }), 'silent')).to.equal(undefined);
  });

  it('shows an error message once', () => {
    expect(
      forScreen('query', line({ level: 'error', msg: 'no', err: { message: 'boom' } }), 'warn'),
    ).to.equal('query error: no: boom');
    expect(
      forScreen('query', line({ level: 'error', msg: 'boom', err: { message: 'boom' } }), 'warn'),
    ).to.equal('query error: boom');
    expect(
      forScreen('projector', line({ level: 'warn', msg: 'waiting', reason: 'refused' }), 'warn'),
    ).to.equal('projector warn: waiting: refused');
  });

  it('stays unchanged if it is not JSON', () => {
    expect(forScreen('query', 'bad settings:', 'error')).to.equal('query: bad settings:');
    expect(forScreen('query', '{"a":1}', 'error')).to.equal('query: {"a":1}');
    expect(forScreen('query', '  ', 'trace')).to.equal(undefined);
  });
});
