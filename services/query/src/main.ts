import { createLog, runService } from '@vitrine/runtime';
import { startQueryService } from './service.ts';

const log = createLog('query', 'info');
await runService(log, () => startQueryService(process.env, log));
