import { connect } from 'node:net';

export interface RawResponse {
  status: number;
  /** Keys are lower-case names. */
  headers: Map<string, string>;
  body: string;
}

/**
 * Sends bytes unchanged and reads until the connection closes.
 * @returns the first response, or undefined if the connection closed without one
 */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<RawResponse | undefined> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.setTimeout(20_000, () => socket.destroy());
  });
  const text = Buffer.concat(chunks).toString();
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) };
}

/** A GET of a raw target, with one connection per request. */
export const getRaw = (port: number, target: string | Buffer): Promise<RawResponse | undefined> =>
  sendRaw(
    port,
    Buffer.concat([
      Buffer.from('GET '),
      Buffer.from(target),
      Buffer.from(' HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    ]),
  );
