import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCli } from '@vitrine/operator';
import { expect } from 'chai';
import {
  ALERTS,
  alerts,
  dashboard,
  documentedMetrics,
  metricNames,
  runbook,
  usedMetrics,
} from './observability-documents.ts';

describe('the alerts and the dashboard', () => {
  it('are checked with a parser that rejects invalid PromQL', () => {
    expect(metricNames('sum(rate(a_total{b="c"}[5m])) / d')).to.deep.equal(['a_total', 'd']);
    expect(() => metricNames('sum(rate(a_total[5m])')).to.throw('no PromQL');
  });

  it('use only documented metrics', () => {
    const documented = [
      'Metrics of both services',
      'Metrics of the projector',
      'Metrics of the ingest',
      'Metrics of the query service',
    ].flatMap(documentedMetrics);
    expect(usedMetrics).to.have.length.above(20);
    expect(documented).to.include.members(usedMetrics);
  });

  it('have a valid expression in every panel', () => {
    expect(dashboard).to.have.length.above(30);
    for (const { title, expr } of dashboard) expect(metricNames(expr), title).not.to.be.empty;
  });

  it('have a severity and a runbook section for every alert, and an alert for every such section', () => {
    const [, section = ''] = runbook.split(/^## Alerts$/m);
    const sections = [...(section.split(/^## /m)[0] ?? '').matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(sections).to.deep.equal(alerts.map(({ alert }) => alert));
    for (const { alert, labels, annotations } of alerts) {
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
      expect(annotations.runbook_url).to.equal(`docs/operate/runbook.md#${alert.toLowerCase()}`);
      expect(annotations.summary, alert).to.match(/\.$/);
    }
  });

  it('lead to a runbook in which every command exists', async () => {
    const commands = new Set(
      [...runbook.matchAll(/npm run cli -- ((?:[a-z][a-z-]* )*[a-z][a-z-]*)/g)].map(
        ([, words]) => words as string,
      ),
    );
    expect(commands.size).to.be.above(5);
    for (const command of commands) {
      let help = '';
      const stdout = { write: (text: string) => (help += text) };
      await runCli([...command.split(' '), '--help'], {
        env: {},
        stdout,
        stderr: stdout,
        signal: new AbortController().signal,
      });
      expect(help).to.include(`Usage: npm run cli -- ${command} `);
    }
  });

  it('are accepted by Prometheus, and the alerts fire when they should', function () {
    const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });
    // On most systems, the package `prometheus` contains this program.
    if (promtool('--version').error) return this.skip();
    const checked = promtool('check', 'config', join(dirname(ALERTS), 'prometheus.yaml'));
    expect(checked.status, checked.stderr).to.equal(0);
    const folder = dirname(ALERTS);
    const scenarios = readdirSync(folder).filter((name) => name.endsWith('.test.yaml'));
    expect(scenarios).to.include('alerts.test.yaml');
    const tested = promtool('test', 'rules', ...scenarios.map((name) => join(folder, name)));
    expect(tested.status, tested.stdout + tested.stderr).to.equal(0);
  });
});
