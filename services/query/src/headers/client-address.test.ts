import { expect } from 'chai';
import fc from 'fast-check';
import { clientAddress } from './client-address.ts';

describe('client address', () => {
  const cases: [
    what: string,
    peer: string | undefined,
    forwarded: string | undefined,
    proxies: number,
    client: string,
  ][] = [
    ['is the peer', '203.0.113.7', undefined, 0, '203.0.113.7'],
    ['of a dual-stack socket is IPv4', '::ffff:203.0.113.7', undefined, 0, '203.0.113.7'],
    ['ignores a header without trusted proxies', '203.0.113.7', '198.51.100.1', 0, '203.0.113.7'],
    ['is the address that the trusted proxy saw', '10.0.0.1', '198.51.100.1', 1, '198.51.100.1'],
    [
      "ignores the members before the trusted proxy's entry",
      '10.0.0.1',
      '1.1.1.1, 2.2.2.2, 198.51.100.1',
      1,
      '198.51.100.1',
    ],
    [
      'is the address that the outer of two trusted proxies saw',
      '10.0.0.1',
      '1.1.1.1, 198.51.100.1, 10.0.0.2',
      2,
      '198.51.100.1',
    ],
    [
      'is the first member if there are fewer members than proxies',
      '10.0.0.1',
      '198.51.100.1',
      3,
      '198.51.100.1',
    ],
    ['is the peer without the header', '10.0.0.1', undefined, 1, '10.0.0.1'],
    ['is the peer if the header is not an address', '10.0.0.1', 'unknown', 1, '10.0.0.1'],
    ['is the peer if the header is empty', '10.0.0.1', '', 1, '10.0.0.1'],
    ['is the peer if the member is too long', '10.0.0.1', `${' '.repeat(200)}198.51.100.1`, 1, '10.0.0.1'],
    [
      'is found at the end of a long list',
      '10.0.0.1',
      `${'1.1.1.1,'.repeat(2_000)}198.51.100.1, 10.0.0.2`,
      2,
      '198.51.100.1',
    ],
    ['is the peer if the list begins with a comma', '10.0.0.1', ',198.51.100.1', 2, '10.0.0.1'],
    ['loses a port', '10.0.0.1', '198.51.100.1:5555', 1, '198.51.100.1'],
    ['loses brackets and port', '10.0.0.1', '[2001:db8:1:2::9]:443', 1, '2001:db8:1:2::/64'],
    ['of IPv6 is its /64', '2001:db8:1:2:3:4:5:6', undefined, 0, '2001:db8:1:2::/64'],
    ['of IPv6 has one spelling', '2001:0DB8:0001:2::', undefined, 0, '2001:db8:1:2::/64'],
    ['of IPv6 may be short', '::1', undefined, 0, '0:0:0:0::/64'],
    ['of IPv6 may have its gap in the first half', 'fe80::1:2:3:4', undefined, 0, 'fe80:0:0:0::/64'],
    ['of IPv6 may end in IPv4', '64:ff9b::192.0.2.1', undefined, 0, '64:ff9b:0:0::/64'],
    ['may be IPv4 in the hexadecimal form', '10.0.0.1', '::ffff:102:304', 1, '1.2.3.4'],
    ['may be IPv4 in the longest form', '10.0.0.1', '0:0:0:0:0:FFFF:0102:0304', 1, '1.2.3.4'],
    ['may have a zone', 'fe80::1%eth0', undefined, 0, 'fe80:0:0:0::/64'],
    ['is empty for a closed socket', undefined, undefined, 0, ''],
  ];
  for (const [what, peer, forwarded, proxies, client] of cases)
    it(what, () => expect(clientAddress(peer, forwarded, proxies)).to.equal(client));

  it('ignores the members that the client itself wrote', () =>
    fc.assert(
      fc.property(
        fc.string(),
        (words) => clientAddress('10.0.0.1', `${words},198.51.100.1`, 1) === '198.51.100.1',
      ),
    ));

  it('treats two addresses of one /64 as one client', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0xffff }), (a, b) => {
        const client = (host: number) =>
          clientAddress(`2001:db8:0:7:${host.toString(16)}::${host.toString(16)}`, undefined, 0);
        return client(a) === client(b);
      }),
    ));
});
