import { expect } from 'chai';
import { requestForms } from './request-forms.ts';
import type { SearchState } from './search-state.ts';

describe('forms of a request', () => {
  const mcpArguments = (state: Partial<SearchState>) =>
    JSON.parse(requestForms({ feed: 'ai-feed', ...state }, 'http://x').mcp).params.arguments;

  it('quote the URL for the shell', () =>
    expect(requestForms({ feed: 'ai-feed' }, "http://x/?city=a'b").curl).to.equal(
      "curl 'http://x/?city=a'\\''b'",
    ));

  it('name the arguments of the MCP tool', () =>
    expect(
      mcpArguments({ ad_type: 'rent', city: 'natal', lat: 1, lng: 2, localOnly: true, page: 3 }),
    ).to.deep.equal({ ad_type: 'rent', city: 'natal', lat: 1, lng: 2, local_only: true, limit: 12 }));

  it('have several values as an array in the tool, as the feed reads them', () => {
    expect(mcpArguments({ city: 'Natal,Recife' }).city).to.deep.equal(['Natal', 'Recife']);
    expect(mcpArguments({ city: 'Bonito, MS' }).city).to.equal('Bonito, MS');
  });
});
