import { expect } from 'chai';
import type { System } from '../support/system.ts';

/** The command line's container operates the running system. */
export function describeCommandLine(system: () => System): void {
  describe('the container of the command line', () => {
    const cli = (...args: string[]) => system().compose('run', '--rm', '--no-deps', 'cli', ...args);
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await cli(...args, '--json');
      expect(code, stderr).to.equal(0);
      return JSON.parse(stdout) as Record<string, unknown>;
    };

    it('prints only the result to standard output', async () => {
      expect(await json('status'))
        .to.have.property('generations')
        .that.has.length(1);
    });

    it('compares the items with the states', async () => {
      expect((await cli('verify', '--self', '--dry-run')).code).to.equal(0);
    });

    it('rebuilds the feed beside the live one, verifies it, switches to it and removes the old one', async () => {
      for (const command of [['replay', '--rate', '5000'], ['verify'], ['switch'], ['prune']])
        await json(...command);
      expect(await json('status'))
        .to.have.property('generations')
        .that.has.length(1);
    });

    it('reports a refused command with its exit code', async () => {
      expect((await cli('switch')).code).to.equal(3);
    });
  });
}
