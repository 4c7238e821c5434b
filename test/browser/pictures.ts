import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ChromiumMissingError, launchChromium } from '../support/chromium.ts';

const HELP = `Takes the pictures of the README from the running system. First run npm start.

  npm run pictures -- [options]

  --url URL          the query service (default: http://localhost:8080)
  --console-url URL  the console (default: http://localhost:8090)
  --out FOLDER       where the pictures go (default: docs/pictures)
  --help             this text`;

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:8080' },
    'console-url': { type: 'string', default: 'http://localhost:8090' },
    out: { type: 'string', default: join(import.meta.dirname, '../../docs/pictures') },
    help: { type: 'boolean', default: false },
  },
});

const DAY_MS = 86_400_000;
/** The date this many days ahead, which the demo's calendars contain. */
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

const EXPLORER = `${values.url}/?type=rent&category=temporada&date=${inDays(12)}&date_to=${inDays(14)}&sort=rating`;
const PICTURES = [
  { name: 'explorer', url: EXPLORER },
  { name: 'console', url: values['console-url'] },
];

async function takePictures(): Promise<number> {
  const browser = await launchChromium().catch((error: unknown) => {
    if (error instanceof ChromiumMissingError) return error;
    throw error;
  });
  if (browser instanceof ChromiumMissingError) {
    console.error(`The pictures need Chromium: ${browser.message}.`);
    return 1;
  }
  try {
    await mkdir(values.out, { recursive: true });
    for (const { name, url } of PICTURES) {
      const page = await browser.newPage({
        viewport: { width: 1_440, height: 900 },
        colorScheme: 'light',
        locale: 'en-US',
        reducedMotion: 'reduce',
      });
      // The demo's own website has the pictures of its listings.
      await page.route(
        ({ hostname }) => hostname !== 'localhost' && hostname !== '127.0.0.1',
        (route) => route.abort(),
      );
      await page.goto(url);
      await page.locator('main').first().waitFor();
      await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
      // The pictures and the map load later. The console's charts never stop loading.
      await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(() => undefined);
      const path = join(values.out, `${name}.png`);
      await page.screenshot({ path });
      console.log(path);
      await page.close();
    }
    return 0;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    console.error(`${reason}\nIs the system running? Start it with npm start.`);
    return 1;
  } finally {
    await browser.close();
  }
}

if (values.help) console.log(HELP);
else process.exitCode = await takePictures();
