import { containerOf, type Manifest, manifestOf, podOf } from '@vitrine/test/manifests';
import { expect } from 'chai';
import { bytes } from '../deployment-limits.ts';
import { renderBefore } from './rendered.ts';

const DAY = 86_400;
/** A dump of a million whole listings, and the comparison's files: docs/operate/reconcile.md. */
const MILLION_LISTINGS_BYTES = 1_000_000 * (2_700 + 1_000);

describe('infra/kubernetes: the commands', () => {
  const rendered = renderBefore('example/commands', 'example');
  const cronJobs = (manifests: Manifest[]) => manifests.filter(({ kind }) => kind === 'CronJob');

  it('runs these commands, of which only the nightly comparison has a schedule', () => {
    const commands = cronJobs(rendered()['example/commands']).map(({ metadata, spec }) => {
      const [container] = spec.jobTemplate.spec.template.spec.containers;
      // The image's entry point is the command line.
      expect(container?.command, metadata.name).to.equal(undefined);
      return [metadata.name, container?.args?.join(' '), spec.suspend === true ? 'suspended' : spec.schedule];
    });
    expect(commands.sort()).to.deep.equal([
      ['reconcile', 'reconcile --source /source/listings.csv', 'suspended'],
      ['replay', 'replay --rate 1500', 'suspended'],
      ['replay-from-states', 'replay --from states --rate 1500', 'suspended'],
      ['replay-resume', 'replay resume --rate 1500', 'suspended'],
      ['topics', 'topics create', 'suspended'],
      ['verify', 'verify', 'suspended'],
      ['verify-items', 'verify --self', '30 3 * * *'],
    ]);
  });

  it('ends a nightly comparison before the next one, and keeps a failed one and its log for a week', () => {
    const { spec } = manifestOf(rendered().example, 'CronJob', 'verify-items');
    expect(spec.jobTemplate.spec.activeDeadlineSeconds).to.be.within(3_600, DAY - 3_600);
    expect(spec.jobTemplate.spec.ttlSecondsAfterFinished).to.be.at.least(7 * DAY);
    expect(spec.failedJobsHistoryLimit).to.be.at.least(7);
  });

  it('gives an interrupted replay time to record its position, and does not start it again', () => {
    const replays = cronJobs(rendered().example).filter(({ metadata }) => metadata.name.startsWith('replay'));
    expect(replays).to.have.length(3);
    for (const { spec } of replays) {
      expect(spec.jobTemplate.spec.backoffLimit).to.equal(0);
      expect(spec.jobTemplate.spec.template.spec.terminationGracePeriodSeconds).to.equal(60);
    }
  });

  it('does not evict a pod because of the files in its volumes', () => {
    const limits = rendered()['example/commands'].flatMap((manifest) => {
      const pod = podOf(manifest);
      if (!pod?.volumes?.some(({ emptyDir }) => emptyDir)) return [];
      return [[manifest.metadata.name, bytes(containerOf(pod).resources.limits['ephemeral-storage'] ?? '')]];
    });
    expect(limits.map(([name]) => name).sort()).to.deep.equal(['cli', 'reconcile']);
    for (const [name, limit] of limits) expect(limit, String(name)).to.be.at.least(MILLION_LISTINGS_BYTES);
  });

  it('does not count the pods of jobs as pods of the idle Deployment', () => {
    const { selector, template } = manifestOf(rendered().example, 'Deployment', 'cli').spec;
    expect(template.metadata.labels).to.include(selector.matchLabels ?? {});
    const matches = (labels: Record<string, string>) =>
      Object.entries(selector.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
    for (const { spec } of cronJobs(rendered().example))
      expect(matches(spec.jobTemplate.spec.template.metadata.labels)).to.equal(false);
  });
});
