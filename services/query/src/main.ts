import { createLog } from '@vitrine/runtime/log';
import { runQueryService } from './workers/run-workers.ts';

await runQueryService(createLog('query', 'info'));
