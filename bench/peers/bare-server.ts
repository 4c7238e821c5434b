/**
 * The upper bound: node:http alone, which answers every request with the bytes and headers of one response
 * from the query service. Its settings are PORT, ORIGIN_PORT, TARGET and PROCESSES.
 */
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { get, HttpConnection } from '../http-connection.ts';

/** Headers that node:http writes itself. */
const OWN_HEADERS = new Set(['date', 'connection', 'keep-alive']);

const processes = Number(process.env['PROCESSES']);
if (processes > 1 && cluster.isPrimary) {
  for (let started = 0; started < processes; started++) cluster.fork();
  process.on('SIGTERM', () => process.exit());
} else await serve();

async function serve(): Promise<void> {
  const origin = new HttpConnection(Number(process.env['ORIGIN_PORT']));
  const { headers, body } = await origin.send(get(String(process.env['TARGET'])));
  origin.close();
  const page = Object.entries(headers)
    .filter(([name]) => !OWN_HEADERS.has(name))
    .map(([name, value]): [string, string] => [name, String(value)]);
  const withoutBody = page.filter(([name]) => !name.startsWith('content-'));
  const server = createServer((request, response) => {
    if (request.headers['if-none-match'] === undefined) response.writeHead(200, page.flat()).end(body);
    else response.writeHead(304, withoutBody.flat()).end();
  });
  server.listen(Number(process.env['PORT']), '127.0.0.1');
}
