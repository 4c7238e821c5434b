import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Writes the list of these workspaces' production packages (CycloneDX), as `npm sbom` reads them from the
// lock file. The Dockerfile calls this script, so it imports only Node's own modules.

const USAGE = 'Usage: npm run sbom -- FILE WORKSPACE…     for example: sbom.json services/query';
const FAILED = 1;
const USAGE_ERROR = 2;

interface Manifest {
  devDependencies?: object;
  optionalDependencies?: object;
  workspaces?: string[];
}
interface Bom {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string } };
}

/**
 * Copies the manifests and the lock file without development dependencies. `npm sbom --omit=dev` cannot read
 * the originals, because it also omits a production package that the root names as a development dependency.
 */
function copyManifests(from: string, to: string): void {
  const production = ({ devDependencies: _dev, optionalDependencies: _optional, ...rest }: Manifest) => rest;
  const read = <T>(path: string): T => JSON.parse(readFileSync(join(from, path), 'utf8')) as T;
  const write = (path: string, content: object) => writeFileSync(join(to, path), JSON.stringify(content));
  const root = read<Manifest>('package.json');
  const lock = read<{ packages: Record<string, Manifest> }>('package-lock.json');
  const folders = globSync(root.workspaces ?? [], { cwd: from });
  for (const path of folders.map((folder) => join(folder, 'package.json'))) {
    if (globSync(path, { cwd: from }).length === 0) continue;
    cpSync(join(from, path), join(to, path));
    write(path, production(read(path)));
  }
  for (const path of ['', ...folders])
    if (lock.packages[path]) lock.packages[path] = production(lock.packages[path]);
  write('package.json', production(root));
  write('package-lock.json', lock);
}

/** @throws if npm fails */
function npmSbom(folder: string, workspaces: readonly string[]): Bom {
  const { status, stdout, stderr, error } = spawnSync(
    'npm',
    [
      'sbom',
      '--package-lock-only',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
      ...workspaces.map((workspace) => `--workspace=${workspace}`),
    ],
    { cwd: folder, encoding: 'utf8', maxBuffer: Number.POSITIVE_INFINITY },
  );
  if (status !== 0) throw new Error(`npm sbom failed: ${error?.message ?? stderr}`);
  return JSON.parse(stdout) as Bom;
}

const [file, ...workspaces] = process.argv.slice(2);
if (file === undefined || workspaces.length === 0) {
  console.error(USAGE);
  process.exit(USAGE_ERROR);
}
const folder = mkdtempSync(join(tmpdir(), 'vitrine-sbom-'));
try {
  copyManifests(join(import.meta.dirname, '..'), folder);
  const bom = npmSbom(folder, workspaces);
  // Two builds of one revision must have the same content, but npm writes the folder's name.
  delete bom.serialNumber;
  delete bom.metadata.timestamp;
  bom.metadata.component.name = 'vitrine';
  writeFileSync(file, `${JSON.stringify(bom, undefined, 2)}\n`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = FAILED;
} finally {
  rmSync(folder, { recursive: true });
}
