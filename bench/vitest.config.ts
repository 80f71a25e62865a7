import { defineConfig, type ViteUserConfig } from 'vitest/config';

const conditions = ['@fuzzqe/source'];

/** Benchmarks: `npm run bench -- train-step` runs one. They print tables and assert nothing. */
const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: { root: import.meta.dirname, include: ['*.bench.ts'], pool: 'forks', fileParallelism: false },
});

export default config;
