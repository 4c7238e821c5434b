import { setPriority } from 'node:os';
import { runCli } from './program.ts';

/** Of Unix' nice values: the services have the processor first. */
setPriority(10);
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // The first lets go of everything in order; who asks twice does not want to wait.
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort(new Error('interrupted'));
  });
const { env, stdout, stderr } = process;
process.exitCode = await runCli(process.argv.slice(2), { env, stdout, stderr, signal: interrupted.signal });
