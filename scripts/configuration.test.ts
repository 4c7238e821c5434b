import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ingestSettings } from '@vitrine/ingest/settings';
import { consoleSettings } from '@vitrine/operator/settings';
import { projectorSettings } from '@vitrine/projection/settings';
import { schema as querySettings } from '@vitrine/query/settings';
import { expect } from 'chai';

const page = readFileSync(join(import.meta.dirname, '../docs/operate/configuration.md'), 'utf8');
const settings: Record<string, object> = {
  ...querySettings.properties,
  ...projectorSettings.properties,
  ...ingestSettings.properties,
  ...consoleSettings.properties,
};

/** The tables' rows: the names in the first cell, and the other cells. */
const rows = [...page.matchAll(/^\| (`[A-Z][^|]*) \| ([^|]*) \|/gm)].map(([, names, preset]) => ({
  names: [...(names ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name ?? ''),
  defaults: (preset ?? '').split(',').map((value) => value.trim()),
}));

/**
 * Variables on the page that no settings schema contains: the variables for starting engines and
 * OpenTelemetry's variables.
 */
const OTHER_VARIABLES = ['VITRINE_ENGINES', 'VITRINE_CACHE', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

describe('docs/operate/configuration.md', () => {
  it('lists exactly the settings of the services', () => {
    const named = new Set(
      [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+|MAPPING|PORT|PROCESSES)`/g)].map(([, name]) => name),
    );
    const documented = [...named].filter((name) => !OTHER_VARIABLES.includes(name ?? ''));
    expect(documented).to.have.members(Object.keys(settings));
  });
  it("states the schemas' defaults", () => {
    const wrong = rows.flatMap(({ names, defaults }) =>
      names.flatMap((name, index) => {
        const { default: preset } = (settings[name] ?? {}) as { default?: unknown };
        if (preset === undefined || name === 'ADMIN_PORT') return [];
        return defaults[index] === `\`${String(preset)}\``
          ? []
          : [{ name, page: defaults[index], schema: preset }];
      }),
    );
    expect(wrong).to.deep.equal([]);
    expect(rows.length).to.be.greaterThan(20);
  });
});
