import { expect } from 'chai';
import type { DockerState } from '../choice.ts';
import { FakeDocker, logFrames } from './fake-docker.ts';

describe('a Docker engine', function () {
  this.timeout(30_000); // for loading testcontainers
  const docker = new FakeDocker();

  before(() => docker.start());
  after(() => docker.stop());
  beforeEach(() => {
    docker.requests.length = 0;
    docker.created.length = 0;
    docker.state = { Running: true, Paused: false, OOMKilled: false, ExitCode: 0 };
  });

  async function prepare(onProgress: (message: string) => void = () => {}): Promise<DockerState> {
    const { prepareDocker } = await import('./docker-images.ts');
    return prepareDocker(['elasticsearch', 'kafka'], process.env, onProgress, undefined);
  }

  it('reports a missing image and the reason before it creates a container', async () => {
    const lines: string[] = [];
    const state = await prepare((line) => lines.push(line));
    expect(state).to.have.property('problem');
    expect((state as { problem: string }).problem).to.match(
      /^Docker responds but cannot provide elasticsearch:\S+ \(Get [^\n]*no such host\)$/,
    );
    expect(lines.join()).to.match(/^Pulling elasticsearch:/);
    expect(docker.created).to.deep.equal([]);
  });

  it('reports a missing image even if only the middle of a pull fails', async () => {
    docker.pullStatus = 200;
    docker.pullBody = { error: 'unexpected EOF' };
    expect((await prepare()) as object)
      .to.have.property('problem')
      .that.matches(/run `docker pull elasticsearch:\S+` to see the reason/);
  });

  it('runs one Ryuk for all processes and all concurrent starts, even if its image has no label', async () => {
    docker.hasImages = true;
    expect(await Promise.all([prepare(), prepare()])).to.deep.equal(['ready', 'ready']);
    expect(docker.requests).to.include('GET /containers/json');
    expect(docker.created).to.deep.equal([]);
  });

  const start = async (probe: () => Promise<boolean>, signal?: AbortSignal) => {
    const { startContainer } = await import('./container-start.ts');
    const { bindAddress } = await import('./docker.ts');
    const port = { container: 9092, host: 20_000 };
    const hostIp = bindAddress('127.0.0.1');
    const plan = { title: 'Kafka', image: 'kafka:test', environment: {}, port, hostIp, probe };
    return startContainer(plan, signal);
  };

  it('publishes the ports of the engines only on the loopback address', async () => {
    await start(async () => true);
    expect(docker.created.map(({ HostConfig }) => HostConfig.PortBindings)).to.deep.equal([
      { '9092/tcp': [{ HostIp: '127.0.0.1', HostPort: '20000' }] },
    ]);
  });

  it('has paused a container when `freeze` resolves', async () => {
    const control = await start(async () => true);
    await control.freeze();
    expect(docker.state.Paused).to.equal(true);
  });

  it('shows the end of the log of a container that ended, and removes the container', async () => {
    docker.state = { ...docker.state, Running: false, ExitCode: 3 };
    docker.log = logFrames('one\n', 'Invalid value für node.id\n', '    at Broker.start\n');
    const failure = await start(async () => false).catch((error: Error) => error.message);
    expect(failure).to.equal(
      'The container of Kafka (kafka:test) did not start: the process in the container ended with exit code 3. ' +
        'The end of its log:\none\nInvalid value für node.id',
    );
    expect(docker.requests).to.include('DELETE /containers/one?force=true&v=true');
  });

  it('names the memory limit if it ended a container', async () => {
    docker.state = { ...docker.state, Running: false, OOMKilled: true, ExitCode: 137 };
    expect(await start(async () => false).catch(String)).to.include('because it exceeded its memory limit');
  });

  it('stops waiting for an engine on abort, and removes the container', async () => {
    const interrupted = new AbortController();
    const waiting = start(async () => {
      interrupted.abort(new Error('interrupted'));
      return false;
    }, interrupted.signal);
    expect(await waiting.catch(String)).to.equal('Error: interrupted');
    expect(docker.requests).to.include('DELETE /containers/one?force=true&v=true');
  });
});
