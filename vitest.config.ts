import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const conditions = ['@fuzzqe/source'];
const project = (name: string, include: string[], globalSetup: string[] = [], exclude: string[] = []) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    name,
    include,
    exclude,
    globalSetup,
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
      project('unit', ['packages/*/src/**/*.test.ts']),
      project(
        'crossing',
        ['test/**/*.test.ts'],
        ['test/fixtures/global-setup.ts'],
        ['test/packaging/**', 'test/indexes/**', 'test/object-store/**'],
      ),
      // Databases that are installed for it: test/indexes/run-indexes.sh.
      project('indexes', ['test/indexes/**/*.test.ts']),
      // A server of S3's protocol, which Go's toolchain builds: `npm run test:object-store`.
      project('object-store', ['test/object-store/**/*.test.ts']),
      // Minutes, and about what is published rather than what is computed: `npm run test:packaging`.
      project('packaging', ['test/packaging/**/*.test.ts'], ['test/packaging/global-setup.ts']),
    ],
  },
});

export default config;
