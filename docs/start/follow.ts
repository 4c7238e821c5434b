// Keeps a copy of all listings in SQLite. It may be killed and started again at any time:
// node follow.ts http://localhost:8080/api listings.db
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

type Page = { next: string; items: { id: string; data?: object }[] };

const [base = '', file = ''] = process.argv.slice(2);
const db = new DatabaseSync(file, { timeout: 30_000 });
db.exec(`PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS listings (id TEXT PRIMARY KEY, data TEXT, run INTEGER);
  CREATE TABLE IF NOT EXISTS place (run INTEGER, exported INTEGER, next TEXT);
  INSERT INTO place SELECT 1, 0, NULL WHERE NOT EXISTS (SELECT * FROM place)`);
const put = db.prepare('REPLACE INTO listings VALUES (?, ?, (SELECT run FROM place))');
const remove = db.prepare('DELETE FROM listings WHERE id = ?');
const lastOfRun = db.prepare('SELECT max(id) AS id FROM listings WHERE run = (SELECT run FROM place)');
const setNext = db.prepare('UPDATE place SET next = ?');

/** Saves the complete lines. A response may be cut short without an error. */
async function readExport(response: Response): Promise<number> {
  let rest = '';
  let saved = 0;
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) put.run((JSON.parse(line) as { id: string }).id, line);
    saved += lines.length;
    db.exec('COMMIT; BEGIN');
  }
  return saved > 0 ? 0 : 1;
}

/** Only this length proves that no listing follows. */
const isEnd = (response: Response) => response.headers.get('content-length') === '0';

function endExport(): number {
  db.exec('DELETE FROM listings WHERE run < (SELECT run FROM place); UPDATE place SET exported = 1');
  return 0;
}

function apply({ items, next }: Page): number {
  for (const { id, data } of items) data ? put.run(id, JSON.stringify(data)) : remove.run(id);
  setNext.run(next);
  return items.length > 0 ? 0 : 1;
}

for (let pause = 0; ; await sleep(1_000 * pause)) {
  db.exec('BEGIN');
  const { exported, next } = db.prepare('SELECT * FROM place').get() as { exported: number; next: string };
  const last = exported ? '' : String(lastOfRun.get()?.id ?? '');
  try {
    const response = await fetch(exported ? next : `${base}/export?after=${encodeURIComponent(last)}`);
    pause = response.ok ? 0 : Number(response.headers.get('retry-after')) || 5;
    if (!response.ok) console.error(response.status, await response.text());
    // The place is too old: start over, and keep the copy until then.
    if (response.status === 410) db.exec('UPDATE place SET run = run + 1, exported = 0');
    if (response.ok && exported) pause = apply((await response.json()) as Page);
    // Changes are followed from the link of the first response.
    if (response.ok && !exported && !last)
      setNext.run(/<(.+?)>/.exec(response.headers.get('link') ?? '')?.[1] ?? '');
    if (response.ok && !exported) pause = isEnd(response) ? endExport() : await readExport(response);
  } catch (error) {
    console.error(error);
    pause = 5;
  }
  db.exec('COMMIT'); // The changes and the place are saved together.
}
