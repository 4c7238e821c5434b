import { expect } from 'chai';
import { requestForms } from './request-forms.ts';

describe('forms of a request', () => {
  it('quote the URL for the shell', () =>
    expect(requestForms({ feed: 'ai-feed' }, "http://x/?city=a'b").curl).to.equal(
      "curl 'http://x/?city=a'\\''b'",
    ));

  it('name the arguments of the MCP tool', () => {
    const { mcp } = requestForms(
      { feed: 'ai-feed', ad_type: 'rent', city: 'natal', lat: 1, lng: 2, localOnly: true, page: 3 },
      'http://x',
    );
    expect(JSON.parse(mcp).params.arguments).to.deep.equal({
      ad_type: 'rent',
      city: 'natal',
      lat: 1,
      lng: 2,
      local_only: true,
      limit: 12,
    });
  });

  it('have several values as an array in the tool, as the feed reads them', () => {
    const argumentsOf = (city: string) =>
      JSON.parse(requestForms({ feed: 'ai-feed', city }, 'http://x').mcp).params.arguments.city;
    expect(argumentsOf('Natal,Recife')).to.deep.equal(['Natal', 'Recife']);
    expect(argumentsOf('Bonito, MS')).to.equal('Bonito, MS');
  });
});
