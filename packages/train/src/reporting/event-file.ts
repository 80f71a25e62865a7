import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeError } from '@fuzzqe/files';
import { learnedQuantities } from '../loss/loss.ts';
import type { LogEntry } from './log-entry.ts';
import { fileVersionEvent, scalarsEvent, startEvent, textEvent } from './tensorboard/event.ts';
import { tfRecord } from './tensorboard/tf-record.ts';

/** What an event file begins with. */
export interface EventFileContent {
  /** Unix time in seconds. */
  readonly time: number;
  readonly config: unknown;
  /** What was logged before. */
  readonly entries: readonly LogEntry[];
}

/** The TensorBoard events of a run that is being trained. */
export interface EventFile {
  append(entry: LogEntry): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes a run's event file anew, with everything logged before, and opens it for more.
 *
 * A run has one file: what an interrupted process wrote after its last checkpoint goes with the older one.
 *
 * @throws FuzzError `storage`: it cannot be written.
 */
export async function openEventFile(directory: string, content: EventFileContent): Promise<EventFile> {
  const { time, config, entries } = content;
  for (const name of await readdir(directory))
    if (/^events\.out\.tfevents\.\d+\.fuzzqe\./.test(name)) await rm(join(directory, name));
  const seconds = String(Math.floor(time)).padStart(10, '0');
  const path = join(directory, `events.out.tfevents.${seconds}.fuzzqe.${process.pid}.0`);
  const file = await open(path, 'w');
  const write = async (events: readonly Uint8Array[]): Promise<void> => {
    try {
      await file.appendFile(Buffer.concat(events.map(tfRecord)));
    } catch (cause) {
      throw writeError(path, cause, 'the last checkpoint is untouched');
    }
  };
  const at = { time: entries[0]?.time ?? time, step: 0 };
  await write([
    fileVersionEvent(at.time),
    startEvent(at),
    textEvent(at, 'config', asCode(config)),
    ...entries.map(eventOf),
  ]);
  return { append: (entry) => write([eventOf(entry)]), close: () => file.close() };
}

function eventOf(entry: LogEntry): Uint8Array {
  if (entry.kind === 'train') {
    const { loss, learningRate, stepsPerSecond } = entry;
    const learned = learnedQuantities.flatMap((name) =>
      entry[name] === undefined ? [] : [[`training/${name}`, entry[name]] as const],
    );
    return scalarsEvent(entry, {
      'training/loss': loss,
      'training/learning rate': learningRate,
      ...Object.fromEntries(learned),
      'training/steps per second': stepsPerSecond,
    });
  }
  const each = Object.entries(entry.structures).map(([name, mrr]) => [
    `validation by structure/${name}`,
    mrr,
  ]);
  return scalarsEvent(entry, {
    'validation/mean MRR': entry.mrr,
    ...(Object.fromEntries(each) as Record<string, number>),
  });
}

/** JSON as a Markdown block of code. */
function asCode(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^/gm, '    ');
}
