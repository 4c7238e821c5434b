import { setPriority } from 'node:os';
import { boundedArguments } from './process/bounded-heap.ts';
import { cacheCompiledModules } from './process/compile-cache.ts';

const bounded = boundedArguments(process.execArgv, process.argv);
// The heap size is fixed when a process starts. Windows cannot replace a process.
if (bounded && process.execve) process.execve(process.execPath, bounded, process.env);

// A short command spends most of its time loading code. Node caches only modules that it loads after this
// call.
cacheCompiledModules(process.env);
const { endOnSignals, exitWithReader } = await import('@vitrine/runtime/processes');
const { runCli } = await import('./program.ts');
const { askOnTerminal } = await import('./confirmation.ts');

/** A Unix nice value that gives the services precedence over the command line. */
setPriority(10);
const interrupted = new AbortController();
endOnSignals(interrupted);
const { env, stdin, stdout, stderr } = process;
exitWithReader(stdout, stderr);
process.exitCode = await runCli(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  signal: interrupted.signal,
  ask: askOnTerminal,
});
