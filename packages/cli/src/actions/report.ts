import { basename, join, resolve } from 'node:path';
import { writeFileWhole } from '@fuzzqe/files';
import { readSavedCalibration } from '@fuzzqe/pipeline';
import { readRunLog, readRunState } from '@fuzzqe/train';
import { reportPage } from '../report/page.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe report` was told. */
export interface ReportFlags {
  readonly out?: string;
}

/** Does `fuzzqe report`. */
export async function writeReport(terminal: Terminal, run: string, flags: ReportFlags): Promise<NextCommand> {
  const state = await readRunState(run);
  const log = await readRunLog(run);
  const calibration = await readSavedCalibration(run);
  const path = flags.out ?? join(run, 'report.html');
  await writeFileWhole(path, await reportPage({ name: basename(resolve(run)), state, log, calibration }));
  terminal.note(`Wrote ${path}`);
  return ['export', run, '--data', 'DATA', '--out', join('bundles', basename(resolve(run)))];
}
