import { checkTopics, createLog, runService, settingsOrExit } from '@vitrine/runtime';
import { startProjector } from './service.ts';
import { projectorSettings } from './settings.ts';

const settings = settingsOrExit(projectorSettings, process.env, checkTopics);
const log = createLog('projector', settings.LOG_LEVEL);
await runService(log, () => startProjector(settings, log));
