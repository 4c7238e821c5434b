import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Manifest, renderManifests } from '@vitrine/test/manifests';
import { expect } from 'chai';
import { renderBefore } from './rendered.ts';

describe('infra/kubernetes: monitoring', () => {
  const rendered = renderBefore('example', 'example/ingest', 'example/rollout');

  /** Renders the example after the change that its comment describes. */
  const renderMonitored = (): Manifest[] => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine manifests-'));
    try {
      cpSync(import.meta.dirname, folder, { recursive: true });
      const file = join(folder, 'example/kustomization.yaml');
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace('# - ../monitoring', '- ../monitoring'));
      return renderManifests(join(folder, 'example')) ?? [];
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const labelsMatch = (selector: Record<string, string> = {}, labels: Record<string, string> = {}) =>
    Object.entries(selector).every(([name, value]) => labels[name] === value);

  it('scrapes the admin port of each service, under a job name of its own', () => {
    const monitors = renderMonitored().filter(({ kind }) => kind === 'ServiceMonitor');
    const services = Object.values(rendered())
      .flat()
      .filter(({ kind }) => kind === 'Service');
    const scraped = monitors.map(({ metadata, spec: { selector, endpoints } }) => {
      expect(metadata.namespace).to.equal('vitrine');
      const [{ port, relabelings } = { port: '', relabelings: [] }] = endpoints;
      expect(relabelings).to.have.length(1);
      expect(relabelings[0]).to.include({ action: 'replace', targetLabel: 'job' });
      const targets = services
        .filter(({ metadata: { labels } }) => labelsMatch(selector.matchLabels, labels))
        .filter(({ spec }) => spec.ports.some(({ name }) => name === port));
      return { job: relabelings[0]?.replacement, services: targets.map(({ metadata: { name } }) => name) };
    });
    expect(scraped).to.deep.equal([
      { job: 'vitrine-ingest', services: ['ingest-admin'] },
      { job: 'vitrine-projector', services: ['projector-admin', 'projector-admin-next'] },
      { job: 'vitrine-query', services: ['query-admin'] },
    ]);
  });

  it('is not part of the example, because a cluster without the operator refuses ServiceMonitors', () => {
    expect(rendered().example.map(({ kind }) => kind)).to.not.include('ServiceMonitor');
  });
});
