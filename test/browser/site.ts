import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { folderSource } from '@fuzzqe/serve';

/** What a request is answered with. */
export interface SiteAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly body: Uint8Array | string;
}

/** A site that only this machine can open. */
export interface Site {
  readonly port: number;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** Answers a path in another way than usual, until `undefined` is given. */
  answer(path: string, answer: (() => Promise<SiteAnswer>) | undefined): void;
  close(): Promise<void>;
}

const isolating = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

const page = `<!doctype html><title>test</title><link rel="icon" href="data:,">
<script type="module">import * as fuzzqe from '/fuzzqe.js'; window.fuzzqe = fuzzqe;</script>`;

/** Serves a script at /fuzzqe.js, the runtime beside it, a bundle, and empty pages: / and, where memory may be shared, /isolated/. */
export async function serveSite(script: string, bundle: string): Promise<Site> {
  const source = folderSource(bundle);
  const runtime = new URL('.', import.meta.resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'));
  const asked: string[] = [];
  const others = new Map<string, () => Promise<SiteAnswer>>();
  const answerOf = async (path: string): Promise<SiteAnswer> => {
    const other = others.get(path);
    if (other !== undefined) return other();
    if (path.endsWith('/')) return { type: 'text/html', body: page };
    if (path.endsWith('/fuzzqe.js')) return { type: 'text/javascript', body: script };
    if (path.endsWith('.wasm'))
      return { type: 'application/wasm', body: await readFile(fileURLToPath(new URL(`.${path}`, runtime))) };
    return { type: 'application/octet-stream', body: await source.read(path.replace(/^\/bundle\//, '')) };
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
    asked.push(path);
    answerOf(path).then(
      ({ status = 200, type = 'application/octet-stream', body }) => {
        // What a browser keeps by itself would hide what is kept on purpose.
        const headers = {
          'content-type': type,
          'content-length': Buffer.byteLength(body),
          'cache-control': 'no-store',
        };
        response.writeHead(status, { ...headers, ...(path === '/isolated/' ? isolating : {}) });
        response.end(body);
      },
      () => response.writeHead(404, { 'cache-control': 'no-store' }).end(),
    );
  });
  await new Promise<void>((settle, refuse) => {
    server.once('error', refuse);
    server.listen(0, '127.0.0.1', settle);
  });
  return {
    port: (server.address() as AddressInfo).port,
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
