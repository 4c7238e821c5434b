import { parseArgs } from 'node:util';
import { createLog } from '@vitrine/runtime/log';
import { runService } from '@vitrine/runtime/service';
import { settingsOrExit } from '@vitrine/runtime/settings';
import { loadMapping, MappingError } from './load-mapping.ts';
import { startIngest } from './service.ts';
import { checkIngestSettings, ingestSettings } from './settings.ts';

const HELP = `usage: npm run ingest -- --mapping FILE

Consumes existing topics, and publishes listing events to LISTING_EVENTS_TOPIC.

  --mapping FILE  the mapping module (or the setting MAPPING)
  --help          this text

docs/start/ingest.md explains mappings. docs/operate/configuration.md lists the settings.
`;

const { values } = parseArgs({ options: { mapping: { type: 'string' }, help: { type: 'boolean' } } });
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const settings = settingsOrExit(ingestSettings, process.env, checkIngestSettings);
const file = values.mapping ?? settings.MAPPING;
const mapping = await loadMapping(file ?? '').catch((error: unknown) => {
  if (!(error instanceof MappingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
const log = createLog('ingest', settings.LOG_LEVEL);
await runService(log, () => startIngest(settings, mapping, log));
