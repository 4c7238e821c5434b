// Loaded before a service's main file (`node --import`): the service ends when `npm start` is gone, however that ended.
import process from 'node:process';

const STOP_WITHIN_MS = 5_000;

process.on('disconnect', () => {
  // In order, if that goes fast: a consumer that says good-bye spares the next start its session timeout.
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
