import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { command, scratchBundle } from './scratch-bundle.ts';

const { bundle } = scratchBundle('serve-log');

/** A port that was free a moment ago: what cannot be read tells none. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of TCP
  server.close();
  await once(server, 'close');
  return port;
}

interface Running {
  readonly port: number;
  readonly end: () => void;
  readonly ended: Promise<number | string>;
}

/** The command by itself, ready; its standard error is a pipe or an open file. */
async function start(
  stderr: 'pipe' | number,
  onStart: (stream: Readable | null) => void,
  ...more: readonly string[]
): Promise<Running> {
  const port = await freePort();
  const args = [command, 'serve', bundle, '--port', `${port}`, '--workers', '1', ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', stderr] });
  onStart(child.stderr);
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady).toBe(true);
  return { port, end: () => void child.kill('SIGTERM'), ended };
}

/** How many lines of a batch are answered, while whose first bytes the server is told to end. */
function askBatchAndEnd({ port, end }: Running, lines: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const path = '/v1/query/batch';
    const sending = request({ host: '127.0.0.1', port, method: 'POST', path, headers }, (response) => {
      let text = '';
      response.once('data', end);
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve(text.match(/"answer":/g)?.length ?? 0));
    });
    sending.on('error', reject);
    sending.end('{"query":"and(project(r0, e1), project(r1, e2))","k":3}\n'.repeat(lines));
  });
}

describe('the log of fuzzqe serve', { timeout: 240_000 }, () => {
  it.each(['info', 'warn'])('is JSON alone and says where it serves, at the level %s', async (level) => {
    let text = '';
    const hear = (stream: Readable | null): void =>
      void stream!.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
    const server = await start('pipe', hear, '--log-level', level);
    server.end();
    expect(await server.ended).toBe(0);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'serving', url: `http://127.0.0.1:${server.port}`, level: 'info' }),
    );
    expect(lines.at(-1)).toMatchObject({ msg: 'closing', level: 'info' });
  });

  it('costs no request where its reader has gone', async () => {
    const server = await start('pipe', (stream) => void stream!.destroy());
    expect(await askBatchAndEnd(server, 2000)).toBe(2000);
    expect(await server.ended).toBe(0);
  });

  it('costs no request, and holds up no end, where nobody reads it', async () => {
    const server = await start('pipe', (stream) => stream!.pause());
    // More than a pipe holds.
    for (let i = 0; i < 100; i += 1)
      await (await fetch(`http://127.0.0.1:${server.port}/${'a'.repeat(4000)}`)).text();
    expect(await askBatchAndEnd(server, 2000)).toBe(2000);
    const began = performance.now();
    expect(await server.ended).toBe(0);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it.runIf(existsSync('/dev/full'))(
    'costs no request, and holds up no end, where its disk is full',
    async () => {
      const full = await open('/dev/full', 'w');
      const server = await start(full.fd, () => undefined);
      expect(await askBatchAndEnd(server, 2000)).toBe(2000);
      expect(await server.ended).toBe(0);
      await full.close();
    },
  );
});
