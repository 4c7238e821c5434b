/** Loaded before the main file of a subject (`node --import`): the subject ends when the bench is gone, even after SIGKILL. */
import process from 'node:process';

const STOP_WITHIN_MS = 5_000;

process.on('disconnect', () => {
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
// The channel must not keep a command alive that has done its work.
process.channel?.unref();
