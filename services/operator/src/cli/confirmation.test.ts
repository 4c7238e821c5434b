import { expect } from 'chai';
import { ConfirmationError, confirmed } from './confirmation.ts';

const { signal } = new AbortController();
const answering = (answer: string | undefined) => {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return answer;
  };
  return { asked, environment: { ask, signal } };
};

describe('a confirmation', () => {
  for (const [answer, expected] of [
    ['y', true],
    ['YES ', true],
    ['', false],
    ['n', false],
    ['yesterday', false],
  ] as const)
    it(`${JSON.stringify(answer)} ${expected ? 'confirms' : 'does not confirm'}`, async () => {
      const { asked, environment } = answering(answer);
      expect(await confirmed(environment, false, 'Publish?')).to.equal(expected);
      expect(asked).to.deep.equal(['Publish? [y/N] ']);
    });

  it('is not asked for with --yes', async () => {
    const { asked, environment } = answering('n');
    expect(await confirmed(environment, true, 'Publish?')).to.equal(true);
    expect(asked).to.deep.equal([]);
  });

  for (const [name, environment] of [
    ['the process has no terminal', answering(undefined).environment],
    ['the command runs in the console', { signal }],
  ] as const)
    it(`is a usage error without --yes if ${name}`, async () => {
      const error = await confirmed(environment, false, 'Publish?').catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ConfirmationError);
      expect(String(error)).to.contain('--yes');
    });
});
