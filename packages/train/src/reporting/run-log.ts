import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError, schema } from '@fuzzqe/core';
import { pathExists, readWholeFile, writeError, writeFileWhole } from '@fuzzqe/files';
import { type LogEntry, logEntrySchema, type ValidationEntry } from './log-entry.ts';

/** The log of a run that is being trained. */
export interface RunLog {
  /** What it held when it was opened. */
  readonly entries: readonly LogEntry[];
  append(entry: LogEntry): Promise<void>;
  /** Returns when everything appended is on the disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The name of the log in a run's folder. */
const runLogFile = 'log.jsonl';

/**
 * Opens the log of a run that goes on from `step`: what was logged after that step is cut off, since those steps are
 * trained again.
 *
 * @throws FuzzError `checkpoint`: the log is damaged, `storage`: it cannot be written.
 */
export async function openRunLog(directory: string, step: number): Promise<RunLog> {
  const path = join(directory, runLogFile);
  const entries = (await readRunLog(directory)).filter((entry) => entry.step <= step);
  await writeFileWhole(path, entries.map(toLine).join(''));
  const file = await open(path, 'a');
  const guarded = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (cause) {
      throw writeError(path, cause, 'the last checkpoint is untouched');
    }
  };
  return {
    entries,
    append: (entry) => guarded(file.appendFile(toLine(entry))),
    flush: () => guarded(file.datasync()),
    close: () => file.close(),
  };
}

/**
 * Reads the log of a run; empty where there is none yet.
 *
 * A last line without an end is left out: it was being written when the process ended.
 *
 * @throws FuzzError `checkpoint`: another line cannot be read.
 * @example
 * const validations = (await readRunLog('runs/mine')).filter(({ kind }) => kind === 'validation');
 */
export async function readRunLog(directory: string): Promise<LogEntry[]> {
  const path = join(directory, runLogFile);
  if (!(await pathExists(path))) return [];
  const text = (await readWholeFile(path, 'checkpoint')).toString('utf8');
  // A power cut may leave zeros where a line was being written.
  const written = text.slice(0, (text.indexOf('\0') + 1 || text.length + 1) - 1);
  const lines = written.split('\n').slice(0, -1);
  return lines.map((line, index) => readLine(line, `${path}:${index + 1}`));
}

/**
 * The validation whose parameters a run keeps; undefined where it has not reached one.
 *
 * @throws FuzzError `checkpoint`: the log does not have it.
 */
export async function bestValidation(
  directory: string,
  best: { readonly step: number } | undefined,
): Promise<ValidationEntry | undefined> {
  if (best === undefined) return undefined;
  const found = (await readRunLog(directory)).find(
    (entry) => entry.kind === 'validation' && entry.step === best.step,
  );
  if (found?.kind === 'validation') return found;
  throw new FuzzError('checkpoint', 'the log has no entry of the best validation', {
    path: join(directory, runLogFile),
    hint: 'the log was altered; evaluate the run instead: fuzzqe evaluate',
  });
}

function readLine(line: string, path: string): LogEntry {
  return schema.parseJson(logEntrySchema, line, {
    code: 'checkpoint',
    what: 'entry of the log',
    path,
    hint: 'the log is damaged; remove the line, or the file with all that was logged',
  });
}

function toLine(entry: LogEntry): string {
  return `${JSON.stringify(entry)}\n`;
}
