import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { takeLock, wholeFolder } from '@fuzzqe/files';
import fc from 'fast-check';
import type { Door } from '../door.ts';
import { commandFile, expectCommand, fewQueries, runCommand, smallWork } from './command-process.ts';

/** When a process is killed: after a share of the time that it takes, or so long after the n-th change where it writes. */
interface Moment {
  readonly share: number;
  readonly change: number | null;
  readonly milliseconds: number;
}
interface KillInput {
  readonly work: (typeof works)[number];
  /** Whether something older stands where it writes. */
  readonly replaces: boolean;
  readonly kills: readonly Moment[];
}

/** Fewer where the work is done before. */
const mostKills = 6;
const works = ['train', 'train', 'export', 'import', 'sample'] as const;
const moment = fc.record({
  share: fc.integer({ min: 0, max: 999 }).map((thousandths) => thousandths / 1000),
  change: fc.option(fc.integer({ min: 1, max: 14 }), { nil: null }),
  milliseconds: fc.integer({ min: 0, max: 40 }),
});
const inputs = fc
  .record({
    work: fc.constantFrom(...works),
    replaces: fc.boolean(),
    kills: fc.array(moment, { minLength: mostKills, maxLength: mostKills }),
  })
  .map((input) => new TextEncoder().encode(JSON.stringify(input)));

/** The files of a folder by their path in it, in order; without those of locks and of what is not whole yet. */
function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.|lock-\d+\.json|\.tmp-/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

const isSame = (a: string, b: string): boolean => existsSync(a) && readFileSync(a).equals(readFileSync(b));

/** Files of a folder with what is in them. Undefined where there is no folder. */
function contentOf(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const hash = createHash('sha256');
  for (const name of filesOf(folder)) hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}

/** The tensors of a run, by name: what a resumed one has to end with, too. */
function tensorsOf(run: string): readonly (readonly [string, string])[] {
  return readdirSync(run)
    .filter((name) => name.endsWith('.safetensors'))
    .sort()
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(run, name)))
        .digest('hex'),
    ]);
}

/** Runs the command and kills it at that moment, unless it ended before; gives whether it was killed. */
async function runKilled(
  args: readonly string[],
  folders: readonly string[],
  { share, change, milliseconds }: Moment,
  usual: number,
): Promise<boolean> {
  let [changes, isKilled] = [0, false];
  const timers: NodeJS.Timeout[] = [];
  const watchers: { close(): void }[] = [];
  const { code, errors } = await runCommand(args, (child) => {
    const kill = (): void => {
      isKilled = child.kill('SIGKILL');
    };
    timers.push(setTimeout(kill, (change === null ? share : 1) * usual));
    if (change === null) return;
    for (const folder of folders)
      watchers.push(
        watch(folder, () => {
          changes++;
          if (changes === change) timers.push(setTimeout(kill, milliseconds));
        }),
      );
  });
  for (const timer of timers) clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
  assert.ok(code === 0 || (isKilled && code === null), `exit code ${code}: ${args.join(' ')}\n${errors}`);
  return code !== 0;
}

