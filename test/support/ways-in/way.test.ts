import { expect } from 'chai';
import { eventually, startNode } from '../service-process.ts';
import { processPart } from './way.ts';

describe('a part in its own process', () => {
  it('starts again after it has ended by itself', async () => {
    const programs = ['process.exit(3)', 'setInterval(() => undefined, 1_000)'];
    const launched: string[] = [];
    const part = processPart('program', () => {
      const program = programs[launched.length] ?? 'process.exit(4)';
      launched.push(program);
      return startNode(['-e', program], {});
    });
    await eventually('the second start', async () => launched.length === 2);
    await part.kill();
    await part.kill();
    expect(launched).to.deep.equal(programs);
    await part.start();
    await part.stop();
    expect(launched).to.have.lengthOf(3);
  });
});
