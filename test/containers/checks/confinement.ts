import { expect } from 'chai';
import { docker, run } from '../support/docker.ts';
import { ENGINES, queryMib, SERVICES, type System } from '../support/system.ts';

const MIB = 1024 ** 2;
/** Memory limits of compose.yaml, in MiB. */
const LIMITS = { kafka: 1024, elasticsearch: 2048, projector: 512, query: queryMib(1) } as const;
/** The exit code of a process that SIGKILL ended. */
const KILLED = 137;

/** Each container runs without root, without capabilities, on a read-only file system and below its limit. */
export function describeConfinement(system: () => System): void {
  describe('each container', () => {
    for (const service of [...ENGINES, ...SERVICES]) {
      it(`${service} is healthy, and Docker has not restarted it`, async () => {
        const { State, RestartCount } = await system().inspect(service);
        expect(State.Health?.Status).to.equal('healthy');
        expect({ restarts: RestartCount, oom: State.OOMKilled }).to.deep.equal({ restarts: 0, oom: false });
      });

      it(`${service} runs without root and without capabilities, and cannot gain privileges`, async () => {
        const id = await system().idOf(service);
        const status = await docker('exec', id, 'cat', '/proc/1/status');
        const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];
        expect(Number(field('Uid'))).to.be.above(0);
        expect(Number.parseInt(field('CapEff') ?? '', 16), 'effective capabilities').to.equal(0);
        expect(Number.parseInt(field('CapBnd') ?? '', 16), 'obtainable capabilities').to.equal(0);
        expect(field('NoNewPrivs')).to.equal('1');
      });

      it(`${service} cannot write to its root file system`, async () => {
        const { Id, HostConfig } = await system().inspect(service);
        expect(HostConfig.ReadonlyRootfs).to.equal(true);
        const { code, stderr } = await run('docker', ['exec', '--user', '0', Id, 'touch', '/etc/hostname-2']);
        expect(code).not.to.equal(0);
        expect(stderr).to.include('Read-only file system');
      });

      it(`${service} has its memory limit, and uses less`, async () => {
        const { Id, HostConfig } = await system().inspect(service);
        expect(HostConfig.Memory).to.equal(LIMITS[service] * MIB);
        const text = await docker('stats', '--no-stream', '--format', '{{.MemPerc}}', Id);
        expect(Number.parseFloat(text)).to.be.within(0.1, 95);
      });

      it(`${service} is reachable only from this machine`, async () => {
        const { HostConfig } = await system().inspect(service);
        const addresses = Object.values(HostConfig.PortBindings ?? {}).flatMap((bindings) =>
          (bindings ?? []).map(({ HostIp }) => HostIp),
        );
        expect(addresses).to.have.length.above(0);
        expect(new Set(addresses)).to.deep.equal(new Set(['127.0.0.1']));
      });

      it(`${service} has no volume without a name, so \`down\` leaves none`, async () => {
        const { Mounts } = await system().inspect(service);
        const volumes = Mounts.filter(({ Type }) => Type === 'volume').map(({ Name }) => Name);
        const data = service === 'kafka' || service === 'elasticsearch';
        expect(volumes).to.deep.equal(data ? [`${system().project}_${service}-data`] : []);
      });
    }

    it('is killed if it exceeds its memory limit', async () => {
      const fill = 'const kept = []; for (;;) kept.push(Buffer.alloc(2 ** 25, 1));';
      const { code } = await system().compose(
        'run',
        '--rm',
        '--no-deps',
        '--entrypoint',
        'node',
        'cli',
        '-e',
        fill,
      );
      expect(code).to.equal(KILLED);
    });
  });
}
