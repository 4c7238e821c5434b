import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { createSecurity, fileRealm, kafkaSecurity, scramArguments } from './security.ts';

const users = {
  boss: { password: 'b', role: 'superuser' },
  clerk: { password: 'c', role: { cluster: ['monitor'] } },
} as const;

describe("the engines' security", () => {
  it('has a certificate for 127.0.0.1, signed by a separate authority', async () => {
    const { ca, certificate } = await createSecurity(users);
    const [authority, server] = [new X509Certificate(ca), new X509Certificate(certificate)];
    expect(server.verify(authority.publicKey)).to.equal(true);
    expect(server.checkIP('127.0.0.1')).to.equal('127.0.0.1');
    expect([authority.ca, server.ca]).to.deep.equal([true, false]);
  });

  it('has a certificate for the names of other hosts', async () => {
    const { certificate } = await createSecurity(users, ['kafka-0.kafka']);
    expect(new X509Certificate(certificate).checkHost('kafka-0.kafka')).to.equal('kafka-0.kafka');
  });

  it('has an additional user with read-only access', async () => {
    const { users: known, watcher } = await createSecurity(users);
    expect(Object.keys(known)).to.deep.equal(['boss', 'clerk', watcher.username]);
    expect(known[watcher.username]?.role).to.deep.equal({ cluster: ['monitor'] });
  });

  it("stores no passwords in Elasticsearch's files", () => {
    const realm = fileRealm({ users });
    expect(realm.users).to.match(
      /^boss:\{PBKDF2\}10000\$[\w+/]{43}=\$[\w+/]{43}=\nclerk:\{PBKDF2\}10000\$\S{44}\$\S{44}\n$/,
    );
    expect(realm.users_roles).to.equal('superuser:boss\nclerk:clerk\n');
    expect(realm['roles.yml']).to.equal('clerk: {"cluster":["monitor"]}\n');
  });

  it('configures Kafka so that only a superuser can act without an ACL', () => {
    const settings = kafkaSecurity({ users }, '/k.pem');
    expect(settings['super.users']).to.equal('User:ANONYMOUS;User:boss');
    expect(settings['listener.name.secure.plain.sasl.jaas.config']).to.match(
      / required user_boss="b" user_clerk="c";$/,
    );
    expect(scramArguments({ users }))
      .to.have.length(8)
      .and.to.include('SCRAM-SHA-512=[name="clerk",password="c"]');
  });
});
