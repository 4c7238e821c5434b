import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
/** A shorter limit would depend on the machine's speed. */
const SHORTEST_LIMIT_MS = 60_000;

/** The limits in milliseconds with which a source calls `eventually`. Unknown limits are left out. */
function limitsIn(text: string): number[] {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, number>();
  const limits: number[] = [];
  const limitOf = (node: ts.Node | undefined): number | undefined => {
    if (!node) return undefined;
    if (ts.isNumericLiteral(node)) return Number(node.text.replaceAll('_', ''));
    return ts.isIdentifier(node) ? constants.get(node.text) : undefined;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
      const value = limitOf(node.initializer);
      if (value !== undefined) constants.set(node.name.text, value);
    }
    if (ts.isCallExpression(node) && node.expression.getText() === 'eventually') {
      const limit = limitOf(node.arguments[2]);
      if (limit !== undefined) limits.push(limit);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return limits;
}

describe('the waits of the tests', () => {
  it('are read with their limits', () => {
    expect(limitsIn("const A_MS = 1_000; eventually('a', b, A_MS); eventually('a', b, 2e3)")).to.deep.equal([
      1_000, 2_000,
    ]);
  });

  it('have limits that no machine exceeds', () => {
    const files = execFileSync('git', ['ls-files', 'test', 'demo', 'packages', 'services'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
      .split('\n')
      .filter((file) => file.endsWith('.ts'));
    const short = files.flatMap((file) =>
      limitsIn(readFileSync(join(ROOT, file), 'utf8'))
        .filter((limit) => limit < SHORTEST_LIMIT_MS)
        .map((limit) => `${file}: ${limit} ms`),
    );
    expect(short).to.deep.equal([]);
  });
});
