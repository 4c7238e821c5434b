import { expect } from 'chai';
import { auditResult } from './audit.ts';

describe('audit of a release', () => {
  const report = (total: number, vulnerabilities: object) =>
    JSON.stringify({ vulnerabilities, metadata: { vulnerabilities: { total } } });

  it('passes without vulnerabilities', () => expect(auditResult(report(0, {})).status).to.equal('ok'));
  it('fails with a vulnerability, and names its package', () =>
    expect(auditResult(report(1, { left: { severity: 'high' } }))).to.deep.equal({
      status: 'failed',
      details: ['left: high'],
    }));
  it('is impossible if the registry refuses it, if npm prints no JSON, or if the JSON is no report', () => {
    const refused = auditResult('{"message":"405 Method Not Allowed","statusCode":405}');
    expect(refused.status).to.equal('impossible');
    expect(refused.details[0]).to.include('405 Method Not Allowed');
    for (const output of ['', 'npm error', 'null', '[]', '{}', '{"metadata":{}}'])
      expect(auditResult(output).status, output).to.equal('impossible');
  });
});
