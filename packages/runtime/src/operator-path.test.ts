import { resolve } from 'node:path';
import { expect } from 'chai';
import { operatorPath } from './operator-path.ts';

describe('the path of a file that an operator names', () => {
  it('begins at the directory in which the operator started npm', () => {
    expect(operatorPath({ INIT_CWD: '/operator' }, 'report.json')).to.equal('/operator/report.json');
    expect(operatorPath({ INIT_CWD: '/operator' }, '/report.json')).to.equal('/report.json');
    expect(operatorPath({}, 'report.json')).to.equal(resolve('report.json'));
  });
});
