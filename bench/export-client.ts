import { get as httpGet, type IncomingMessage } from 'node:http';
import type { Subject } from './subjects.ts';

/** Starts an export. Resolves with the response. @throws Error unless the response's status is 200 */
export const startExport = ({ port }: Subject): Promise<IncomingMessage> => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  httpGet({ host: '127.0.0.1', port, path: '/api/export' }, (response) => {
    if (response.statusCode === 200) resolve(response);
    else reject(new Error(`export: status ${response.statusCode}`));
  }).once('error', reject);
  return promise;
};

/** Reads this many items from an export, and then ends the export. @throws Error if it has fewer items */
export async function readExport(service: Subject, count: number): Promise<void> {
  const response = await startExport(service);
  let lines = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines++;
    if (lines >= count) break;
  }
  response.destroy();
  if (lines < count) throw new Error(`the export ended after ${lines} items`);
}
