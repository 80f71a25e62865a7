import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LockHolder, lockFolder, takeLock, thisMachine } from '../index.ts';

let folder = '';
/** A process that is running, and the number of one that has ended. */
let running: ChildProcess;
let ended = 0;

beforeAll(async () => {
  const short = spawn(process.execPath, ['-e', '']);
  ended = short.pid!;
  await once(short, 'close');
  running = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)']);
});
afterAll(() => running.kill('SIGKILL'));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

const take = (prefix = ''): ReturnType<typeof takeLock> => takeLock({ folder, prefix, what: 'this folder' });
const now = (): string => new Date().toISOString();
const before = (seconds: number): string => new Date(Date.now() - 1000 * seconds).toISOString();

/** Puts a lock there that somebody else took. */
async function leave(holder: Partial<LockHolder>, silentSeconds = 0): Promise<void> {
  const whole = { pid: ended, host: hostname(), started: now(), token: 'other', ...holder };
  await writeFile(join(folder, 'lock-1.json'), JSON.stringify(whole));
  const seen = new Date(Date.now() - 1000 * silentSeconds);
  await utimes(join(folder, 'lock-1.json'), seen, seen);
}

describe('a lock', () => {
  it('is held by one at a time, who is named to the second, and leaves nothing', async () => {
    const lock = await take();
    await lock.expectHeld();
    const [file] = await readdir(folder);
    const holder: LockHolder = JSON.parse(await readFile(join(folder, file!), 'utf8'));
    await expect(take()).rejects.toMatchObject({
      code: 'runtime',
      path: 'this folder',
      message: `expected nobody else to write here, but process ${process.pid} on ${hostname()}, since ${holder.started} does`,
      hint: expect.stringContaining(join(folder, file!)),
    });
    await (await take('another.')).release();
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
    await (await take()).release();
  });

  it('is taken by all of one process in turn that want it at once', async () => {
    const all = Array.from({ length: 12 }, async () => {
      const lock = await takeLock({ folder, what: 'this folder', patience: 600_000 });
      await lock.release();
    });
    await Promise.all(all);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is waited for until a signal ends that', async () => {
    const lock = await take();
    const leave = new AbortController();
    const waiting = takeLock({ folder, what: 'this folder', patience: 600_000, signal: leave.signal });
    const refused = expect(waiting).rejects.toMatchObject({ code: 'interrupted', path: 'this folder' });
    leave.abort();
    await refused;
    await lock.release();
  });

  it('is held by a process that is running', async () => {
    await leave({ pid: running.pid! });
    await expect(take()).rejects.toMatchObject({ code: 'runtime' });
  });

  it.each<[string, () => Promise<void>]>([
    ['whose process has ended', () => leave({})],
    ['from before the machine was started', () => leave({ pid: running.pid!, started: before(3e9) })],
    ['of an earlier process with our number', () => leave({ pid: process.pid, started: before(20 * 60) })],
    ['of another machine that is silent for ten minutes', () => leave({ host: 'elsewhere' }, 601)],
    ['of another container that is silent for a minute', () => leave({ machine: 'boot pid:[1]' }, 61)],
    [
      'that was never written whole',
      async () => {
        await leave({}, 11);
        await writeFile(join(folder, 'lock-1.json'), '{"pid":');
        await utimes(join(folder, 'lock-1.json'), 1, 1);
      },
    ],
  ])('is taken over from one %s', async (_, leaveIt) => {
    await leaveIt();
    const lock = await take();
    expect(await readdir(folder)).toEqual(['lock-2.json']);
    await expect(take()).rejects.toMatchObject({ code: 'runtime' });
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'is taken over where another process has the number now',
    async () => {
      await leave({ pid: running.pid!, started: before(60 * 60) });
      await (await take()).release();
    },
  );

  it.each<[string, () => Promise<void>]>([
    ['of another machine that gave a sign of life', () => leave({ host: 'elsewhere' }, 300)],
    // Both are the first process of their container, and share the name of the host.
    [
      'of another container whose process has our number',
      () => leave({ pid: process.pid, machine: 'boot pid:[1]' }, 30),
    ],
    ['that is being written', () => writeFile(join(folder, 'lock-1.json'), '')],
  ])('is respected where it is one %s', async (_, leaveIt) => {
    await leaveIt();
    await expect(take()).rejects.toMatchObject({ code: 'runtime' });
    expect(await readdir(folder)).toEqual(['lock-1.json']);
  });

  it('waits for the next sign of life of a container of our name, and takes over where there is none', async () => {
    const again = () => takeLock({ folder, what: 'this folder', restarts: true });
    await leave({ machine: 'boot pid:[1]' }, 59);
    await expect(take()).rejects.toMatchObject({ code: 'runtime' });
    await (await again()).release();
    await leave({ machine: 'boot pid:[1]' }, 30);
    const refused = expect(again()).rejects.toMatchObject({ code: 'runtime' });
    await wait(300);
    const sign = new Date();
    await utimes(join(folder, 'lock-1.json'), sign, sign);
    await refused;
  });

  it('goes to one of many that ask at once, whether there is a stale one or none', async () => {
    for (const prepare of [async () => {}, () => leave({})]) {
      await prepare();
      const asked = await Promise.allSettled(Array.from({ length: 20 }, () => take()));
      const got = asked.filter((each) => each.status === 'fulfilled');
      expect(got).toHaveLength(1);
      await got[0]!.value.release();
      expect(await readdir(folder)).toEqual([]);
    }
  });

  it('is waited for by who has the patience', async () => {
    const lock = await take();
    const patient = takeLock({ folder, what: 'this folder', patience: 60_000 });
    await expect(takeLock({ folder, what: 'this folder', patience: 150 })).rejects.toMatchObject({
      code: 'runtime',
    });
    await lock.release();
    await (await patient).release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('has its content before it has its name, and what was killed before that keeps nobody out', async () => {
    const whole = { pid: ended, host: hostname(), started: now(), token: 'other' };
    const unfinished = 'lock-1.json.0f1e2d3c-0000-4000-8000-000000000000';
    await writeFile(join(folder, unfinished), JSON.stringify(whole));
    // As `createFile` names what it replaces.
    await writeFile(join(folder, 'lock-1.json.replaced-1'), JSON.stringify(whole));
    const lock = await take();
    expect(await readdir(folder)).toEqual(['lock-1.json']);
    expect((await stat(join(folder, 'lock-1.json'))).nlink).toBe(1);
    // One that somebody is about to name stays.
    const another = JSON.stringify({ ...whole, pid: running.pid! });
    await writeFile(join(folder, 'a.lock-1.json.0f1e2d3c-0000-4000-8000-000000000000'), another);
    await (await take('a.')).release();
    await lock.release();
    expect(await readdir(folder)).toEqual(['a.lock-1.json.0f1e2d3c-0000-4000-8000-000000000000']);
  });

  it.runIf(process.platform === 'linux')(
    'says which processes its system lists, and is that of one of them under another host name, too',
    async () => {
      const lock = await take();
      const [file] = await readdir(folder);
      expect(JSON.parse(await readFile(join(folder, file!), 'utf8'))).toMatchObject({
        machine: expect.stringMatching(/^[0-9a-f-]{36} pid:\[\d+\]$/),
      });
      await lock.release();
      await leave({ host: 'another name of ours', machine: thisMachine() });
      await (await take()).release();
    },
  );

  it('tells when it was taken away, and then removes no lock of others', async () => {
    const lock = await take();
    await rm(join(folder, 'lock-1.json'));
    await leave({ pid: running.pid! });
    await expect(lock.expectHeld()).rejects.toMatchObject({ code: 'runtime', path: 'this folder' });
    await lock.release();
    expect(await readdir(folder)).toEqual(['lock-1.json']);
  });
});

describe('the lock of a folder', () => {
  it('makes the folder, and removes it again where nothing was written in it', async () => {
    const deep = join(folder, 'one', 'two');
    const lock = await lockFolder(deep);
    await expect(lockFolder(deep)).rejects.toMatchObject({ code: 'runtime', path: deep });
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
    const again = await lockFolder(deep);
    await writeFile(join(deep, 'file'), '');
    await again.release();
    expect(await readdir(deep)).toEqual(['file']);
  });
});
