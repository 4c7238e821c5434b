import { loadRules } from '@vitrine/projection/rules';
import { checkProjectorSettings, projectorSettings } from '@vitrine/projection/settings';
import { createLog } from '@vitrine/runtime/log';
import { runService } from '@vitrine/runtime/service';
import { loadedOrExit, settingsOrExit } from '@vitrine/runtime/settings';
import { startProjector } from './service.ts';

const settings = settingsOrExit(projectorSettings, process.env, checkProjectorSettings);
const log = createLog('projector', settings.LOG_LEVEL);
const rules = await loadedOrExit(loadRules(settings));
await runService(log, () => startProjector(settings, log, { rules }));
