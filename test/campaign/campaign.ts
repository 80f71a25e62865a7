import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DoorTask, runDoorProcess } from './door-process.ts';
import { doors } from './doors/doors.ts';
import { formatResults } from './format-results.ts';
import { inputOf } from './input-of.ts';
import { addedResults, readResults, writeResults } from './kept-results.ts';
import { runDoor } from './run-door.ts';

/** What the command was told. */
interface CampaignOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly names: readonly string[];
  readonly inputs?: number;
  readonly from: number;
  readonly out: string;
  readonly replay?: string;
  readonly resume?: string;
  readonly list: boolean;
}

const usage = `npm run campaign -- [options]
  --minutes N    all doors together (default 2)
  --inputs N     at most so many for each door
  --door NAME    only this door; may be given again
  --seed S       other inputs (default 1)
  --from I       the first input (default 0)
  --out FOLDER   where inputs that failed are kept (default campaign-failures)
  --resume FILE  keeps the results there, and goes on after those that it has
  --replay FILE  sends a kept input through the one door
  --list         the doors`;

function readOptions(args: readonly string[]): CampaignOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '2' },
      seed: { type: 'string', default: '1' },
      inputs: { type: 'string' },
      from: { type: 'string', default: '0' },
      door: { type: 'string', multiple: true, default: [] },
      out: { type: 'string', default: 'campaign-failures' },
      replay: { type: 'string' },
      resume: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
  const number = (name: string, text: string): number => {
    const value = Number(text);
    if (Number.isFinite(value) && value >= 0) return value;
    throw new Error(`--${name}: expected a number, got ${text}\n${usage}`);
  };
  const unknown = values.door.find((name) => !doors.some((door) => door.name === name));
  if (unknown !== undefined)
    throw new Error(`no door ${unknown}: ${doors.map(({ name }) => name).join(', ')}`);
  if (values.replay !== undefined && values.door.length !== 1)
    throw new Error(`--replay needs one --door\n${usage}`);
  if (values.replay !== undefined && values.resume !== undefined)
    throw new Error(`--replay and --resume: expected one of them\n${usage}`);
  return {
    minutes: number('minutes', values.minutes),
    seed: number('seed', values.seed),
    names: values.door,
    from: number('from', values.from),
    out: values.out,
    list: values.list,
    ...(values.inputs === undefined ? {} : { inputs: number('inputs', values.inputs) }),
    ...(values.replay === undefined ? {} : { replay: values.replay }),
    ...(values.resume === undefined ? {} : { resume: values.resume }),
  };
}

async function campaign(options: CampaignOptions): Promise<void> {
  const { minutes, seed, names, inputs, from, out, replay, resume } = options;
  const kept = resume === undefined ? [] : await readResults(resume, seed);
  const results = new Map(kept.map((result) => [result.door, result]));
  const left = ({ name }: { readonly name: string }): number =>
    (inputs ?? Number.POSITIVE_INFINITY) - (results.get(name)?.tried ?? 0);
  const chosen = doors.filter((door) => (names.length === 0 || names.includes(door.name)) && left(door) > 0);
  for (const door of chosen) {
    const before = results.get(door.name);
    const result = await runDoor(door, {
      seed,
      from: from + (before?.tried ?? 0),
      inputs: left(door),
      seconds: (minutes * 60) / chosen.length,
      program: [process.execPath, process.argv[1]!],
      ...(replay === undefined ? {} : { replay }),
      async onFailure({ index, kind, detail }) {
        const path = join(out, `${door.name}-${seed}-${index}${door.ending}`);
        if (replay === undefined) {
          await mkdir(out, { recursive: true });
          await writeFile(path, inputOf(door, seed, index));
        }
        process.stderr.write(`${door.name} input ${index}: ${kind}: ${detail}\n`);
        if (replay === undefined)
          process.stderr.write(`  kept; again: npm run campaign -- --door ${door.name} --replay ${path}\n`);
      },
    });
    results.set(door.name, addedResults(before, result));
    if (resume !== undefined) await writeResults(resume, seed, [...results.values()]);
    process.stderr.write(`${door.name}: ${result.tried} tried, ${result.failures.length} failed\n`);
  }
  process.stdout.write(`\nSeed ${seed}\n\n${formatResults([...results.values()])}\n`);
  const failed = [...results.values()].some(({ failures, tried }) => failures.length > 0 || tried === 0);
  process.exitCode = failed ? 1 : 0;
}

const [task] = process.argv.slice(2);
if (task?.startsWith('{')) {
  // Written by `runDoor` of this program.
  await runDoorProcess(doors, JSON.parse(task) as DoorTask);
} else {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options.list)
      process.stdout.write(doors.map(({ name, description }) => `${name}: ${description}\n`).join(''));
    else await campaign(options);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
