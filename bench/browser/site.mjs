// A site that only this machine can open, for the benchmark of browsers and for their tests.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { folderSource } from '@fuzzqe/serve';

const isolating = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/**
 * Serves a script at /fuzzqe.js, the runtime beside it, a bundle, and pages with the script: / and, where memory may be shared, /isolated/.
 *
 * `begins` is a script that each page has behind it. Scripts are kept by browsers only where `keepsScript` is true, as those of a CDN are.
 */
export async function serveSite(script, bundle, { begins = '', keepsScript = false } = {}) {
  const page = `<!doctype html><title>test</title><link rel="icon" href="data:,">
<script type="module">import * as fuzzqe from '/fuzzqe.js'; window.fuzzqe = fuzzqe; ${begins}</script>`;
  const source = folderSource(bundle);
  const runtime = new URL('.', import.meta.resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'));
  const asked = [];
  const others = new Map();
  const answerOf = async (path) => {
    const other = others.get(path);
    if (other !== undefined) return other();
    if (path.endsWith('/')) return { type: 'text/html', body: page };
    if (path.endsWith('/fuzzqe.js')) return { type: 'text/javascript', body: script };
    if (path.endsWith('.wasm'))
      return { type: 'application/wasm', body: await readFile(fileURLToPath(new URL(`.${path}`, runtime))) };
    return { body: await source.read(path.replace(/^\/bundle\//, '')) };
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
    asked.push(path);
    answerOf(path).then(
      ({ status = 200, type = 'application/octet-stream', body }) => {
        response.writeHead(status, {
          'content-type': type,
          'content-length': Buffer.byteLength(body),
          // Pages of another origin may load from here, as they may from a CDN.
          'access-control-allow-origin': '*',
          // What a browser keeps by itself would hide what is kept on purpose.
          'cache-control':
            keepsScript && type === 'text/javascript' ? 'max-age=31536000, immutable' : 'no-store',
          ...(path === '/isolated/' ? isolating : {}),
        });
        response.end(body);
      },
      () => response.writeHead(404, { 'cache-control': 'no-store' }).end(),
    );
  });
  await new Promise((settle, refuse) => {
    server.once('error', refuse);
    server.listen(0, '127.0.0.1', settle);
  });
  return {
    port: server.address().port,
    asked,
    answer(path, answer) {
      if (answer === undefined) others.delete(path);
      else others.set(path, answer);
    },
    close: () =>
      new Promise((settle) => {
        server.close(() => settle());
        server.closeAllConnections();
      }),
  };
}
