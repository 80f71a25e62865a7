import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Door } from './door.ts';
import { doors } from './doors/doors.ts';
import { formatProgress, formatResults } from './format-results.ts';
import { inputOf } from './input-of.ts';
import { addedResults, readResults, writeResults } from './kept-results.ts';
import { type CampaignOptions, readOptions, usage } from './options.ts';
import { type DoorResult, mostFailures, runDoor } from './run-door.ts';

/** How often results are kept and a line is printed, in milliseconds. */
const [keepEvery, speakEvery] = [5000, 30_000] as const;
/** How long a door has its turn where there are goals, in seconds: all come near them together, and processes start seldom. */
const turnSeconds = 60;

/** Sends inputs through doors until there were enough, and prints what came of them. */
async function campaign(options: CampaignOptions): Promise<void> {
  const { minutes, seed, names, inputs, until, from, out, replay, resume } = options;
  const kept = resume === undefined ? [] : await readResults(resume, seed);
  const results = new Map(kept.map((result) => [result.door, result]));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const goalOf = ({ volume }: Door): number | undefined =>
    until === undefined || volume === undefined ? undefined : until[volume];
  const inputsLeft = ({ name }: Door): number | undefined =>
    inputs === undefined ? undefined : inputs - (results.get(name)?.tried ?? 0);
  const unitsLeft = (door: Door): number | undefined => {
    const goal = goalOf(door);
    return goal === undefined ? undefined : goal - (results.get(door.name)?.units ?? 0);
  };
  const chosen = (): readonly Door[] =>
    doors.filter(
      (door) =>
        (names.length === 0 || names.includes(door.name)) &&
        (until === undefined || goalOf(door) !== undefined) &&
        (inputsLeft(door) ?? 1) > 0 &&
        (unitsLeft(door) ?? 1) > 0 &&
        (results.get(door.name)?.failures.length ?? 0) < mostFailures,
    );
  const deadline = performance.now() + minutes * 60_000;
  let keeping = Promise.resolve();
  const turn = async (door: Door, seconds: number): Promise<void> => {
    const before = results.get(door.name);
    const [most, units, goal] = [inputsLeft(door), unitsLeft(door), goalOf(door)];
    let [lastKept, lastSpoken] = [performance.now(), performance.now()];
    const keep = (result: DoorResult): void => {
      results.set(door.name, addedResults(before, result));
      const now = [...results.values()];
      if (resume === undefined) return;
      keeping = keeping
        .then(() => writeResults(resume, seed, now))
        .catch((error: unknown) => {
          process.stderr.write(`${resume}: ${String(error)}\n`);
          stop.abort();
        });
    };
    const result = await runDoor(door, {
      seed,
      from: from + (before?.tried ?? 0),
      seconds,
      ...(most === undefined ? {} : { inputs: most }),
      ...(units === undefined ? {} : { units }),
      program: [process.execPath, process.argv[1]!],
      signal: stop.signal,
      ...(replay === undefined ? {} : { replay }),
      async onFailure({ index, kind, detail }) {
        process.stderr.write(`${door.name} input ${index}: ${kind}: ${detail}\n`);
        if (replay !== undefined) return;
        const path = join(out, `${door.name}-${seed}-${index}${door.ending}`);
        await mkdir(out, { recursive: true });
        await writeFile(path, inputOf(door, seed, index));
        process.stderr.write(`  kept; again: npm run campaign -- --door ${door.name} --replay ${path}\n`);
      },
      onProgress(result) {
        const now = performance.now();
        if (now - lastKept > keepEvery) {
          lastKept = now;
          keep(result);
        }
        if (now - lastSpoken < speakEvery) return;
        lastSpoken = now;
        const secondsLeft = seconds - result.seconds;
        process.stderr.write(`${formatProgress(result, { before, goal, secondsLeft })}\n`);
      },
    });
    keep(result);
    process.stderr.write(
      `${door.name}: ${result.tried} tried, ${result.failures.length} failed, ${Math.round(result.seconds)} s\n`,
    );
  };
  for (;;) {
    const round = chosen();
    for (const [place, door] of round.entries()) {
      if (stop.signal.aborted) break;
      // What a door leaves is for those after it.
      const left = (deadline - performance.now()) / 1000 / (round.length - place);
      const own = Math.max(turnSeconds, 2 * (door.seconds ?? 0));
      await turn(door, until === undefined || round.length === 1 ? left : Math.min(left, own));
    }
    const isOver = until === undefined || replay !== undefined || performance.now() > deadline;
    if (isOver || stop.signal.aborted || round.length === 0) break;
  }
  await keeping;
  process.stdout.write(`\nSeed ${seed}\n\n${formatResults([...results.values()])}\n`);
  const failed = [...results.values()].some(({ failures, tried }) => failures.length > 0 || tried === 0);
  process.exitCode = failed ? 1 : 0;
}

/** The whole of the command: what it prints goes to standard output and standard error, and its end into `process.exitCode`. */
export async function runCampaign(args: readonly string[]): Promise<void> {
  try {
    const options = readOptions(args);
    if (options.help) process.stdout.write(usage);
    else if (options.list)
      process.stdout.write(doors.map(({ name, description }) => `${name}: ${description}\n`).join(''));
    else await campaign(options);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
