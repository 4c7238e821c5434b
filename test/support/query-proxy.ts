import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection to Elasticsearch that can be cut or silenced without affecting other tests. */
export interface ElasticsearchProxy {
  url: string;
  /** `refuse` closes every connection, `silent` accepts requests and never responds. */
  become(mode: 'open' | 'refuse' | 'silent'): void;
  /** Closes the port. Connections are refused, as if no process listened. */
  leave(): Promise<void>;
  /** Listens on the same port again. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export async function startProxy(target: string): Promise<ElasticsearchProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let mode: 'open' | 'refuse' | 'silent' = 'open';
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy()).on('close', () => sockets.delete(client));
    if (mode === 'refuse') client.destroy();
    if (mode !== 'open') return;
    const upstream = connect(Number(port), hostname);
    sockets.add(upstream);
    upstream.on('error', () => client.destroy()).on('close', () => sockets.delete(upstream) && client.destroy());
    client.on('close', () => upstream.destroy());
    client.on('data', (chunk) => mode === 'open' && upstream.write(chunk));
    upstream.on('data', (chunk) => mode === 'open' && client.write(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${own}`,
    become(next) {
      mode = next;
      if (next !== 'silent') dropAll();
    },
    async leave() {
      server.close();
      dropAll();
      await once(server, 'close');
    },
    async comeBack() {
      server.listen(own, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      dropAll();
      server.close();
      await once(server, 'close');
    },
  };
}
