import { expect } from 'chai';
import { changelogProblems } from './changelog.ts';

const TODAY = '2026-11-24';
const GOOD = `# Changelog

## [Unreleased]

## [1.1.0] - 2026-11-24

### Added
- A line.

### Fixed
- Another line.

## [1.0.0] - 2026-11-22

The first release.
`;
const check = (text: string, version = '1.1.0') => changelogProblems(text, version, TODAY);

describe('changelog of a release', () => {
  it('passes with an empty Unreleased entry and a dated entry', () => expect(check(GOOD)).to.deep.equal([]));

  const FAULTS: [title: string, text: string, problem: RegExp][] = [
    [
      'has no entry of the version',
      GOOD.replace('[1.1.0]', '[1.0.5]'),
      /there is no "## \[1\.1\.0\] - DATE"/,
    ],
    ['has no Unreleased entry', GOOD.replace('## [Unreleased]\n', ''), /first entry is not/],
    [
      'has lines below Unreleased',
      GOOD.replace('[Unreleased]\n', '[Unreleased]\n\n### Added\n- x\n'),
      /has lines/,
    ],
    ['has no date', GOOD.replace('[1.1.0] - 2026-11-24', '[1.1.0]'), /no date/],
    ['has an impossible date', GOOD.replace('2026-11-24', '2026-02-30'), /no date/],
    ['has a date in the future', GOOD.replace('2026-11-24', '2027-01-01'), /in the future/],
    ['has an unknown section', GOOD.replace('### Fixed', '### Repaired'), /unknown sections: Repaired/],
    ['has sections in another order', GOOD.replace('### Added', '### Security'), /order .* Fixed, Security/],
    ['has a section twice', GOOD.replace('### Fixed', '### Added'), /order/],
    ['has an empty entry', GOOD.replace(/### Added.*?(?=## \[1\.0)/s, ''), /is empty/],
    ['is empty', '', /first entry is not/],
  ];
  for (const [title, text, problem] of FAULTS)
    it(`fails if it ${title}`, () => expect(check(text).join('\n')).to.match(problem));
});
