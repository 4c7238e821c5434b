import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rulesModuleFaults } from '@vitrine/listing';
import { loadRules } from '@vitrine/projection/rules';
import { containerOf, environmentOf, type Manifest, podOf, renderManifests } from '@vitrine/test/manifests';
import { expect } from 'chai';
import { parse } from 'yaml';
import { expectSettings, PROJECTOR } from '../deployment-limits.ts';
import module from './example/rules-module/rules.ts';

const FOLDERS = { example: '.', 'example/commands': 'commands', 'example/rollout': 'rollout' } as const;
const PATH = '/etc/vitrine/rules.ts';

describe('a rules module in containers', () => {
  let copy: string;
  before(() => {
    copy = mkdtempSync(join(tmpdir(), 'vitrine-kubernetes-'));
    cpSync(import.meta.dirname, copy, { recursive: true });
    for (const folder of Object.values(FOLDERS)) {
      const file = join(copy, 'example', folder, 'kustomization.yaml');
      const text = readFileSync(file, 'utf8');
      expect(text).to.match(/^ {2}# - (\.\.\/)?rules-module$/m);
      writeFileSync(file, text.replace(/^ {2}# (?=- (\.\.\/)?rules-module$)/m, '  '));
    }
  });
  after(() => rmSync(copy, { recursive: true }));

  it('is a valid example', async () => {
    expect(rulesModuleFaults(module)).to.deep.equal([]);
    // The mounted folder contains no packages.
    const file = join(copy, 'example/rules-module/rules.ts');
    expect((await loadRules({ RULES_MODULE: file }, {})).reasons).to.have.keys('image');
  });

  it('is mounted where RULES_MODULE names it, in every projector and command, once its line is no longer a comment', function () {
    this.timeout(180_000);
    for (const folder of Object.keys(FOLDERS)) {
      const manifests = renderManifests(join(copy, folder));
      if (manifests === undefined) return this.skip();
      const ofModule = manifests.filter(({ kind, data }) => kind === 'ConfigMap' && 'rules.ts' in data);
      expect(ofModule, folder).to.have.length(1);
      const pods = manifests.filter((one) => usesRules(one));
      expect(pods, folder).not.to.have.length(0);
      for (const manifest of pods) {
        const pod = podOf(manifest);
        if (!pod) continue;
        const container = containerOf(pod);
        const name = `${folder}: ${manifest.metadata.name}`;
        expect(environmentOf(manifests, container).RULES_MODULE, name).to.equal(PATH);
        const mount = container.volumeMounts?.find(({ mountPath }) => PATH === `${mountPath}/rules.ts`);
        expect(pod.volumes, name).to.deep.include({
          name: mount?.name,
          configMap: { name: ofModule[0]?.metadata.name },
        });
      }
    }
    return undefined;
  });

  it('has a documented file for Compose', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/operate/rules-module.md'), 'utf8');
    const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(text) ?? [];
    const { services } = parse(yaml, { merge: true }) as {
      services: Record<string, { environment: Record<string, string>; volumes: string[] }>;
    };
    expect(services).to.have.keys('projector', 'cli');
    for (const { environment, volumes } of Object.values(services)) {
      const engines = { KAFKA_BROKERS: 'kafka:9092', ELASTICSEARCH_URL: 'http://elasticsearch:9200' };
      expectSettings('projector', { ...engines, ...environment }, PROJECTOR);
      expect(volumes).to.deep.equal([`./my-rules.ts:${environment.RULES_MODULE}:ro`]);
    }
  });
});

/**
 * Every projector and command derives items, except the job that creates topics. That job may have the module
 * too.
 */
const usesRules = (manifest: Manifest): boolean =>
  podOf(manifest) !== undefined && !manifest.metadata.name.startsWith('query');
