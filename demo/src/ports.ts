import { createServer } from 'node:net';

/** A port that is needed, and the variable that changes it. */
export interface NeededPort {
  port: number;
  variable: string;
}

/** The ports of the query service. */
export function queryPorts({ port, adminPort }: { port: number; adminPort: number }): NeededPort[] {
  return [
    { port, variable: 'PORT' },
    { port: adminPort, variable: 'ADMIN_PORT' },
  ];
}

/** The ports of the projector. */
export function projectorPorts({ projectorAdminPort }: { projectorAdminPort: number }): NeededPort[] {
  return [{ port: projectorAdminPort, variable: 'ADMIN_PORT + 1' }];
}

/** The port of the ingest. */
export function ingestPorts({ ingestAdminPort }: { ingestAdminPort: number }): NeededPort[] {
  return [{ port: ingestAdminPort, variable: 'ADMIN_PORT + 2' }];
}

/** The port of the console. */
export function consolePorts({ consolePort }: { consolePort: number }): NeededPort[] {
  return [{ port: consolePort, variable: 'CONSOLE_PORT' }];
}

/** The port of the marketplace's website. */
export function sitePorts({ sitePort }: { sitePort: number }): NeededPort[] {
  return [{ port: sitePort, variable: 'SITE_PORT' }];
}

/** The error for ports that cannot be used. Its message addresses the user at the terminal. */
export class PortsTakenError extends Error {
  override readonly name = 'PortsTakenError';
}

/** A needed port, and the error code of the attempt to use it. */
export interface RefusedPort extends NeededPort {
  code: string;
}

/**
 * Checks that all ports are free now.
 * @throws PortsTakenError that names each port that is not free, and its variable
 */
export async function assertFree(needed: readonly NeededPort[]): Promise<void> {
  const refused: RefusedPort[] = [];
  for (const { port, variable } of needed) {
    // Some systems let one server listen on all addresses while another server listens on one of these
    // addresses.
    const code = (await refusalOf(port)) ?? (await refusalOf(port, '127.0.0.1'));
    if (code !== undefined) refused.push({ port, variable, code });
  }
  if (refused.length > 0) throw new PortsTakenError(describeRefusals(refused));
}

/** The error message: one sentence for each port, and the remedy. */
export function describeRefusals(refused: readonly RefusedPort[]): string {
  const lines = refused.map(({ port, variable, code }) => {
    if (code === 'EADDRINUSE') return `Port ${port} (${variable}) is in use by another process.`;
    if (code === 'EACCES') return `Port ${port} (${variable}) is privileged, so only root may use it.`;
    return `Port ${port} (${variable}) cannot be used: ${code}.`;
  });
  const remedy =
    'set PORT, ADMIN_PORT, CONSOLE_PORT and SITE_PORT to other ports, as in ' +
    '`PORT=9080 ADMIN_PORT=9081 CONSOLE_PORT=9090 SITE_PORT=9092 npm start`.';
  const isTaken = refused.some(({ code }) => code === 'EADDRINUSE');
  return [
    ...lines,
    isTaken ? `Perhaps another \`npm start\` is running. Stop it, or ${remedy}` : `To start, ${remedy}`,
  ].join('\n');
}

/** The error code from an attempt to listen on the port; undefined if the port is free. */
function refusalOf(port: number, host?: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, exclusive: true, ...(host && { host }) }, () =>
      probe.close(() => resolve(undefined)),
    );
  });
}
