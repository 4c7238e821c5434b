/**
 * The ceiling: node:http and nothing else, answering every request with the bytes and headers that the service answered
 * one with. Settings: PORT, ORIGIN_PORT, TARGET, PROCESSES.
 */
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { Connection, get } from '../connection.ts';

/** What node:http writes by itself. */
const OWN_HEADERS = new Set(['date', 'connection', 'keep-alive']);

const processes = Number(process.env['PROCESSES']);
if (processes > 1 && cluster.isPrimary) {
  for (let started = 0; started < processes; started++) cluster.fork();
  process.on('SIGTERM', () => process.exit());
} else await serve();

async function serve(): Promise<void> {
  const origin = new Connection(Number(process.env['ORIGIN_PORT']));
  const { head, body } = await origin.send(get(String(process.env['TARGET'])));
  origin.close();
  const headers = head
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(/: (.*)/, 2) as [string, string])
    .filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  const withoutBody = headers.filter(([name]) => !name.toLowerCase().startsWith('content-'));
  const server = createServer((request, response) => {
    if (request.headers['if-none-match'] === undefined) response.writeHead(200, headers.flat()).end(body);
    else response.writeHead(304, withoutBody.flat()).end();
  });
  server.listen(Number(process.env['PORT']), '127.0.0.1');
}
