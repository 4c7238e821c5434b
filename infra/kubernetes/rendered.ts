import { type Manifest, renderManifests } from '@vitrine/test/manifests';

const SKIPPED = '# skipped: this machine has no kubectl, so the Kubernetes manifests were not checked\n';

/** The rendered folders of infra/kubernetes that a test needs, by name. */
export type Rendered<Folder extends string> = Record<Folder, Manifest[]>;

/**
 * Renders folders of infra/kubernetes before a test. If there is no kubectl, it skips the tests and says so.
 * @returns a function that gives the tests the rendered folders, because mocha renders them later
 */
export function renderBefore<const Folder extends string>(
  ...folders: readonly Folder[]
): () => Rendered<Folder> {
  let rendered: Rendered<Folder> | undefined;
  before(function () {
    this.timeout(120_000);
    const found = folders.map((folder) => [folder, renderManifests(`infra/kubernetes/${folder}`)] as const);
    if (found.some(([, manifests]) => manifests === undefined)) {
      process.stderr.write(SKIPPED);
      return this.skip();
    }
    rendered = Object.fromEntries(found) as Rendered<Folder>;
  });
  return () => {
    if (!rendered) throw new Error('the folders are rendered only while tests run');
    return rendered;
  };
}
