import { enableCompileCache } from 'node:module';
import { setPriority } from 'node:os';

// Most of what a short command takes is to read its own code: loaded after this, so that the next one has it ready.
enableCompileCache();
const { runCli } = await import('./program.ts');

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
