import { createLog } from '@vitrine/runtime';
import { runQueryService } from './processes.ts';

await runQueryService(createLog('query', 'info'));
