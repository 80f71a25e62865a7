import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { makeMemoryFolder } from './test/fixtures/memory-folder.ts';

const conditions = ['@fuzzqe/source'];

/** Where tests put files; undefined: where the system puts them. */
function scratchFolder(): string | undefined {
  const folder = makeMemoryFolder('fuzzqe-tests');
  if (folder !== undefined) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const scratch = process.env['TMPDIR'] || scratchFolder();
/** Of tests that write no more than small bundles. */
const inMemory = scratch === undefined ? {} : { TMPDIR: scratch };

const packages = join(import.meta.dirname, 'packages');
const testsIn = (name: string): readonly string[] =>
  readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `packages/${name}/src/${path.replaceAll(sep, '/')}`);

/** Tests of what a process has once: a runtime with its settings, and the event loop whose delays a server answers for. */
const ofOneProcess = /^packages\/(?:edge|ort|tfjs|serve\/src\/(?:door|overload))\//;

/** What replaces modules or globals for every file of its process. */
const replaces = /\bvi\.(?:mock|doMock|resetModules|stubGlobal)\(/;

/** Test files of packages that have a process each. Other files share processes, which load modules once: they put back what they change there. */
const alone = readdirSync(packages)
  .flatMap(testsIn)
  .filter(
    (path) => ofOneProcess.test(path) || replaces.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
  );

/** Tests that take more than ten seconds and repeat, on a larger scale, what others test: `npm run test:long`. */
const long = '**/*.long.test.ts';

interface Parts {
  readonly globalSetup?: string[];
  readonly exclude?: string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether each file has a process of its own. Default true. */
  readonly isolate?: boolean;
}

const project = (
  name: string,
  include: string[],
  { globalSetup = [], exclude = [], env = {}, isolate = true }: Parts = {},
) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    name,
    include,
    exclude,
    globalSetup,
    env,
    isolate,
    // A busy or slow machine takes longer for everything; what hangs ends the same.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks' as const,
  },
});

const config: ViteUserConfig = defineConfig({
  test: {
    // Vitest leaves one core to itself, which on two cores would be half of them.
    maxWorkers: availableParallelism(),
    projects: [
      project('unit', alone, { env: inMemory, exclude: [long] }),
      project('unit-shared', ['packages/*/src/**/*.test.ts'], {
        env: inMemory,
        exclude: [...alone, long],
        isolate: false,
      }),
      project('crossing', ['test/**/*.test.ts'], {
        globalSetup: ['test/fixtures/global-setup.ts'],
        exclude: ['test/packaging/**', 'test/indexes/**', 'test/facts/**', 'test/object-store/**', long],
        env: inMemory,
        isolate: false,
      }),
      // Whole runs, killed processes, browsers, mutations: half of the time of all tests.
      project('long', [`packages/*/src/${long}`, `test/${long}`], {
        globalSetup: ['test/fixtures/global-setup.ts'],
        env: inMemory,
      }),
      // Databases that are installed for it: test/indexes/run-indexes.sh.
      project('indexes', ['test/indexes/**/*.test.ts', 'test/facts/**/*.test.ts']),
      // A server of S3's protocol, which Go's toolchain builds: `npm run test:object-store`.
      project('object-store', ['test/object-store/**/*.test.ts']),
      // Minutes, and about what is published rather than what is computed: `npm run test:packaging`.
      project('packaging', ['test/packaging/**/*.test.ts'], {
        globalSetup: ['test/packaging/global-setup.ts'],
      }),
    ],
  },
});

export default config;
