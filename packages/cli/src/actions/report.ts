import { basename, join, resolve } from 'node:path';
import { readSavedCalibration, readSavedEvaluations } from '@fuzzqe/pipeline';
import { readRunLog, readRunState } from '@fuzzqe/train';
import { reportPage } from '../report/page.ts';
import { pageFile } from '../report/page-file.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe report` was told. */
export interface ReportFlags {
  readonly out?: string;
}

/** Does `fuzzqe report`. */
export async function writeReport(terminal: Terminal, run: string, flags: ReportFlags): Promise<NextCommand> {
  // The first, and small: where there is no run, its folder is no place for a page either.
  const state = await readRunState(run);
  const path = flags.out ?? join(run, 'report.html');
  const writePage = await pageFile(path, flags.out === undefined ? 'the page' : '--out');
  const log = await readRunLog(run);
  const calibration = await readSavedCalibration(run);
  const evaluations = await readSavedEvaluations(run);
  await writePage(await reportPage({ name: basename(resolve(run)), state, log, calibration, evaluations }));
  terminal.note(`Wrote ${path}`);
  return ['export', run, '--data', 'DATA', '--out', join('bundles', basename(resolve(run)))];
}
