import type { Reliability } from '@fuzzqe/bundle';
import { readDataset } from '@fuzzqe/data';
import { expectWritable } from '@fuzzqe/files';
import { type CalibrationResult, calibrateRun, readSavedCalibration } from '@fuzzqe/pipeline';
import { formatColumns } from '../terminal/columns.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withoutFit } from './export.ts';

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
  else for (const line of describe(result, terminal.columns)) terminal.out(line);
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

function describe(
  { calibration: { fitted, reliability, rules } }: CalibrationResult,
  columns: number,
): string[] {
  const lines = [`${rules.rules.length} rules.`];
  if (fitted === null) return [...lines, withoutFit];
  const { links, candidates, found } = fitted;
  lines.push(
    `Weights of evidence: fitted on ${candidates} candidates of ${links} links; ${found} candidates are validation facts.`,
  );
  if (reliability === null) return [...lines, 'No test facts are held out to compare degrees with.'];
  lines.push(
    '',
    ...describeReliability(
      'Links: the five best unrecorded tails of plausible links',
      reliability.links,
      columns,
    ),
  );
  if (reliability.answers !== null)
    lines.push(
      '',
      ...describeReliability(
        'Answers: unrecorded entities of degree 0.01 or more, for queries drawn whether an answer is missing or not',
        reliability.answers,
        columns,
      ),
    );
  return lines;
}

/** How sure degrees are and how often they are right: a row for each tenth. */
export function describeReliability(
  what: string,
  { ece, count, found, bins }: Reliability,
  columns: number,
): string[] {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const head = ['said', 'found', 'how many'].map((title) => ({ title, right: true }));
  return [
    `${what}.`,
    `Of ${count}, ${found} are test facts or follow from them; expected calibration error ${ece.toFixed(4)}.`,
    ...formatColumns(
      head,
      bins.map((bin) => [percent(bin.stated), percent(bin.found), String(bin.count)]),
      columns,
    ),
  ];
}
