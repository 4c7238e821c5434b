import { globSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// Deletes the files in node_modules that no program reads at run time: source maps and type declarations. The
// Dockerfile calls this script, so it imports only Node's own modules. License texts stay.

const root = realpathSync('node_modules');
let deleted = 0;
for (const path of globSync('**/*.{map,d.ts,d.cts,d.mts}', { cwd: root })) {
  const file = join(root, path);
  // A link may lead to the packages of another folder, such as the clone's own.
  if (!realpathSync(file).startsWith(`${root}/`)) continue;
  rmSync(file, { recursive: true });
  deleted++;
}
console.log(`Deleted ${deleted} source maps and type declarations`);
