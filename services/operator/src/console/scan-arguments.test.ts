import { expect } from 'chai';
import { scanArguments } from './scan-arguments.ts';

const argvOf = (path: string, query: Record<string, string> = {}) =>
  scanArguments(path, new URLSearchParams(query));

describe('arguments of a scan', () => {
  it('keep every value in one word', () => {
    expect(argvOf('/api/explain', { id: '--history' })).to.deep.equal({
      argv: ['explain', '--', '--history'],
    });
    expect(
      argvOf('/api/dead-letters', { key: '--all x', reason: '', all: 'true', limit: '5' }),
    ).to.deep.equal({
      argv: ['dead-letters', 'list', '--key=--all x', '--limit=5', '--all'],
    });
    expect(argvOf('/api/dead-letters/show', { ref: '-x' })).to.deep.equal({
      argv: ['dead-letters', 'show', '--', '-x'],
    });
  });

  it('of a list select one page', () => {
    expect(argvOf('/api/listings', { list: 'hidden' })).to.deep.equal({
      argv: ['listings', '--hidden', '--limit=100'],
      printsLines: true,
    });
    expect(
      argvOf('/api/listings', {
        list: 'dead-letters',
        name: '--all',
        source: '/a b',
        containing: '-x',
        after: '--hidden',
        all: 'true',
        limit: '51',
      }),
    ).to.have.deep.property('argv', [
      'listings',
      '--dead-letters=--all',
      '--source=/a b',
      '--containing=-x',
      '--after=--hidden',
      '--limit=51',
    ]);
  });

  it('of a retry always contain --dry-run', () => {
    for (const query of [{}, { ref: '0:1' }, { dryRun: 'false' }, { reason: '--no-dry-run' }])
      expect(argvOf('/api/dead-letters/retry', query as Record<string, string>))
        .to.have.property('argv')
        .that.includes('--dry-run');
    expect(argvOf('/api/verify-self')).to.deep.equal({ argv: ['verify', '--self', '--dry-run'] });
  });

  it('name what is missing or too long', () => {
    for (const [path, query] of [
      ['/api/explain', {}],
      ['/api/dead-letters/show', {}],
      ['/api/dead-letters', { limit: '0' }],
      ['/api/listings', {}],
      ['/api/listings', { list: 'all' }],
      ['/api/listings', { list: 'hidden', limit: '10000' }],
      ['/api/explain', { id: 'a'.repeat(2_001) }],
    ] as const)
      expect(argvOf(path, query)).to.have.property('problem');
    expect(argvOf('/api/jobs/x')).to.equal(undefined);
  });
});
