import { readDataset } from '@fuzzqe/data';
import { expectWritable } from '@fuzzqe/files';
import { type CalibrationResult, calibrateRun, readSavedCalibration } from '@fuzzqe/pipeline';
import { formatCalibration } from '../evaluation/format-calibration.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe calibrate` was told. */
export interface CalibrateFlags {
  readonly data: string;
  /** Seconds that rules are mined; undefined: those of the run, or by the size of the graph. */
  readonly rules?: number;
  readonly quick?: boolean;
  readonly threads: number;
  readonly json?: boolean;
}

/** Does `fuzzqe calibrate`. */
export async function calibrate(
  terminal: Terminal,
  run: string,
  flags: CalibrateFlags,
): Promise<NextCommand> {
  // It works for a minute, and what comes of it is kept there.
  await expectWritable(run);
  const dataset = await readDataset(flags.data);
  const { quick, rules, threads } = flags;
  const result = await interruptible(terminal, (signal) =>
    calibrateRun({
      ...{ run, dataset, quick, threads, signal, seconds: rules, renewRules: rules !== undefined },
      onProgress: createNamedProgress(terminal),
    }),
  );
  terminal.status('');
  if (flags.json) terminal.out(JSON.stringify(jsonOf(result)));
  else for (const line of formatCalibration(result.calibration, terminal.columns)) terminal.out(line);
  terminal.note(`Kept in ${result.path}`);
  if ((await readSavedCalibration(run)) === undefined)
    terminal.note(
      `${run} has better parameters by now than those that were calibrated: calibrate it again when it is trained.`,
    );
  return ['evaluate', run, '--data', flags.data];
}

/** Without weights and rules, of which there are many. */
function jsonOf({ calibration: { projection, fitted, reliability, rules } }: CalibrationResult): object {
  return { projection, fitted, reliability, rules: rules.rules.length };
}
