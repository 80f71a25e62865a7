import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunState, readRunState } from '../checkpoint/checkpoint.ts';
import { bundleSources } from '../testing/processes/bundle-sources.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

// Inside the repository, so that packages are found; git ignores it.
let folder: string;

/** Starts a process that trains in `directory`, on the thread for batches and all. */
function start(directory: string, ...flags: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(folder, 'train-tiny.js'), directory, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Waits for a process to end, and gives its exit code, or the signal that ended it, and its errors. */
async function ended(child: ChildProcess): Promise<{ code: number | string; errors: string }> {
  let errors = '';
  child.stderr!.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code: code ?? signal ?? 'unknown', errors };
}

/** The tensors of a run, byte by byte, and its log without times. */
async function resultOf(directory: string): Promise<unknown> {
  const { last, best, status } = await readRunState(directory);
  const log = await readFile(join(directory, 'log.jsonl'), 'utf8');
  return { last, best, status, log: log.replaceAll(/"(stepsPerSecond|seconds|time)":[\d.]+/g, '') };
}

const exists = async (directory: string): Promise<boolean> =>
  readRunState(directory).then(
    () => true,
    () => false,
  );
const halfWritten = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((name) => name.includes('.tmp-'));

/** A file system of its own for one command, gone with it: needs user namespaces, which some machines refuse. */
const ownMounts = ['--map-root-user', '--mount', 'sh', '-c'];
const canMount = spawnSync('unshare', [...ownMounts, 'mount -t tmpfs none /mnt']).status === 0;

describe('a run that is killed or cut off', () => {
  let whole: unknown;
  let seconds: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(here, '../../../../.tmp-kill-'));
    await bundleSources({
      entryPoints: {
        'train-tiny': join(here, '../testing/processes/train-tiny.ts'),
        'batch-worker': join(here, 'batch-worker.ts'),
      },
      outdir: folder,
    });
    const child = start(join(folder, 'whole'));
    const begun = performance.now();
    const { code, errors } = await ended(child);
    seconds = (performance.now() - begun) / 1000;
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    whole = await resultOf(join(folder, 'whole'));
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Goes on, without being killed, to the end. */
  async function finish(directory: string): Promise<void> {
    const resume = (await exists(directory)) ? ['--resume'] : [];
    const { code, errors } = await ended(start(directory, ...resume));
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(await resultOf(directory)).toEqual(whole);
    expect(await halfWritten(directory)).toEqual([]);
  }

  it('ends with the same bytes when it is resumed, whenever that was', async () => {
    const directory = join(folder, 'anytime');
    const reached: number[] = [];
    // Each time a little later, so that some kills fall into the start and some into training.
    for (const share of [0.6, 0.9, 0.7]) {
      const resume = (await exists(directory)) ? ['--resume'] : [];
      const child = start(directory, ...resume);
      const end = ended(child);
      await setTimeout(1000 * seconds * share);
      child.kill('SIGKILL');
      await end;
      const state: RunState | undefined = await readRunState(directory).catch(() => undefined);
      reached.push(state?.last?.step ?? 0);
    }
    expect(reached).toEqual(reached.toSorted((a, b) => a - b));
    await finish(directory);
  }, 300_000);

  it('goes on from the newest checkpoint, which need not be that of a validation', async () => {
    const directory = join(folder, 'between');
    // A validation comes after every third step, a checkpoint after every step.
    const isBetween = async (): Promise<boolean> => {
      const state: RunState | undefined = await readRunState(directory).catch(() => undefined);
      return state?.status !== 'finished' && (state?.last?.step ?? 0) % 3 !== 0;
    };
    // The next step may be done before the signal arrives; then another time will do.
    for (let attempt = 0; attempt < 20 && !(await isBetween()); attempt += 1) {
      await rm(directory, { recursive: true, force: true });
      const child = start(directory, '--often');
      let isOver = false;
      const end = ended(child).finally(() => {
        isOver = true;
      });
      while (!isOver && !(await isBetween())) await setTimeout(2);
      child.kill('SIGKILL');
      await end;
    }
    expect(await isBetween()).toBe(true);
    await finish(directory);
  }, 300_000);

  it.each(['last-', 'best-', 'state.json'])(
    'ends with the same bytes when that was while it wrote %s',
    async (written) => {
      const directory = join(folder, `during-${written}`);
      await mkdir(directory);
      let caught: string[] = [];
      // The file may be complete before the signal arrives; then the next one will do.
      for (let attempt = 0; attempt < 60 && caught.length === 0; attempt += 1) {
        const resume = (await exists(directory)) ? ['--resume'] : [];
        const child = start(directory, ...resume);
        const watcher = watch(directory, (_, name) => {
          if (name?.startsWith(written) && name.includes('.tmp-')) child.kill('SIGKILL');
        });
        const { code } = await ended(child);
        watcher.close();
        caught = (await halfWritten(directory)).filter((name) => name.startsWith(written));
        if (code !== 0) continue;
        // It ended before any signal came in time: once more from the beginning.
        await rm(directory, { recursive: true });
        await mkdir(directory);
      }
      expect(caught, 'no kill fell into the writing').not.toEqual([]);
      await finish(directory);
    },
    300_000,
  );

  it.skipIf(!canMount)(
    'ends with the same bytes when the disk was full, which the error says',
    async () => {
      // Room for the first checkpoint and not for the second beside it.
      const [full, directory] = [join(folder, 'full'), join(folder, 'copied')];
      await mkdir(full);
      const script =
        'mount -t tmpfs -o size=2500k none "$1"; "$2" "$3" "$1"; code=$?; cp -r "$1" "$4"; exit $code';
      const program = join(folder, 'train-tiny.js');
      const args = [script, 'sh', full, process.execPath, program, directory];
      const child = spawn('unshare', [...ownMounts, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
      const { code, errors } = await ended(child);
      expect(code).not.toBe(0);
      expect(errors).toMatch(/the disk is full \(ENOSPC\)/);
      expect(errors).toMatch(/what was there before is untouched/);
      expect((await readRunState(directory)).last!.step).toBe(3);
      expect(await halfWritten(directory)).toEqual([]);
      await finish(directory);
    },
    300_000,
  );
});
