import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DockerState } from '../choice.ts';

/**
 * A simulated Docker engine with one container, but without images and without a network. The test sets its
 * response to a pull.
 */
class FakeDocker {
  state = { Running: true, ExitCode: 0 };
  isPaused = false;
  pullStatus = 500;
  pullBody: object = {
    message: 'Get "https://images.example/v2/": dial tcp: lookup images.example: no such host',
  };
  readonly requests: string[] = [];
  readonly server: Server = createServer((request, response) => {
    const [status, body] = this.#answer(request);
    const reply = () =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(status === 204 ? '' : JSON.stringify(body));
    if (!request.url?.endsWith('/pause')) return reply();
    setTimeout(() => {
      this.isPaused = true;
      reply();
    }, 50);
  });

  #answer({ method, url = '' }: IncomingMessage): [number, unknown] {
    this.requests.push(`${method} ${url.split('?')[0]}`);
    if (url.endsWith('/info'))
      return [
        200,
        { ServerVersion: '28.0', OSType: 'linux', Architecture: 'x86_64', OperatingSystem: 'test' },
      ];
    if (url.endsWith('/networks/bridge')) return [200, { IPAM: { Config: [{ Gateway: '127.0.0.1' }] } }];
    if (url.includes('/images/create')) return [this.pullStatus, this.pullBody];
    if (url.includes('/images/')) return [404, { message: 'No such image: test' }];
    if (url.endsWith('/containers/one/json')) return [200, { Id: 'one', State: this.state }];
    if (url.endsWith('/pause') || url.endsWith('/unpause')) return [204, undefined];
    if (url.includes('/containers/json')) return [200, []];
    return [404, { message: `unknown: ${url}` }];
  }
}

describe('a Docker engine', function () {
  this.timeout(30_000); // for loading testcontainers
  let folder: string;
  let host: string | undefined;
  const docker = new FakeDocker();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-docker-'));
    await once(docker.server.listen(join(folder, 'docker.sock')), 'listening');
    host = process.env['DOCKER_HOST'];
    process.env['DOCKER_HOST'] = `unix://${join(folder, 'docker.sock')}`;
  });
  after(async () => {
    if (host === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = host;
    docker.server.closeAllConnections();
    docker.server.close();
    await rm(folder, { recursive: true });
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
    expect(docker.requests.join()).not.to.include('/containers/create');
  });

  it('reports a missing image even if only the middle of a pull fails', async () => {
    docker.pullStatus = 200;
    docker.pullBody = { error: 'unexpected EOF' };
    expect((await prepare()) as object)
      .to.have.property('problem')
      .that.matches(/run `docker pull elasticsearch:\S+` to see the reason/);
  });

  const controlContainer = async (probe: () => Promise<boolean>) => {
    const { ContainerControl } = await import('./docker-control.ts');
    return ContainerControl.whenUp({ getId: () => 'one' }, probe);
  };

  it('has paused a container when `freeze` resolves', async () => {
    const control = await controlContainer(async () => true);
    await control.freeze();
    expect(docker.isPaused).to.equal(true);
    await control.thaw();
  });

  it('receives no further requests for a dead container', async () => {
    docker.state = { Running: false, ExitCode: 3 };
    const failure = await controlContainer(async () => false).catch(String);
    expect(failure).to.include('exit code 3');
  });
});
