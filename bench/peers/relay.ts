/**
 * The upper bound for a service in a process of its own. For each request, the program sends the requests in
 * its body to Elasticsearch, one after the other, and returns the bytes of all responses. Its settings are
 * PORT and ELASTICSEARCH_PORT.
 */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { HttpConnection, post } from '../http-connection.ts';

const idle: HttpConnection[] = [];

createServer(async (request, response) => {
  const body = await buffer(request);
  // The check of whether the program has started sends no body.
  const searches = body.length === 0 ? [] : (JSON.parse(body.toString()) as { path: string; body: object }[]);
  const bodies: Buffer[] = [];
  for (const search of searches) bodies.push(await send(search.path, search.body));
  response.writeHead(200, { 'content-length': bodies.reduce((sum, { length }) => sum + length, 0) });
  for (const bytes of bodies) response.write(bytes);
  response.end();
}).listen(Number(process.env['PORT']), '127.0.0.1');

async function send(path: string, search: object): Promise<Buffer> {
  const connection = idle.pop() ?? new HttpConnection(Number(process.env['ELASTICSEARCH_PORT']));
  const { status, body } = await connection.send(post(path, search));
  if (status !== 200) throw new Error(`${path}: status ${status}: ${body.toString()}`);
  idle.push(connection);
  return body;
}
