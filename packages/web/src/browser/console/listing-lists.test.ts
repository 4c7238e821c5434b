import { expect } from 'chai';
import { DROPPED_MEMBERS, HIDDEN_REASONS } from '../../../../listing/src/index.ts';
import { listOf, NAMES, namesOf, onePage } from './listing-lists.ts';

describe('the lists of the console', () => {
  it('have the words of the rules', () => {
    expect(NAMES.hidden).to.deep.equal(HIDDEN_REASONS);
    expect(NAMES.dropped).to.deep.equal(DROPPED_MEMBERS);
  });

  it('of hidden listings also have the words of a rules module', () => {
    expect(namesOf('hidden', { image: 'no image' })).to.deep.equal([...HIDDEN_REASONS, 'image']);
    expect(namesOf('hidden', undefined)).to.deep.equal(HIDDEN_REASONS);
    expect(namesOf('dropped', { image: 'no image' })).to.deep.equal(DROPPED_MEMBERS);
    expect(namesOf('superseded', { image: 'no image' })).to.equal(undefined);
  });

  it('begin with hidden listings if a link names no list', () => {
    expect([listOf(undefined), listOf('toString'), listOf('dropped')]).to.deep.equal([
      'hidden',
      'hidden',
      'dropped',
    ]);
  });

  it('have pages that divide no listing', () => {
    const entry = (id: string, member: string) => ({ id, member, detail: '' });
    const entries = [entry('a', 'images'), entry('b', 'images'), entry('b', 'rating'), entry('c', 'rating')];
    expect(onePage(entries, 2)).to.deep.equal({ shown: entries.slice(0, 3), next: 'b' });
    expect(onePage(entries, 3)).to.deep.equal({ shown: entries });
    expect(onePage([], 3)).to.deep.equal({ shown: [] });
  });
});
