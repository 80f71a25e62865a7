// One file for pages without a bundler: openBundle with its worker inside. The .wasm file lies beside it, or elsewhere.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = (name) => fileURLToPath(new URL(`../packages/edge/${name}`, import.meta.url));

/** The text of the file, from the sources or from what they were compiled to. */
export async function bundleBrowser({ from = 'dist' } = {}) {
  const [extension, conditions] = from === 'src' ? ['ts', ['@fuzzqe/source']] : ['js', []];
  const shared = {
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    conditions,
    legalComments: 'none',
    logLevel: 'silent',
  };
  const worker = await build({
    ...shared,
    entryPoints: [folder(`${from}/browser/bundle-worker.${extension}`)],
  });
  const contents = `
    import script from 'worker-script';
    import { openWithScript } from './${from}/browser/open-with-script.${extension}';
    export const openBundle = openWithScript(script, new URL('.', import.meta.url));
    export { FuzzError } from '@fuzzqe/core';
    export { formatQuery, parseQueryText } from '@fuzzqe/core/query';
  `;
  const page = await build({
    ...shared,
    stdin: { contents, resolveDir: folder('.') },
    plugins: [
      {
        name: 'worker-script',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^worker-script$/ }, ({ path }) => ({ path, namespace: 'worker-script' }));
          onLoad({ filter: /./, namespace: 'worker-script' }, () => ({
            contents: worker.outputFiles[0].text,
            loader: 'text',
          }));
        },
      },
    ],
  });
  return page.outputFiles[0].text;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeFile(folder('dist/fuzzqe-browser.js'), await bundleBrowser());
