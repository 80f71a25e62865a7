import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLog } from './log.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
let folder = '';
let script = '';

beforeAll(async () => {
  // Below the sources, from where packages are found.
  folder = await mkdtemp(join(here, '.log-'));
  script = join(folder, 'log.mjs');
  await build({
    entryPoints: [join(here, 'log.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@fuzzqe/source'],
    external: ['pino'],
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const program = (then: string): string[] => [
  '--input-type=module',
  '-e',
  `import { createLog } from ${JSON.stringify(script)};
  const log = createLog();
  log.info({}, 'before the end');
  ${then}`,
];

describe('a log to standard error', () => {
  it.each([
    ['that exits', 'process.exit(3);', 3],
    ['with an error', "throw new Error('out of luck');", 1],
    ['that closes it', 'log.close();', 0],
  ])('has every line of a process %s', (_, then, status) => {
    const ended = spawnSync(process.execPath, program(then), { encoding: 'utf8' });
    expect(ended.stderr.match(/"msg":"before the end"/g)).toHaveLength(1);
    expect(ended.status).toBe(status);
  });

  it('has errors at once, with what came before them', async () => {
    // No turn of a timer comes any more.
    const then = `log.error({}, 'at fault'); setImmediate(() => setImmediate(() => { for (;;); }));`;
    const child = spawn(process.execPath, program(then), { stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await expect.poll(() => text, { timeout: 30_000 }).toMatch(/before the end.*\n.*at fault/);
    child.kill('SIGKILL');
    await once(child, 'close');
  });

  it('says what whoever started it waits for at every level but silent', () => {
    const levels = (['debug', 'info', 'warn', 'error', 'silent'] as const).map((level) => {
      const lines: string[] = [];
      createLog({ level, write: (line) => lines.push(line) }).announce({ url: 'http://a' }, 'serving');
      return lines.map((line) => JSON.parse(line).level);
    });
    expect(levels).toEqual([['info'], ['info'], ['info'], ['info'], []]);
  });

  it('leaves nothing behind for the end of the process when it is closed', () => {
    // The first brings a listener of pino, which stays.
    createLog().close();
    const before = process.listenerCount('exit');
    const log = createLog();
    expect(process.listenerCount('exit')).toBe(before + 1);
    log.close();
    expect(process.listenerCount('exit')).toBe(before);
  });
});

describe('the time of a line', () => {
  it('is that of its millisecond', () => {
    const lines: string[] = [];
    const log = createLog({ write: (line) => lines.push(line) });
    const clock = vi.spyOn(Date, 'now');
    for (const time of [0, 0, 1, 86_400_000]) {
      clock.mockReturnValue(time);
      log.info({}, 'now');
    }
    clock.mockRestore();
    expect(lines.map((line) => JSON.parse(line).time)).toEqual([
      '1970-01-01T00:00:00.000Z',
      '1970-01-01T00:00:00.000Z',
      '1970-01-01T00:00:00.001Z',
      '1970-01-02T00:00:00.000Z',
    ]);
  });
});
