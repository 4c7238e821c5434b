import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MACOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/**
 * Starts the Chromium of this machine: the one at CHROMIUM_PATH, or else the first on the PATH with a usual name.
 * @returns undefined if there is none
 */
export async function launchChromium(): Promise<Browser | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const usual = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), MACOS];
  for (const executablePath of process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : usual) {
    const exists = await access(executablePath, constants.X_OK).then(
      () => true,
      () => false,
    );
    // Chromium's sandbox does not work for root.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    if (exists) return chromium.launch({ executablePath, args });
  }
  return undefined;
}
