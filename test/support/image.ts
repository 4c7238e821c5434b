import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { type Copy, DockerfileParser, type From, type Instruction, type Label } from 'dockerfile-ast';

const ROOT = join(import.meta.dirname, '../..');

/** The command that a container of the image runs. */
export interface Image {
  /** The folder that contains the image's file system. */
  folder: string;
  workdir: string;
  env: Record<string, string>;
  user: string;
  entrypoint: string[];
  healthcheck: string[];
  labels: Record<string, string>;
}

/** The only file that a stage copies from a base image. */
const RUNTIME = '/usr/local/bin/node';

/**
 * Executes the Dockerfile without Docker. Each stage is a folder, COPY respects .dockerignore, and RUN supports
 * only `npm ci` and `node`. Base images are skipped, because the tests use the Node of this process. Arguments
 * have their defaults.
 * @param install whether to run `npm ci`. If not, the function links the packages that the workspaces need
 *   from this clone.
 * @returns the image of each stage
 * @throws for an unsupported instruction
 */
export async function buildImages(folder: string, install: boolean): Promise<ReadonlyMap<string, Image>> {
  const instructions = DockerfileParser.parse(
    await readFile(join(ROOT, 'infra/docker/Dockerfile'), 'utf8'),
  ).getInstructions();
  const context = dockerignore
    .default({ ignorecase: false })
    .add(await readFile(join(ROOT, '.dockerignore'), 'utf8'));
  const stages = new Map<string, Image>();
  const defaults = new Map<string, string>();
  let image: Image | undefined;
  for (const instruction of instructions) {
    const [keyword, args] = [instruction.getKeyword(), words(instruction)];
    if (keyword === 'ARG') {
      const [name = '', preset = ''] = (args[0] ?? '').split('=');
      defaults.set(name, preset);
      continue;
    }
    if (keyword === 'FROM') {
      const { stage, base } = namesOf(instruction as From);
      image = {
        folder: join(folder, stage),
        workdir: '/',
        env: {},
        user: 'root',
        entrypoint: [],
        healthcheck: [],
        labels: {},
      };
      const parent = stages.get(base);
      if (parent) {
        image = { ...structuredClone(parent), folder: image.folder };
        // A stage that only names a base image has no folder.
        if (existsSync(parent.folder))
          await cp(parent.folder, image.folder, { recursive: true, verbatimSymlinks: true });
      }
      stages.set(stage, image);
      continue;
    }
    if (!image) throw new Error(`${keyword} must not come before FROM`);
    if (keyword === 'WORKDIR') image.workdir = args[0] ?? '/';
    else if (keyword === 'ENV')
      Object.assign(image.env, Object.fromEntries(args.map((pair) => pair.split('='))));
    else if (keyword === 'USER') image.user = args[0] ?? '';
    else if (keyword === 'ENTRYPOINT') image.entrypoint = jsonOf(instruction);
    else if (keyword === 'HEALTHCHECK') image.healthcheck = jsonOf(instruction);
    else if (keyword === 'LABEL') Object.assign(image.labels, labelsOf(instruction as Label, defaults));
    else if (keyword === 'COPY')
      await copy(
        args,
        (instruction as Copy).getFromFlag()?.getValue() ?? undefined,
        image,
        stages,
        (path) => !context.ignores(path),
      );
    else if (keyword === 'RUN' && args[0] === 'node') run(process.execPath, args.slice(1), image);
    else if (keyword === 'RUN') await (install ? npmCi(args, image) : link(args, image));
    else if (keyword !== 'EXPOSE' && keyword !== 'CMD')
      throw new Error(`this test does not support ${keyword}`);
  }
  return stages;
}

const words = (instruction: Instruction): string[] =>
  instruction.getExpandedArguments().map((argument) => argument.getValue());

