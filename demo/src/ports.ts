import { createServer } from 'node:net';

/** A port that is needed, and the variable that moves it. */
export interface NeededPort {
  port: number;
  variable: string;
}

/** Some ports are not to be had; the message is for the person at the terminal. */
export class PortsTakenError extends Error {
  override readonly name = 'PortsTakenError';
}

/**
 * Looks whether all of them are free now.
 * @throws PortsTakenError naming each that is not, with its variable
 */
export async function assertFree(needed: readonly NeededPort[]): Promise<void> {
  const refusals: string[] = [];
  for (const { port, variable } of needed) {
    // Some systems let a server have all addresses while another has one of them.
    const refusal = (await refusalOf(port)) ?? (await refusalOf(port, '127.0.0.1'));
    if (refusal === 'EADDRINUSE') refusals.push(`Port ${port} (${variable}) is in use by another process.`);
    else if (refusal !== undefined) refusals.push(`Port ${port} (${variable}) cannot be used: ${refusal}.`);
  }
  if (refusals.length === 0) return;
  const variables = [...new Set(needed.map(({ variable }) => variable.split(' ')[0]))].join(' and ');
  throw new PortsTakenError(
    `${refusals.join('\n')}\nPerhaps another \`npm start\` is running: stop it, or set ${variables} to other ports, as in \`PORT=9080 ADMIN_PORT=9081 npm start\`.`,
  );
}

/** The error code with which the port is refused, undefined if it is free. */
function refusalOf(port: number, host?: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, exclusive: true, ...(host && { host }) }, () => probe.close(() => resolve(undefined)));
  });
}
