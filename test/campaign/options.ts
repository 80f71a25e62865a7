import { parseArgs } from 'node:util';
import { type Volume, volumes } from './door.ts';
import { doors } from './doors/doors.ts';

/** What the command was told. */
export interface CampaignOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly names: readonly string[];
  readonly inputs?: number;
  /** How many units of each volume are the goal; doors of no volume in it are left out. */
  readonly until?: Readonly<Partial<Record<Volume, number>>>;
  readonly from: number;
  readonly out: string;
  readonly replay?: string;
  readonly resume?: string;
  readonly list: boolean;
  readonly help: boolean;
}

/** What `--help` prints. */
export const usage: string = `Sends hostile inputs through every door of the product; exit code 1 where one failed.

  npm run campaign -- [options]

How much
  --minutes N      all doors together (default 2; without an end where --until is given)
  --inputs N       at most so many for each door
  --until GOALS    so many in all, of ${volumes.join(', ')}: each reader of a file or a text, requests of HTTP, kills of a
                   process; only their doors. As in --until requests=1000000,reader=100000,kills=1000
Which
  --door NAME      only this door; may be given again
  --seed S         other inputs (default 1)
  --from I         the first input (default 0)
  --replay FILE    sends a kept input through the one door
Results
  --out FOLDER     where inputs that failed are kept (default campaign-failures)
  --resume FILE    keeps the results there all the while, and goes on after those that it has
  --list           the doors
  --help           this

The seed and the index of an input give its bytes, so --door NAME --seed S --from I --inputs 1 is one input again.
SIGINT and SIGTERM end it after the inputs that have begun.
`;

/** Reads the arguments. Throws where they are not understood. */
export function readOptions(args: readonly string[]): CampaignOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string', default: '1' },
      inputs: { type: 'string' },
      until: { type: 'string' },
      from: { type: 'string', default: '0' },
      door: { type: 'string', multiple: true, default: [] },
      out: { type: 'string', default: 'campaign-failures' },
      replay: { type: 'string' },
      resume: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const number = (name: string, text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
    throw new Error(`--${name}: expected a number, got ${text}\n${usage}`);
  };
  const unknown = values.door.find((name) => !doors.some((door) => door.name === name));
  if (unknown !== undefined)
    throw new Error(`no door ${unknown}: ${doors.map(({ name }) => name).join(', ')}`);
  if (values.replay !== undefined && values.door.length !== 1)
    throw new Error(`--replay needs one --door\n${usage}`);
  if (values.replay !== undefined && values.resume !== undefined)
    throw new Error(`--replay and --resume: expected one of them\n${usage}`);
  const until = values.until === undefined ? undefined : readGoals(values.until, number);
  return {
    minutes:
      values.minutes === undefined
        ? until === undefined
          ? 2
          : Number.POSITIVE_INFINITY
        : number('minutes', values.minutes),
    seed: number('seed', values.seed),
    names: values.door,
    from: number('from', values.from),
    out: values.out,
    list: values.list,
    help: values.help,
    ...(until === undefined ? {} : { until }),
    ...(values.inputs === undefined ? {} : { inputs: number('inputs', values.inputs) }),
    ...(values.replay === undefined ? {} : { replay: values.replay }),
    ...(values.resume === undefined ? {} : { resume: values.resume }),
  };
}

function readGoals(
  text: string,
  number: (name: string, text: string) => number,
): Readonly<Partial<Record<Volume, number>>> {
  const goals: Partial<Record<Volume, number>> = {};
  for (const part of text.split(',')) {
    const [name = '', count = ''] = part.split('=');
    const volume = volumes.find((each) => each === name.trim());
    if (volume === undefined)
      throw new Error(`--until: expected ${volumes.join(', ')}, got ${name}\n${usage}`);
    goals[volume] = number('until', count);
  }
  return goals;
}
