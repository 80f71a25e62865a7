import { defineConfig, type UserConfig } from 'vite';

/** The page as files: relative addresses, so that it may lie below any path, and nothing inline, as its policy asks. */
const config: UserConfig = defineConfig({
  base: './',
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licences.md' },
    reportCompressedSize: false,
  },
});

export default config;
