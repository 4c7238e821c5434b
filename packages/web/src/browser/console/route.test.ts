import { expect } from 'chai';
import { hashOf, routeOf } from './route.ts';

describe('route of the console', () => {
  for (const route of [
    { view: 'overview', query: {} },
    { view: 'explain', subject: 'a/b ?#é%', query: { history: 'true' } },
    { view: 'listings', query: { list: 'hidden', containing: 'a&b=c', after: 'é/?#' } },
    { view: 'dead-letters', subject: '0:12', query: { reason: 'not-json' } },
  ] as const)
    it(`is kept by the fragment ${hashOf(route)}`, () => expect(routeOf(hashOf(route))).to.deep.equal(route));

  it('is the overview for an unknown fragment', () => {
    for (const hash of ['', '#', '#/', '#/nonsense', '#token=abc'])
      expect(routeOf(hash)).to.deep.equal({ view: 'overview', query: {} });
  });

  it('keeps a subject that is not encoded correctly', () =>
    expect(routeOf('#/explain/50%')).to.deep.equal({ view: 'explain', subject: '50%', query: {} }));
});