/** Work that is killed again and again and then done. */
export const killDoors: readonly Door[] = [
  {
    name: 'kills',
    description:
      'training, export, import and sampling, killed up to six times each and then resumed or done again',
    ending: '.json',
    inputs,
    refusals: [],
    seconds: 300,
    // Processes wait for one another and for files.
    parallel: 3,
    volume: 'kills',
    async open(root) {
      assert.ok(existsSync(commandFile));
      const { facts, config, data, run } = await smallWork(root);
      const at = (...parts: readonly string[]): string => join(root, ...parts);
      const exported = (model: string, out: string): readonly string[] => [
        ...['export', model, '--data', data, '--out', out, '--queries', '0', '--threads', '1'],
      ];
      const sample = (folder: string, seed: string): readonly string[] => [
        ...['data', 'sample', folder, '--replace', '--seed', seed, ...fewQueries],
      ];
      const imported = (out: string): readonly string[] => [
        ...['data', 'import', facts, '--out', out, '--name', 'small', '--seed', '5'],
      ];
      // A machine that does other work is slower at times, so kills by the clock may come early and seldom late.
      const timed = async (...args: readonly string[]): Promise<number> => {
        const began = performance.now();
        await expectCommand(...args);
        return performance.now() - began;
      };
      // What stands there before: another seed, which makes other bytes.
      const trained = ['train', data, '--config', config, '--threads', '1'];
      const training = await timed(...trained, '--out', at('older-run'), '--seed', '5');
      await expectCommand(...exported(at('older-run'), at('older-bundle')));
      const exporting = await timed(...exported(run, at('bundle')));
      await cp(data, at('older-data'), { recursive: true });
      await cp(data, at('data-sampled'), { recursive: true });
      const sampling = await timed(...sample(at('data-sampled'), '5'));
      const importing = await timed(...imported(at('data-imported')));
      const usual = { train: training, export: exporting, sample: sampling, import: importing };
      const expected = {
        train: tensorsOf(run),
        export: contentOf(at('bundle')),
        sample: contentOf(at('data-sampled')),
        import: contentOf(at('data-imported')),
      };
      return {
        async attempt(bytes, number) {
          const { work, replaces, kills } = JSON.parse(new TextDecoder().decode(bytes)) as KillInput;
          const place = at(`place-${number}`);
          let killed = 0;
          const target = join(place, 'target');
          await mkdir(place);
          try {
            if (work === 'train') {
              await mkdir(target);
              const args = (): readonly string[] => [
                ...[...trained, '--out', target],
                ...(existsSync(join(target, 'state.json')) ? ['--resume'] : []),
              ];
              for (const kill of kills) {
                if (!(await runKilled(args(), [target], kill, usual[work]))) break;
                killed++;
              }
              await expectCommand(...args());
              assert.deepEqual(tensorsOf(target), expected.train);
              return killed;
            }
            // Sampling changes a data set that is there; import refuses to.
            if (work === 'sample') await cp(at('older-data'), target, { recursive: true });
            else if (work === 'export' && replaces) await cp(at('older-bundle'), target, { recursive: true });
            const old = contentOf(target);
            const args =
              work === 'export'
                ? exported(run, target)
                : work === 'sample'
                  ? sample(target, '5')
                  : imported(target);
            const isDone = async (): Promise<boolean> => {
              const folder = await wholeFolder(target);
              const found = contentOf(folder);
              if (work === 'sample') {
                // File by file: each is the old or the new one, and the rules beside queries are theirs or say that they are not.
                for (const name of filesOf(folder))
                  assert.ok(
                    [at('older-data'), at('data-sampled')].some((each) =>
                      isSame(join(each, name), join(folder, name)),
                    ),
                    `${name} is neither the old nor the new`,
                  );
                return found === expected.sample;
              }
              assert.ok(found === old || found === expected[work], 'neither what stood there nor the new');
              return found !== old;
            };
            for (const kill of kills) {
              if (await isDone()) break;
              const folders = work === 'sample' ? [place, join(target, 'queries')] : [place];
              if (await runKilled(args, folders, kill, usual[work])) killed++;
            }
            if (work !== 'import' || !(await isDone())) await expectCommand(...args);
            assert.ok(await isDone());
            assert.equal(contentOf(target), expected[work]);
            // A lock that was left keeps nobody out, and goes with the next one.
            const lock = await takeLock({ folder: place, prefix: '.target.', what: target });
            await lock.release();
            // Empty: a folder by which a command found that it may write there, and a lock that was not yet written.
            const isEmptyTrace = (name: string): boolean =>
              /^\.fuzzqe-\w{6}$/.test(name) ||
              (/^\.target\.lock-\d+\.json\.[0-9a-f-]{36}$/.test(name) &&
                statSync(join(place, name)).size === 0);
            const left = readdirSync(place).filter((name) => name !== 'target' && !isEmptyTrace(name));
            assert.deepEqual(left, [], 'files beside it');
            return killed;
          } finally {
            await rm(place, { recursive: true, force: true });
          }
        },
      };
    },
  },
];