function labelsOf(label: Label, defaults: ReadonlyMap<string, string>): Record<string, string> {
  const expanded = (text: string) =>
    text.replaceAll(/\$\{(\w+)\}/g, (_all, name: string) => defaults.get(name) ?? '');
  return Object.fromEntries(
    label.getProperties().map((property) => [property.getName(), expanded(property.getValue() ?? '')]),
  );
}

function namesOf(from: From): { stage: string; base: string } {
  return { stage: from.getBuildStage() ?? '', base: from.getImage() ?? '' };
}

function jsonOf(instruction: Instruction): string[] {
  const text = (instruction.getRawArgumentsContent() ?? '').replace(/^(--\S+ )*CMD /, '');
  if (!text.startsWith('['))
    throw new Error('the command must be in exec form, because signals would not reach it otherwise');
  return JSON.parse(text) as string[];
}

const inside = ({ folder, workdir }: Image, path: string): string => join(folder, resolve(workdir, path));

async function copy(
  paths: string[],
  stage: string | undefined,
  image: Image,
  stages: Map<string, Image>,
  taken: (path: string) => boolean,
): Promise<void> {
  const destination = paths.at(-1) ?? '';
  for (const source of paths.slice(0, -1)) {
    const from = stage === undefined ? join(ROOT, source) : join(stages.get(stage)?.folder ?? '', source);
    const isFile = destination.endsWith('/');
    const to = inside(image, isFile ? join(destination, source.split('/').at(-1) ?? '') : destination);
    await mkdir(dirname(to), { recursive: true });
    if (stage !== undefined && source === RUNTIME) {
      await symlink(process.execPath, to);
      continue;
    }
    const filter = (path: string): boolean =>
      stage !== undefined || path === from || taken(relative(ROOT, path));
    if (stage === undefined && isFile && !taken(source)) throw new Error(`.dockerignore excludes ${source}`);
    await cp(from, to, { recursive: true, verbatimSymlinks: true, filter });
  }
}

const workspacesOf = (args: string[]): string[] =>
  args.flatMap((word, i) => (args[i - 1] === '--workspace' ? [word] : []));

async function npmCi(args: string[], image: Image): Promise<void> {
  const [command = '', ...rest] = args;
  if (command !== 'npm') throw new Error(`this test does not support RUN ${command}`);
  run(command, [...rest, '--prefer-offline'], image);
}

function run(program: string, args: string[], image: Image): void {
  const { status, stderr } = spawnSync(program, args, { cwd: inside(image, '.'), encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** Links the workspaces, and all packages and further workspaces that they declare, in npm's layout. */
async function link(args: string[], image: Image): Promise<void> {
  const modules = inside(image, 'node_modules');
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { link?: boolean; resolved?: string }>;
  };
  const workspaces = new Set(workspacesOf(args));
  const packages = new Set<string>();
  for (const workspace of workspaces) {
    const { name, dependencies, devDependencies } = JSON.parse(
      await readFile(inside(image, `${workspace}/package.json`), 'utf8'),
    ) as { name: string; dependencies?: Record<string, string>; devDependencies?: Record<string, string> };
    // The link is relative, so that it still points into the image after a copy.
    const at = join(modules, name);
    await mkdir(dirname(at), { recursive: true });
    await symlink(relative(dirname(at), inside(image, workspace)), at);
    const needed = args.includes('--omit=dev') ? dependencies : { ...dependencies, ...devDependencies };
    for (const dependency of Object.keys(needed ?? {})) {
      const { link: isWorkspace, resolved } = lock.packages[`node_modules/${dependency}`] ?? {};
      if (isWorkspace && resolved !== undefined) workspaces.add(resolved);
      else packages.add(dependency);
    }
  }
  for (const name of packages) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
}

/** Every file of an image except its packages, as paths relative to the work folder. */
export async function filesOf(image: Image): Promise<string[]> {
  const found = await readdir(inside(image, '.'), { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(inside(image, '.'), join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('node_modules/'))
    .sort();
}
