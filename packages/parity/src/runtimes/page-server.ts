import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { folderSource } from '@fuzzqe/serve';

/** What a page is made of. */
export interface PageFiles {
  /** An ES module. */
  readonly script: string;
  readonly wasm: string;
  /** The folder that is served under /bundle. */
  readonly bundle: string;
}

/** A page that only this machine can open. */
export interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves an empty page, its script at /host.js, the runtime at /ort.wasm and a bundle. */
export async function servePage({ script, wasm, bundle }: PageFiles): Promise<PageServer> {
  const source = folderSource(bundle);
  const fileAt = async (
    path: string,
  ): Promise<{ readonly type: string; readonly body: Uint8Array | string }> => {
    if (path === '/') return { type: 'text/html', body: '<!doctype html><title>parity</title>' };
    if (path === '/host.js') return { type: 'text/javascript', body: script };
    if (path === '/ort.wasm') return { type: 'application/wasm', body: await readFile(wasm) };
    return { type: 'application/octet-stream', body: await source.read(path.replace(/^\/bundle\//, '')) };
  };
  const server = createServer((request, response) => {
    fileAt(decodeURIComponent(new URL(request.url ?? '/', 'http://page').pathname)).then(
      ({ type, body }) => {
        response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
        response.end(body);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((settle, refuse) => {
    server.once('error', refuse);
    server.listen(0, '127.0.0.1', settle);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((settle) => {
        server.close(() => settle());
        server.closeAllConnections();
      }),
  };
}
