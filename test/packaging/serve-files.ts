import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

/** A server of files that sends with each what `_headers` says of all, where it is there, as hosts of sites do. */
export async function serveFiles(of: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const types: Readonly<Record<string, string>> = {
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.wasm': 'application/wasm',
  };
  const [, ...lines] = (await readFile(join(of, '_headers'), 'utf8').catch(() => '')).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('  '));
  const headers = Object.fromEntries(lines.slice(0, end).map((line) => line.trim().split(/: (.*)/)));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
    const file = join(of, path.endsWith('/') ? `${path}index.html` : path);
    readFile(file).then(
      (bytes) =>
        response
          .writeHead(200, { ...headers, 'content-type': types[extname(file)] ?? 'application/octet-stream' })
          .end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((settle, refuse) => {
    server.once('error', refuse);
    server.listen(0, '127.0.0.1', settle);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((settle) => {
        server.close(() => settle());
        server.closeAllConnections();
      }),
  };
}
