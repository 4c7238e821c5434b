import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, glob, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { named } from '../choice.ts';
import { barrierForOthers } from './unprivileged-user.ts';

const run = promisify(execFile);

/**
 * The oldest Java version that Elasticsearch 9 supports, and the newest version with which Vitrine was
 * tested.
 */
const OLDEST = 21;
const TRIED = 25;

export interface Java {
  readonly home: string;
  readonly version: number;
  /**
   * Whether an environment variable names this installation. A named installation takes precedence if it is
   * new enough.
   */
  readonly wanted: boolean;
}

/** Parses the output of `java -XshowSettings:properties -version`. Returns undefined for any other output. */
export function parseJavaSettings(output: string): { home: string; version: number } | undefined {
  const home = /^\s*java\.home = (.+?)\s*$/m.exec(output)?.[1];
  // Java 8 reports version 1.8.
  const version = /^\s*java\.specification\.version = (?:1\.)?(\d+)/m.exec(output)?.[1];
  return home === undefined || version === undefined ? undefined : { home, version: Number(version) };
}

/**
 * Chooses the installation that an environment variable names, otherwise the newest tested version. Returns
 * undefined if all installations are too old.
 */
export function pickJava(found: readonly Java[]): Java | undefined {
  const rank = (java: Java): number =>
    java.wanted ? 1000 : java.version <= TRIED ? java.version : OLDEST - (java.version - TRIED);
  return found.filter((java) => java.version >= OLDEST).toSorted((a, b) => rank(b) - rank(a))[0];
}

/**
 * Finds every Java installation that reports its version, without duplicates. If `forOthers` is true, returns
 * only installations that another user can execute.
 */
export async function findJavas(env: NodeJS.ProcessEnv, forOthers: boolean): Promise<Java[]> {
  const wanted = ['ES_JAVA_HOME', 'JAVA_HOME'].flatMap((variable) => named(env, variable) ?? []);
  const onPath = await findExecutable('java', env);
  const asked = [
    ...wanted.map((home) => ask(join(home, 'bin', 'java'), true, forOthers)),
    ...(onPath === undefined ? [] : [ask(onPath, false, forOthers)]),
  ];
  for await (const java of glob(usualPlaces(named(env, 'HOME')))) asked.push(ask(java, false, forOthers));
  const byHome = new Map<string, Java>();
  for (const java of await Promise.all(asked))
    if (java !== undefined && !byHome.has(java.home)) byHome.set(java.home, java);
  return [...byHome.values()];
}

function usualPlaces(home: string | undefined): string[] {
  const own =
    home === undefined
      ? []
      : [
          '.sdkman/candidates/java/*',
          '.jdks/*',
          '.asdf/installs/java/*',
          '.local/share/mise/installs/java/*',
          'Library/Java/JavaVirtualMachines/*/Contents/Home',
        ].map((place) => join(home, place));
  return [
    ...own,
    '/usr/lib/jvm/*',
    '/usr/java/*',
    '/opt/java/*',
    '/Library/Java/JavaVirtualMachines/*/Contents/Home',
    '/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home',
    '/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home',
  ].map((place) => join(place, 'bin', 'java'));
}

async function ask(java: string, wanted: boolean, forOthers: boolean): Promise<Java | undefined> {
  try {
    const { stdout, stderr } = await run(java, ['-XshowSettings:properties', '-version'], {
      timeout: 20_000,
    });
    const settings = parseJavaSettings(stdout + stderr);
    if (settings === undefined) return undefined;
    const home = await realpath(settings.home);
    if (forOthers && (await barrierForOthers(join(home, 'bin', 'java'))) !== undefined) return undefined;
    return { home, version: settings.version, wanted };
  } catch {
    return undefined; // a dangling link, a stub or a broken installation
  }
}

/** Finds a program on the PATH. Returns its full path, or undefined if the program is not there. */
export async function findExecutable(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // not in this folder
    }
  }
  return undefined;
}
