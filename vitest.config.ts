import { defineConfig, type ViteUserConfig } from 'vitest/config';

const conditions = ['@fuzzqe/source'];
const project = (name: string, include: string[], globalSetup: string[] = []) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: { name, include, globalSetup, testTimeout: 60_000, hookTimeout: 60_000, pool: 'forks' as const },
});

const config: ViteUserConfig = defineConfig({
  test: {
    projects: [
      project('unit', ['packages/*/src/**/*.test.ts']),
      project('crossing', ['test/**/*.test.ts'], ['test/fixtures/global-setup.ts']),
    ],
  },
});

export default config;
