import { expect } from 'chai';
import { createLog } from './log.ts';

describe('the log', () => {
  it('escapes what could control a terminal, and each line keeps its meaning', () => {
    const lines: string[] = [];
    const log = createLog('test', 'info', { write: (line: string) => void lines.push(line) });
    const detail = 'record \u009b2J\u202e\u2028\u007f é';
    log.info({ detail }, 'dead letter');
    expect(lines).to.have.lengthOf(1);
    expect(lines[0])
      .to.match(/^[^\x7f-\x9f\u2028-\u202e]+\n$/)
      .and.include('é');
    expect(JSON.parse(lines[0] ?? '')).to.include({ detail, msg: 'dead letter' });
  });
});
