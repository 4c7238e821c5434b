import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PartialExport } from './partial-export.ts';

const BASE = 'http://127.0.0.1/api';

describe('partial export', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'partial-export-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('keeps nothing from an incomplete line, even if the rest of the export is shorter than that line', async () => {
    const out = join(folder, 'items.ndjson');
    await writeFile(`${out}.part`, '{"id":"a"}\n{"id":"b","title":"the transfer broke off in this li');
    await writeFile(`${out}.part.json`, JSON.stringify({ base: BASE, changeNumber: 7 }));
    const part = await PartialExport.open(out, BASE, false);
    try {
      expect(await part.cut()).to.equal('a');
      await part.append(Buffer.from('{"id":"b"}\n'));
      await part.complete();
    } finally {
      await part.close();
    }
    expect(await readFile(out, 'utf8')).to.equal('{"id":"a"}\n{"id":"b"}\n');
    expect(part.items).to.equal(2);
  });

  it('forgets a discarded export before the first response', async () => {
    const out = join(folder, 'items.ndjson');
    await writeFile(`${out}.part.json`, JSON.stringify({ base: BASE, changeNumber: 7 }));
    await (await PartialExport.open(out, BASE, true)).close();
    const part = await PartialExport.open(out, BASE, false);
    await part.close();
    expect(part.state).to.equal(undefined);
  });
});
