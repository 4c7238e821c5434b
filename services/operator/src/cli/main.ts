import { setPriority } from 'node:os';
import { cacheCompiledModules } from './compile-cache.ts';

// Loading the code dominates the time of a short command. Only modules that load after this call are cached.
cacheCompiledModules(process.env);
const { exitWithReader } = await import('@vitrine/runtime');
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
exitWithReader(stdout, stderr);
process.exitCode = await runCli(process.argv.slice(2), { env, stdout, stderr, signal: interrupted.signal });
