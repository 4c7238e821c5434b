import { expect } from 'chai';
import { ConsoleUsageError, consoleAddress, isLoopback, originOf } from './console-options.ts';

const options = (host: string, allowActions = false, allowPublicInterface = false) => ({
  host,
  port: 8090,
  allowActions,
  allowPublicInterface,
});

describe('address of the console', () => {
  for (const host of ['127.0.0.1', '::1', 'localhost'])
    it(`may be ${host}, with actions`, () =>
      expect(consoleAddress(options(host, true))).to.include({ isPublic: false, port: 8090 }));

  for (const host of ['0.0.0.0', '::', '192.168.1.5', '10.0.0.1', '2001:db8::1', '::ffff:10.0.0.1'])
    it(`may be ${host} only if the operator requests it twice, and never with actions`, () => {
      expect(() => consoleAddress(options(host))).to.throw(ConsoleUsageError, '--allow-public-interface');
      expect(consoleAddress(options(host, false, true))).to.deep.equal({ host, port: 8090, isPublic: true });
      for (const twice of [false, true])
        expect(() => consoleAddress(options(host, true, twice))).to.throw(
          ConsoleUsageError,
          'on a non-loopback address',
        );
    });

  for (const host of ['127.8.9.1', '::ffff:127.0.0.1', '::1%lo', 'fe80::1%eth0'])
    it(`is not ${host}, because no browser could open it`, () => {
      for (const isAllowed of [false, true])
        expect(() => consoleAddress(options(host, isAllowed, isAllowed))).to.throw(
          ConsoleUsageError,
          '--host',
        );
    });

  it('is not a name, because the address of a name may change', () => {
    for (const host of ['console.example', '', 'localhost.example', '127.0.0.1.nip.io'])
      expect(() => consoleAddress(options(host, false, true))).to.throw(ConsoleUsageError, '--host');
  });

  it('of localhost does not depend on the hosts file', () =>
    expect(consoleAddress(options('localhost')).host).to.equal('127.0.0.1'));

  it('is loopback only for addresses of this machine', () => {
    expect(['127.0.0.1', '::1'].every(isLoopback)).to.equal(true);
    expect(['0.0.0.0', '::', '128.0.0.1', 'localhost'].some(isLoopback)).to.equal(false);
  });

  it('is part of a URL', () => {
    expect(originOf('127.0.0.1', 1)).to.equal('http://127.0.0.1:1');
    expect(originOf('::1', 1)).to.equal('http://[::1]:1');
  });
});
