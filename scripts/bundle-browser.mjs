// One file for pages without a bundler: openBundle with its workers inside. The .wasm file lies next to it, or elsewhere.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minifySync } from 'vite';

const target = 'es2022';
const folder = (name) => fileURLToPath(new URL(`../packages/edge/${name}`, import.meta.url));

/** Has a worker import the runtime for WebGPU from where its page says: few need it, and each would compile it. */
const webgpuElsewhere = {
  name: 'webgpu-elsewhere',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^onnxruntime-web\/webgpu$/ }, ({ path }) => ({ path, namespace: 'webgpu' }));
    onLoad({ filter: /./, namespace: 'webgpu' }, () => ({
      contents: 'export const { InferenceSession, Tensor, env } = await import(globalThis.fuzzqeWebgpu);',
    }));
  },
};

/** The same script in fewer bytes once it is compressed, one in 20 less than what esbuild leaves. */
function minified(text) {
  const { code, errors } = minifySync('script.js', text, { module: true, compress: { target } });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return code;
}

/** Imports without `import()`: what is behind it would be part of the file whole. */
function workerOf(own, overlay) {
  const growth = overlay
    ? `import * as growth from '${own('overlay/grow-bundle')}'; const load = async () => growth;`
    : 'const load = async () => { throw new Error("no overlay"); };';
  return `import { serveBundle } from '${own('serve-bundle')}'; ${growth} serveBundle(load);`;
}

/** The text of the file, from the sources or from what they were compiled to; with or without what keeps facts of one's own. */
export async function bundleBrowser({ from = 'dist', overlay = false } = {}) {
  const [extension, conditions] = from === 'src' ? ['ts', ['@fuzzqe/source']] : ['js', []];
  const shared = {
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target,
    platform: 'browser',
    conditions,
    legalComments: 'none',
    logLevel: 'silent',
  };
  const textOf = async (contents, plugins = []) => {
    const { outputFiles } = await build({ ...shared, stdin: { contents, resolveDir: folder('.') }, plugins });
    return minified(outputFiles[0].text);
  };
  const own = (name) => `./${from}/browser/${name}.${extension}`;
  const scripts = {
    bundle: await textOf(workerOf(own, overlay), [webgpuElsewhere]),
    webgpu: await textOf("export { InferenceSession, Tensor, env } from 'onnxruntime-web/webgpu'"),
  };
  const contents = `
    import scripts from 'worker-scripts';
    import { openWithScripts } from '${own('open-with-scripts')}';
    ${overlay ? `import * as overlay from '${own('overlay/index')}';` : ''}
    export const openBundle = openWithScripts(scripts, new URL('.', import.meta.url)${overlay ? ', async () => overlay' : ''});
    export { FuzzError } from '@fuzzqe/core';
    export { formatQuery, parseQueryText } from '@fuzzqe/core/query';
  `;
  return textOf(contents, [
    {
      name: 'worker-scripts',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^worker-scripts$/ }, ({ path }) => ({ path, namespace: 'worker-scripts' }));
        onLoad({ filter: /./, namespace: 'worker-scripts' }, () => ({
          contents: `export default ${JSON.stringify(scripts)}`,
        }));
      },
    },
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(folder('dist/fuzzqe-browser.d.ts'), "export * from './browser/page.js';\n");
  await writeFile(folder('dist/fuzzqe-browser.js'), await bundleBrowser());
  await writeFile(folder('dist/fuzzqe-browser-overlay.js'), await bundleBrowser({ overlay: true }));
}
