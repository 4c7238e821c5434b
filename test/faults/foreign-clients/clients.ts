import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installOnce } from '../../support/install-once.ts';
import { pythonPackages } from '../../support/python.ts';

/** A client of another project. */
export interface ForeignClient {
  /** The package and its version, as in the table in docs/reference/agents.md. */
  name: string;
  version: string;
  /** Converts the schemas for models that must write every argument. */
  strict?: true;
  environment: keyof typeof ENVIRONMENTS;
  /** The program in this folder, and its further arguments. */
  program: string;
  args?: string[];
}

interface Found {
  /** The command that runs a program in this folder. */
  command: (program: string) => Promise<string[]>;
  /** Removes what only this run needs. */
  remove?: () => Promise<void>;
}
/** The packages, or the reason why they are not available. */
export type Installed = Found | { missing: string };

/** Python's SDK has two major versions, and each client needs one of them. */
const PYTHON_1 = { mcp: '1.30.0', 'langchain-mcp-adapters': '0.3.2', 'google-adk[mcp]': '2.13.0' };
const PYTHON_2 = {
  mcp: '2.3.0',
  fastmcp: '4.2.3',
  'pydantic-ai-slim[mcp]': '2.68.0',
  'openai-agents': '0.24.0',
};
const SDK = { old: '1.12.3', new: '1.32.2' };
const NPM = {
  'sdk-old': `npm:@modelcontextprotocol/sdk@${SDK.old}`,
  'sdk-new': `npm:@modelcontextprotocol/sdk@${SDK.new}`,
  '@ai-sdk/mcp': '2.0.99',
  ai: '7.0.173',
  '@mastra/mcp': '2.0.0',
  '@mastra/core': '1.71.0',
};
const GO_FILES = ['go.mod', 'go.sum', 'main.go'];
const HERE = import.meta.dirname;

/** The clients of the matrix. */
export const CLIENTS: ForeignClient[] = [
  { name: 'mcp', version: PYTHON_2.mcp, environment: 'python 2', program: 'mcp_2.py' },
  { name: 'mcp', version: PYTHON_1.mcp, environment: 'python 1', program: 'mcp_1.py' },
  { name: 'fastmcp', version: PYTHON_2.fastmcp, environment: 'python 2', program: 'fastmcp_4.py' },
  {
    name: 'langchain-mcp-adapters',
    version: PYTHON_1['langchain-mcp-adapters'],
    environment: 'python 1',
    program: 'langchain_adapters.py',
  },
  {
    name: 'pydantic-ai-slim',
    version: PYTHON_2['pydantic-ai-slim[mcp]'],
    strict: true,
    environment: 'python 2',
    program: 'pydantic_ai_2.py',
  },
  {
    name: 'openai-agents',
    version: PYTHON_2['openai-agents'],
    strict: true,
    environment: 'python 2',
    program: 'openai_agents.py',
  },
  {
    name: 'google-adk',
    version: PYTHON_1['google-adk[mcp]'],
    environment: 'python 1',
    program: 'google_adk.py',
  },
  ...(['old', 'new'] as const).map((age) => ({
    name: '@modelcontextprotocol/sdk',
    version: SDK[age],
    environment: 'npm' as const,
    program: 'sdk.mjs',
    args: [`sdk-${age}`],
  })),
  { name: '@ai-sdk/mcp', version: NPM['@ai-sdk/mcp'], environment: 'npm', program: 'ai-sdk.mjs' },
  { name: '@mastra/mcp', version: NPM['@mastra/mcp'], environment: 'npm', program: 'mastra.mjs' },
  {
    name: 'github.com/modelcontextprotocol/go-sdk',
    version: /go-sdk v(\S+)/.exec(readFileSync(join(HERE, 'go/go.mod'), 'utf8'))?.[1] ?? '',
    environment: 'go',
    program: 'client',
  },
];

/** The environments that the clients need. The first call installs an environment outside the clone. */
export const ENVIRONMENTS = {
  'python 1': () => python(PYTHON_1),
  'python 2': () => python(PYTHON_2),
  npm,
  go,
} satisfies Record<string, () => Promise<Installed>>;

const hashOf = (...texts: (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return hash.digest('hex').slice(0, 12);
};

async function python(versions: Readonly<Record<string, string>>): Promise<Installed> {
  const packages = Object.entries(versions).map(([name, version]) => `${name}==${version}`);
  const found = await pythonPackages(`foreign-clients-${hashOf(packages.join())}`, packages);
  if ('missing' in found) return found;
  return { command: async (program) => [join(found.programs, 'python3'), join(HERE, program)] };
}

/** Node finds a program's packages above the program, so the programs run in a folder with the packages. */
async function npm(): Promise<Installed> {
  const packages = Object.entries(NPM).map(([name, version]) => `${name}@${version}`);
  // Without a registry, npm would retry each package for more than a minute.
  const retries = ['--fetch-retries=1', '--fetch-retry-mintimeout=2000'];
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', ...retries];
  const found = await installOnce(`foreign-clients-${hashOf(packages.join())}`, (folder) => [
    ['npm', 'install', '--prefix', folder, ...options, ...packages],
  ]);
  if ('missing' in found) return found;
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-foreign-clients-'));
  await symlink(join(found.folder, 'node_modules'), join(folder, 'node_modules'));
  return {
    command: async (program) => {
      for (const file of ['report.mjs', program]) await copyFile(join(HERE, file), join(folder, file));
      return [process.execPath, join(folder, program)];
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

async function go(): Promise<Installed> {
  const sources = GO_FILES.map((file) => join(HERE, 'go', file));
  const found = await installOnce(
    `foreign-clients-${hashOf(...sources.map((source) => readFileSync(source)))}`,
    (folder) => [
      ['cp', ...sources, folder],
      ['go', 'build', '-o', 'client', '.'],
    ],
  );
  if ('missing' in found) return found;
  return { command: async (program) => [join(found.folder, program)] };
}
