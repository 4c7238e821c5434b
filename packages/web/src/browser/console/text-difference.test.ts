import { expect } from 'chai';
import { textDifference } from './text-difference.ts';

describe('difference of two texts', () => {
  for (const [left, right, parts] of [
    ['Casa azul', 'Casa verde', ['Casa ', 'azul', 'verde', '']],
    ['aa', 'aaa', ['aa', '', 'a', '']],
    ['x😀y', 'x😁y', ['x', '😀', '😁', 'y']],
    ['', 'a', ['', '', 'a', '']],
  ] as const)
    it(`of ${left} and ${right}`, () => {
      const { before, leftPart, rightPart, after } = textDifference(left, right);
      expect([before, leftPart, rightPart, after]).to.deep.equal(parts);
    });
});
