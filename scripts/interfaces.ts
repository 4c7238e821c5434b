import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argumentSchemas, openApiDocument } from '@vitrine/query';
import { asyncApiYaml } from './asyncapi.ts';

const ROOT = join(import.meta.dirname, '..');
/** The default of LOCAL_RADIUS_KM, which the tools' descriptions contain. */
const LOCAL_RADIUS_KM = 50;
const json = (document: unknown): string => `${JSON.stringify(document, undefined, 2)}\n`;

/** The stored interfaces: the text of each file, by its path in the repository. */
export const interfaces = (): Record<string, string> => ({
  'asyncapi.yaml': asyncApiYaml(),
  'docs/reference/interfaces/openapi.json': json(openApiDocument('/api')),
  'docs/reference/interfaces/agent-tools.json': json(argumentSchemas(LOCAL_RADIUS_KM)),
});

// `npm run interfaces` stores the public interfaces (docs/decisions/0093-stored-interfaces.md).
if (import.meta.main)
  for (const [path, text] of Object.entries(interfaces())) writeFileSync(join(ROOT, path), text);
