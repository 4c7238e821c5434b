import { readSettings } from '@vitrine/runtime/settings';
import { expect } from 'chai';
import { Type } from 'typebox';
import { checkRegistry, registryConnection, registrySettings } from './registry-settings.ts';

const url = 'https://registry:8081/apis/ccompat/v7';
const read = (settings: Record<string, string>) =>
  registryConnection(
    readSettings(
      Type.Object(registrySettings),
      Object.fromEntries(Object.entries(settings).map(([name, value]) => [`SCHEMA_REGISTRY_${name}`, value])),
      checkRegistry,
    ),
  );

describe('the settings of the schema registry', () => {
  it('describe a connection, or none', () => {
    expect(read({})).to.equal(undefined);
    expect(read({ URL: url })).to.deep.equal({ registryUrl: url });
    expect(read({ URL: url, USERNAME: 'u', PASSWORD: 'p' })).to.deep.equal({
      registryUrl: url,
      auth: { username: 'u', password: 'p' },
    });
    expect(read({ URL: url, TOKEN: 't.e-s_t==' })).to.deep.equal({
      registryUrl: url,
      auth: { token: 't.e-s_t==' },
    });
  });
  for (const [settings, message] of [
    [{ URL: 'https://u:p@registry' }, /must not contain a user/],
    [{ URL: 'http://a:1,http://b:2' }, /must be one address/],
    [{ URL: url, USERNAME: 'u' }, /USERNAME needs SCHEMA_REGISTRY_PASSWORD/],
    [{ URL: url, USERNAME: 'u', PASSWORD: 'p', TOKEN: 't' }, /must not both be set/],
    [{ URL: url, TOKEN: 'two words' }, /SCHEMA_REGISTRY_TOKEN/],
    [{ URL: 'http://a', TLS_CA: 'x' }, /begins with https/],
  ] as const)
    it(`refuse ${JSON.stringify(settings)}`, () => expect(() => read(settings)).to.throw(message));
});
