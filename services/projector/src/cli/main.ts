import { enableCompileCache } from 'node:module';
import { setPriority } from 'node:os';

// Loading the code dominates the time of a short command. Modules that load after this call are cached for
// the next one.
enableCompileCache();
const { runCli } = await import('./program.ts');

/** A Unix nice value: the services take precedence over the command line. */
setPriority(10);
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // The first signal ends the command in an orderly way, a second one immediately.
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort(new Error('interrupted'));
  });
const { env, stdout, stderr } = process;
process.exitCode = await runCli(process.argv.slice(2), { env, stdout, stderr, signal: interrupted.signal });
