import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DockerState } from '../choice.ts';

/** The part of a container creation request that the tests read. */
interface CreateRequest {
  readonly HostConfig: { readonly PortBindings: Record<string, object[]> };
}

const json = (response: ServerResponse, status: number, body?: unknown): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(body === undefined ? '' : JSON.stringify(body));

/** The variables that affect which Docker engine Testcontainers uses, and how it connects. */
const DOCKER_SETTINGS = [
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'TESTCONTAINERS_HOST_OVERRIDE',
  'HOME',
];

/** A simulated Docker engine with at most one container and no network. */
class FakeDocker {
  state = { Running: true, Paused: false, OOMKilled: false, ExitCode: 0 };
  hasImages = false;
  pullStatus = 500;
  pullBody: object = {
    message: 'Get "https://images.example/v2/": dial tcp: lookup images.example: no such host',
  };
  /** The container's output in Docker's format. */
  log: Buffer = Buffer.alloc(0);
  readonly requests: string[] = [];
  readonly created: CreateRequest[] = [];
  #folder = '';
  readonly #settings: Record<string, string | undefined> = {};
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  /**
   * Stands for a Ryuk that another process has started, and accepts connections to it. Testcontainers keeps
   * its connection open, but this end of the connection must not keep the test process alive.
   */
  readonly #ryuk = createTcpServer((socket) =>
    socket
      .on('error', () => {})
      .unref()
      .resume(),
  );

  async start(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'vitrine-docker-'));
    await once(this.#server.listen(join(this.#folder, 'docker.sock')), 'listening');
    await once(this.#ryuk.listen(0, '127.0.0.1').unref(), 'listening');
    for (const name of DOCKER_SETTINGS) {
      this.#settings[name] = process.env[name];
      delete process.env[name];
    }
    process.env['DOCKER_HOST'] = `unix://${join(this.#folder, 'docker.sock')}`;
    // The home folder can contain settings of Testcontainers.
    process.env['HOME'] = this.#folder;
  }

  async stop(): Promise<void> {
    for (const [name, value] of Object.entries(this.#settings))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    this.#server.closeAllConnections();
    this.#server.close();
    this.#ryuk.close();
    await rm(this.#folder, { recursive: true });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const [path = '', query = ''] = url.replace(/^\/v[\d.]+/, '').split('?');
    this.requests.push(`${method} ${path}${method === 'DELETE' ? `?${query}` : ''}`);
    switch (`${method} ${path}`) {
      case 'GET /info': {
        const info = { ServerVersion: '28.0', OSType: 'linux', Architecture: 'x86_64' };
        return json(response, 200, { ...info, OperatingSystem: 'test' });
      }
      case 'GET /networks/bridge':
        return json(response, 200, { IPAM: { Config: [{ Gateway: '127.0.0.1' }] } });
      case 'POST /images/create':
        return json(response, this.pullStatus, this.pullBody);
      case 'GET /containers/json':
        return json(response, 200, [this.#runningRyuk()]);
      case 'POST /containers/create':
        this.created.push(JSON.parse(String(await request.reduce((text, part) => text + part, ''))));
        return json(response, 201, { Id: 'one' });
      case 'GET /containers/one/json':
        return json(response, 200, this.#inspection());
      case 'GET /containers/one/logs':
        return void response.writeHead(200).end(this.log);
      case 'POST /containers/one/pause': // the container runs for a moment after the response
        setTimeout(() => (this.state.Paused = true), 50);
        return json(response, 204);
      case 'POST /containers/one/start':
      case 'POST /containers/one/unpause':
      case 'DELETE /containers/one':
        return json(response, 204);
    }
    if (path.startsWith('/images/'))
      return this.hasImages
        ? json(response, 200, { Id: path })
        : json(response, 404, { message: 'No such image: test' });
    json(response, 404, { message: `unknown: ${url}` });
  }

  /** A container whose image contains Ryuk but lacks the official image's label. */
  #runningRyuk(): object {
    return {
      Id: 'ryuk',
      Image: 'testcontainers/ryuk:0.14.0',
      State: 'running',
      Created: 1,
      Labels: { 'org.testcontainers.session-id': 'another-process' },
      Ports: [{ PrivatePort: 8080, PublicPort: (this.#ryuk.address() as AddressInfo).port }],
    };
  }

  #inspection(): object {
    const bindings = this.created.at(-1)?.HostConfig.PortBindings ?? {};
    return {
      Id: 'one',
      Name: '/one',
      State: { ...this.state, Status: 'test', StartedAt: '', FinishedAt: '' },
      Config: { Hostname: 'one', Labels: {}, Image: 'test' },
      HostConfig: { PortBindings: bindings },
      NetworkSettings: { Ports: bindings, Networks: {} },
    };
  }
}

/** Returns output in Docker's format: each piece follows a header with its stream (1 is stdout) and size. */
function logFrames(...pieces: readonly string[]): Buffer {
  return Buffer.concat(
    pieces.flatMap((text) => {
      const header = Buffer.alloc(8);
      header[0] = 1;
      header.writeUInt32BE(Buffer.byteLength(text), 4);
      return [header, Buffer.from(text)];
    }),
  );
}

describe('a Docker engine', () => {
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
