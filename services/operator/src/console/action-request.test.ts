import { expect } from 'chai';
import { ActionRequestError, actionRequest } from './action-request.ts';

const argvOf = (action: string, args?: object) => actionRequest({ action, arguments: args }).argv.join(' ');

describe('request for an action', () => {
  it('becomes a command of the command line', () => {
    expect(argvOf('replay', { from: 'states', rate: 100, 'incomplete-log': true })).to.equal(
      'replay --from=states --rate=100 --incomplete-log',
    );
    expect(argvOf('replay', { 'incomplete-log': false })).to.equal('replay');
    expect(argvOf('resume', { generation: 3 })).to.equal('replay resume -- 3');
    expect(argvOf('cancel', { generation: 3 })).to.equal('replay cancel -- 3');
    expect(argvOf('verify', { generation: 2 })).to.equal('verify -- 2');
    expect(argvOf('verify-self', {})).to.equal('verify --self');
    expect(argvOf('switch', { generation: 2, 'allow-diff': 1, 'allow-explained': true })).to.equal(
      'switch --allow-diff=1 --allow-explained -- 2',
    );
    expect(argvOf('rollback', { generation: 1 })).to.equal('rollback -- 1');
    expect(argvOf('prune', { generation: 1 })).to.equal('prune -- 1');
    expect(argvOf('retry', { ref: '0:12' })).to.equal('dead-letters retry -- 0:12');
    expect(argvOf('dismiss', { reason: '--all', cause: 'ab', until: '2026-01-01' })).to.equal(
      'dead-letters dismiss --reason=--all --cause=ab --until=2026-01-01',
    );
    expect(argvOf('dismiss', { reason: 'x', ref: '0:1' })).to.equal('dead-letters dismiss --reason=x -- 0:1');
  });

  it('keeps a value that looks like an option in one word', () =>
    expect(actionRequest({ action: 'retry', arguments: { key: '--reason=x' } }).argv).to.deep.equal([
      'dead-letters',
      'retry',
      '--key=--reason=x',
    ]));

  it('that acts on a generation must name it', () => {
    for (const action of ['resume', 'cancel', 'switch', 'rollback', 'prune', 'verify'])
      expect(() => actionRequest({ action })).to.throw(ActionRequestError, 'generation');
  });

  for (const [name, body] of [
    ['no object', 'prune'],
    ['no action', {}],
    ['an unknown action', { action: 'export' }],
    ['a name of the prototype', { action: 'constructor' }],
    ['an unknown argument', { action: 'rollback', arguments: { report: '/etc/passwd' } }],
    ['an argument of the prototype', { action: 'replay', arguments: { toString: true } }],
    ['a list of arguments', { action: 'rollback', arguments: ['x'] }],
    ['another source', { action: 'replay', arguments: { from: '../x' } }],
    ['a negative rate', { action: 'replay', arguments: { rate: -1 } }],
    ['a text as number', { action: 'switch', arguments: { generation: '2' } }],
    ['a wrong position', { action: 'retry', arguments: { ref: '--dry-run' } }],
  ] as const)
    it(`with ${name} is refused`, () => expect(() => actionRequest(body)).to.throw(ActionRequestError));
});
