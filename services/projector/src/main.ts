import { createLog, runService, settingsOrExit } from '@vitrine/runtime';
import { startProjector } from './service.ts';
import { checkProjectorSettings, projectorSettings } from './settings.ts';

const settings = settingsOrExit(projectorSettings, process.env, checkProjectorSettings);
const log = createLog('projector', settings.LOG_LEVEL);
await runService(log, () => startProjector(settings, log));
