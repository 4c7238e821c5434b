import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The part of a request that creates a container. */
interface CreateRequest {
  readonly HostConfig: { readonly PortBindings: Record<string, object[]> };
}

const json = (response: ServerResponse, status: number, body?: unknown): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(body === undefined ? '' : JSON.stringify(body));

/** A simulated Docker engine with at most one container and no network. */
export class FakeDocker {
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
  #host: string | undefined;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  /**
   * Accepts the connections to a Ryuk that another process has started. Testcontainers keeps its connection
   * open, and this end must not keep the test process alive.
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
    this.#host = process.env['DOCKER_HOST'];
    process.env['DOCKER_HOST'] = `unix://${join(this.#folder, 'docker.sock')}`;
  }

  async stop(): Promise<void> {
    if (this.#host === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = this.#host;
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

  /** A container of an image of Ryuk that lacks the label of the official image. */
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
export function logFrames(...pieces: readonly string[]): Buffer {
  return Buffer.concat(
    pieces.flatMap((text) => {
      const header = Buffer.alloc(8);
      header[0] = 1;
      header.writeUInt32BE(Buffer.byteLength(text), 4);
      return [header, Buffer.from(text)];
    }),
  );
}
