import { expect } from 'chai';
import { viewTitle } from './view-title.ts';

describe('the title of a view', () => {
  it('names the filters, or a comparison with its number of listings', () => {
    const state = { feed: 'ai-feed', ad_type: 'rent' } as const;
    expect(viewTitle(state, 'en')).to.equal('For rent · Vitrine');
    expect(viewTitle(state, 'en', 2)).to.equal('Comparison of 2 listings · Vitrine');
    expect(viewTitle(state, 'pt-BR', 1)).to.equal('Comparação de 1 anúncio · Vitrine');
  });
});
