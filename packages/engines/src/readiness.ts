import { execFile } from 'node:child_process';
import { request as overHttp, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import { connect } from 'node:net';
import { decodeMetadataResponse, encodeMetadataRequest } from './kafka-metadata.ts';
import type { EngineSecurity } from './security.ts';

/** Probes an engine once, within a time limit. Returns false if the engine is not ready, for any reason. */
export type Probe = () => Promise<boolean>;

/**
 * Creates a probe that checks whether the Elasticsearch cluster accepts reads and writes. If `security` is
 * set, the probe uses the monitoring user.
 */
export function elasticsearchProbe(url: string, security?: EngineSecurity): Probe {
  const { ca, watcher } = security ?? {};
  const options: RequestOptions & { ca?: string } = {
    agent: false,
    timeout: 4_000,
    ...(ca !== undefined && { ca }),
    ...(watcher && { auth: `${watcher.username}:${watcher.password}` }),
  };
  return httpProbe(new URL('/_cluster/health?wait_for_status=yellow&timeout=2s', url), options);
}

/** Creates a probe that checks whether the response to a GET request has the status 200. */
export function httpProbe(url: URL, options: RequestOptions = { agent: false, timeout: 4_000 }): Probe {
  const request = url.protocol === 'https:' ? overHttps : overHttp;
  return () =>
    new Promise((resolve) => {
      const asking = request(url, options, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      asking.once('timeout', () => asking.destroy());
      asking.once('error', () => resolve(false));
      asking.end();
    });
}

/** Creates a probe that checks whether a program ends with exit code 0. */
export function programProbe(program: string, args: readonly string[]): Probe {
  return () =>
    new Promise((resolve) => {
      execFile(program, args, { timeout: 4_000 }, (error) => resolve(error === null));
    });
}

/** Creates a probe that checks whether the broker is registered and a controller is active. */
export function kafkaProbe(broker: string): Probe {
  const { hostname: host, port } = new URL(`kafka://${broker}`);
  return () =>
    new Promise((resolve) => {
      const socket = connect({ host, port: Number(port), timeout: 3_000 });
      const settle = (ready: boolean): void => {
        socket.destroy();
        resolve(ready);
      };
      let received = Buffer.alloc(0);
      socket.on('data', (bytes: Buffer) => {
        received = Buffer.concat([received, bytes]);
        try {
          const cluster = decodeMetadataResponse(received);
          if (cluster !== undefined) settle(cluster.brokers.length > 0 && cluster.controller >= 0);
        } catch {
          settle(false); // another program uses this port
        }
      });
      socket.once('connect', () => socket.write(encodeMetadataRequest(1)));
      for (const end of ['error', 'timeout', 'close'] as const) socket.once(end, () => settle(false));
    });
}
