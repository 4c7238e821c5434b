import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/**
 * The headless shell is the same engine without a window system. It needs a third of the browser's processor
 * time, so the search prefers it in any folder.
 */
const SHELL = 'chromium-headless-shell';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MACOS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/** Every host name and address except loopback fails to resolve, even for sockets and for workers. */
const ONLY_LOOPBACK = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1';

/** The machine has no Chromium. The message says where this process looked. */
export class ChromiumMissingError extends Error {
  override readonly name = 'ChromiumMissingError';
}

/**
 * Starts the Chromium of this machine: the one at CHROMIUM_PATH, or else the headless shell on the PATH, or else the
 * first program on the PATH with a usual name.
 * @param options `onlyLoopback` lets the browser reach no other machine. `debuggingPort` also serves the DevTools
 * protocol on this port of the loopback interface.
 * @throws ChromiumMissingError if there is none
 */
export async function launchChromium({
  onlyLoopback = false,
  debuggingPort,
}: {
  onlyLoopback?: boolean;
  debuggingPort?: number;
} = {}): Promise<Browser> {
  const executablePath = await findChromium(process.env);
  // Chromium's sandbox does not work for root.
  const chromiumSandbox = process.getuid?.() !== 0;
  const args = [
    ...(onlyLoopback ? [ONLY_LOOPBACK] : []),
    ...(debuggingPort === undefined ? [] : [`--remote-debugging-port=${debuggingPort}`]),
  ];
  return chromium.launch({ executablePath, chromiumSandbox, args });
}

/**
 * Finds the program of Chromium.
 * @returns its path
 * @throws ChromiumMissingError if there is none
 */
export async function findChromium({ CHROMIUM_PATH, PATH = '' }: NodeJS.ProcessEnv): Promise<string> {
  if (CHROMIUM_PATH) {
    if (await isProgram(CHROMIUM_PATH)) return CHROMIUM_PATH;
    throw new ChromiumMissingError(`CHROMIUM_PATH names no program: ${CHROMIUM_PATH}`);
  }
  const folders = PATH.split(delimiter).filter(Boolean);
  const shells = folders.map((folder) => join(folder, SHELL));
  const browsers = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  for (const path of [...shells, ...browsers, ...MACOS]) if (await isProgram(path)) return path;
  throw new ChromiumMissingError(
    `no ${[SHELL, ...NAMES].join(', ')} on the PATH, and CHROMIUM_PATH is not set`,
  );
}

/** A folder with the name of a program is not a program, although it is executable. */
const isProgram = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile() && (found.mode & 0o111) > 0,
    () => false,
  );
