import { createLog } from '@vitrine/runtime';
import { runQueryService } from './workers/run-workers.ts';

await runQueryService(createLog('query', 'info'));
