import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLineWriter } from './line-writer.ts';

let folder: string;
let script = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-lines-'));
  script = join(folder, 'line-writer.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./line-writer.ts', import.meta.url))],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@fuzzqe/source'],
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Without these a full disk takes root and a file system of its own. */
const fullDevice = '/dev/full';

const fault = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });
type Write = (
  file: number,
  bytes: Buffer,
  at: number,
  done: (error: NodeJS.ErrnoException | null, length: number) => void,
) => void;

describe('lines', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it('are dropped whole and counted while a disk is full, and written once it has room', async () => {
    const path = join(folder, 'log');
    const file = await open(path, 'w');
    const real: Write = fs.write;
    /** How many bytes the disk still takes. */
    let room = 6;
    vi.spyOn(fs, 'write').mockImplementation(((to, bytes, at, done) => {
      const length = Math.min(room, bytes.length - at);
      if (length === 0) return void setImmediate(done, fault('ENOSPC'), 0);
      room -= length;
      real(to, bytes.subarray(at, at + length), 0, done);
    }) as Write as typeof fs.write);
    syncBuiltinESMExports();
    let dropped = 0;
    const writer = openLineWriter(() => {
      dropped += 1;
    }, file.fd);
    writer.write('one\ntwo\nthree\n');
    writer.send();
    await expect.poll(() => dropped).toBe(1);
    writer.write('four\n');
    writer.send();
    await expect.poll(() => dropped).toBe(2);
    room = 1000;
    writer.write('five\n');
    writer.close();
    await expect.poll(() => readFile(path, 'utf8')).toBe('one\ntwo\nfive\n');
    expect(dropped).toBe(2);
    await file.close();
  });

  it('leave nothing behind for the end of the process, once they are written', async () => {
    const before = process.listenerCount('exit');
    const path = join(folder, 'closed');
    const file = await open(path, 'w');
    const writer = openLineWriter(() => undefined, file.fd);
    writer.write('last\n');
    writer.close();
    await expect.poll(() => process.listenerCount('exit')).toBe(before);
    expect(await readFile(path, 'utf8')).toBe('last\n');
    await file.close();
  });
});

describe('a process', () => {
  const ways = [
    ['closes them', 'writer.close();', 0],
    ['exits', 'process.exit(3);', 3],
    ['ends by itself', '', 0],
  ] as const;
  const program = (then: string): string[] => [
    '--input-type=module',
    '-e',
    `import { openLineWriter } from ${JSON.stringify(script)};
    process.stderr.on('error', () => undefined);
    const writer = openLineWriter(() => undefined);
    for (let i = 0; i < 20_000; i++) writer.write('x'.repeat(100) + '\\n');
    setTimeout(() => { writer.write('last\\n'); ${then} }, 100);`,
  ];

  it.each(ways)('that %s ends though nobody reads its lines', async (_, then, status) => {
    const child = spawn(process.execPath, program(then), { stdio: ['ignore', 'ignore', 'pipe'] });
    expect(await once(child, 'exit')).toEqual([status, null]);
    child.stderr.destroy();
  });

  it.each(ways)('that %s ends though their reader has gone', async (_, then, status) => {
    const child = spawn(process.execPath, program(then), { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.destroy();
    expect(await once(child, 'exit')).toEqual([status, null]);
  });

  it.runIf(existsSync(fullDevice)).each(ways)(
    'that %s ends though their disk is full',
    async (_, then, status) => {
      const full = await open(fullDevice, 'w');
      const child = spawn(process.execPath, program(then), { stdio: ['ignore', 'ignore', full.fd] });
      expect(await once(child, 'exit')).toEqual([status, null]);
      await full.close();
    },
  );
});
