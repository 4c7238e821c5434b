/** Programs that run in the pod `tools`, in the folder of the command line's image. */

const CONNECT = `
import { readFileSync } from 'node:fs';
import { createKafka, createTopic } from '@vitrine/kafka';
import { createLog } from '@vitrine/runtime/log';
const { BROKERS, CA_FILE, PASSWORD: password } = process.env;
const sasl = { mechanism: 'scram-sha-512', username: 'administrator', password };
const tls = { ca: readFileSync(CA_FILE, 'utf8') };
const kafka = createKafka({ brokers: BROKERS, tls, sasl }, createLog('tools', 'silent'));
`;

/** Creates the ACLs that its input lists. */
export const ALLOW = `${CONNECT}
const admin = kafka.admin();
await admin.connect();
await admin.allow(JSON.parse(readFileSync(0, 'utf8')));
await admin.disconnect();
`;

/**
 * Publishes the lines of its input to a topic. If the second argument gives a number of partitions, creates
 * the topic first.
 */
export const PUBLISH = `${CONNECT}
import { createInterface } from 'node:readline';
const [topic, partitions] = process.argv.slice(1);
if (partitions) {
  const admin = kafka.admin();
  await admin.connect();
  await createTopic(admin, { topic, numPartitions: Number(partitions) });
  await admin.disconnect();
}
const producer = kafka.producer({ idempotent: true });
await producer.connect();
let batch = [];
let sent = 0;
const send = async () => {
  if (batch.length > 0) await producer.send({ topic, messages: batch });
  sent += batch.length;
  batch = [];
};
for await (const line of createInterface({ input: process.stdin })) {
  batch.push(JSON.parse(line));
  if (batch.length === 500) await send();
}
await send();
await producer.disconnect();
console.log(sent);
`;

/** Prints every item in a feed, in order, one per line. Repeats a page after 503 as Retry-After says. */
export const CRAWL = `
const ATTEMPTS = 20;
const ask = async (url) => {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url);
    const seconds = Number(response.headers.get('retry-after'));
    if (response.status !== 503 || !(seconds > 0) || attempt === ATTEMPTS) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 1_000 * seconds));
  }
};
const [path] = process.argv.slice(1);
for (let cursor = '*'; cursor !== undefined; ) {
  const response = await ask('http://query' + path + '?pageSize=100&cursor=' + encodeURIComponent(cursor));
  if (response.status !== 200) throw new Error(path + ' answered ' + response.status);
  const { data, meta } = await response.json();
  for (const item of data) console.log(JSON.stringify(item));
  cursor = meta.nextCursor;
}
`;

/**
 * Requests pages over keep-alive connections until its input ends. After a 503 with Retry-After, it waits and
 * repeats the request, as clients should. Elasticsearch causes such responses on a machine without free CPU.
 * An error, any other status, or a 503 that a request still receives after 60 s counts as a failure. The
 * program looks up the Service's address only once, because a drain can also evict the cluster's DNS server.
 * Prints the counts and the failures.
 */
export const LOAD = `
import { lookup } from 'node:dns/promises';
const { address, family } = await lookup('query');
const origin = 'http://' + (family === 6 ? '[' + address + ']' : address);
const started = Date.now();
let ends = false;
process.stdin.resume().on('end', () => (ends = true));
let requests = 0;
let refused = 0;
let lastFailureMs = 0;
const failures = [];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const ask = async (path) => {
  for (const began = Date.now(); ; ) {
    const response = await fetch(origin + path, { signal: AbortSignal.timeout(20_000) });
    await response.arrayBuffer();
    const seconds = Number(response.headers.get('retry-after') ?? NaN);
    if (response.status !== 503 || !(seconds >= 0) || Date.now() - began > 60_000) return response.status;
    refused++;
    await pause(1_000 * seconds);
  }
};
const client = async (number) => {
  for (let i = 0; !ends; i++) {
    const path = '/api/' + (i % 2 ? 'ai-feed' : 'public-feed') + '?pageSize=3&page=' + (1 + ((7 * number + i) % 90));
    const began = Date.now() - started;
    requests++;
    const status = await ask(path).catch((error) => error + ' ' + (error.cause?.code ?? error.cause ?? ''));
    if (status !== 200) {
      failures.push(began + ' ms: ' + status + ' ' + path);
      lastFailureMs = Math.max(lastFailureMs, began);
    }
    await pause(40);
  }
};
await Promise.all(Array.from({ length: 8 }, (_, number) => client(number)));
const failed = failures.length;
console.log(JSON.stringify({ requests, refused, failed, failures: failures.slice(0, 20), lastFailureMs }));
`;

/** Blocks the event loop of process 1 in its container for good, through Node's inspector. */
export const FREEZE = `
const [{ webSocketDebuggerUrl }] = await (await fetch('http://127.0.0.1:9229/json/list')).json();
const socket = new WebSocket(webSocketDebuggerUrl);
await new Promise((resolve) => socket.addEventListener('open', resolve));
socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: 'setTimeout(() => { for (;;); }, 100)' } }));
await new Promise((resolve) => socket.addEventListener('message', resolve));
process.exit(0);
`;
