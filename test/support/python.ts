import { join } from 'node:path';
import { installOnce } from './install-once.ts';

/**
 * Installs Python packages in a folder outside the clone, on the first call only.
 * @param name the name of the folder; it must change with the packages
 * @param packages the arguments of `pip install`
 * @returns the folder with the programs, or the reason why it is not available
 */
export async function pythonPackages(
  name: string,
  packages: readonly string[],
): Promise<{ programs: string } | { missing: string }> {
  const found = await installOnce(name, (folder) => [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin', 'pip'), 'install', '--quiet', '--disable-pip-version-check', ...packages],
  ]);
  return 'missing' in found ? found : { programs: join(found.folder, 'bin') };
}
