import { checkProjectorSettings, projectorSettings } from '@vitrine/projection';
import { createLog, runService, settingsOrExit } from '@vitrine/runtime';
import { startProjector } from './service.ts';

const settings = settingsOrExit(projectorSettings, process.env, checkProjectorSettings);
const log = createLog('projector', settings.LOG_LEVEL);
await runService(log, () => startProjector(settings, log));
