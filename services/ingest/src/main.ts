import { parseArgs } from 'node:util';
import { createLog } from '@vitrine/runtime/log';
import { runService } from '@vitrine/runtime/service';
import { settingsOrExit } from '@vitrine/runtime/settings';
import { dryRun } from './dry-run.ts';
import { loadMapping, MappingError } from './load-mapping.ts';
import { startIngest } from './service.ts';
import { checkIngestSettings, ingestSettings } from './settings.ts';

const HELP = `usage: npm run ingest -- --mapping FILE [--dry-run [--json] [--report FILE]]

Consumes existing topics, and publishes listing events to LISTING_EVENTS_TOPIC.

  --mapping FILE  the mapping module (or the setting MAPPING)
  --dry-run       map what the topics hold now, and report as the command check does; publish nothing
  --json          print the summary of the dry run as JSON
  --report FILE   also write every finding of the dry run to this file
  --help          this text

docs/start/ingest.md explains mappings. docs/operate/configuration.md lists the settings.
`;

const OPTIONS = {
  mapping: { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean', default: false },
  report: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** The exit code for a usage error, as in the other commands (docs/reference/cli.md#output). */
const WRONG_CALL = 2;

function optionsOrExit() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    process.exit(WRONG_CALL);
  }
}

/**
 * Performs the dry run, and prints any error in the same form as the `check` command.
 * @returns the exit code
 */
async function runDry(): Promise<number> {
  try {
    return await dryRun(settings, mapping, createLog('ingest', 'silent', 2), values);
  } catch (error) {
    const { message } = error as Error;
    if (values.json) process.stdout.write(`${JSON.stringify({ error: { kind: 'failed', message } })}\n`);
    else process.stderr.write(`${message}\n`);
    return 1;
  }
}

const values = optionsOrExit();
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
if (values['dry-run']) process.exit(await runDry());
const log = createLog('ingest', settings.LOG_LEVEL);
await runService(log, () => startIngest(settings, mapping, log));
