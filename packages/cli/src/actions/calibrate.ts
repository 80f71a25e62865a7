import { type LinkProbability, linkProbability } from '@fuzzqe/core/sets';
import { readDataset, readQueryFileOf } from '@fuzzqe/data';
import { expectWritable } from '@fuzzqe/files';
import {
  type CalibrationResult,
  calibrateRun,
  type LinkThreshold,
  readSavedCalibration,
} from '@fuzzqe/pipeline';
import { formatColumns } from '../terminal/columns.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe calibrate` was told. */
export interface CalibrateFlags {
  readonly data: string;
  readonly each: number;
  readonly precision: number;
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
  const { queries: parts, sha256 } = await readQueryFileOf(flags.data, dataset, 'valid');
  const { each, precision, threads } = flags;
  const result = await interruptible(terminal, (signal) =>
    calibrateRun({
      ...{ run, dataset, queries: { parts, sha256 }, each, precision, threads, signal },
      onProgress: createNamedProgress(terminal),
    }),
  );
  terminal.status('');
  const { path } = result;
  if (flags.json) terminal.out(JSON.stringify(jsonOf(result)));
  else for (const line of describe(result, precision, terminal.columns)) terminal.out(line);
  terminal.note(`Kept in ${path}`);
  if ((await readSavedCalibration(run)) === undefined)
    terminal.note(
      `${run} has better parameters by now than those that were calibrated: calibrate it again when it is trained.`,
    );
  return ['evaluate', run, '--data', flags.data];
}

/** Without log-partitions, of which there are many. */
function jsonOf({ calibration: kept, thresholds, logLoss }: CalibrationResult): object {
  const { calibration, fitted, probability } = kept;
  const { partitions: _, ...line } = probability ?? { partitions: [] };
  return { calibration, fitted, probability: probability === null ? null : line, thresholds, logLoss };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function describe(
  { calibration: kept, thresholds, logLoss }: CalibrationResult,
  precision: number,
  columns: number,
): string[] {
  const { calibration, fitted, probability } = kept;
  const lines = Object.entries(calibration).map(([name, value]) => `${name.padEnd(18)}${value}`);
  if (fitted !== null)
    lines.push(
      `Validation MRR over structures: ${percent(fitted.mrr)}; with the default calibration ${percent(fitted.defaultMrr)}.`,
    );
  if (fitted?.entities !== undefined)
    lines.push(
      `Fitted on ${fitted.entities} entities, where at least ${fitted.each} queries of each structure remained.`,
    );
  if (probability === null) return lines;
  return [
    ...lines,
    '',
    ...describeProbability(probability, logLoss, columns),
    '',
    ...thresholds.map((threshold) => describeThreshold(threshold, probability, precision)),
  ];
}

/** How sure links are and how often they are right: a row for each tenth. */
function describeProbability(
  { fitted, test }: LinkProbability,
  logLoss: CalibrationResult['logLoss'],
  columns: number,
): string[] {
  const of = ({ links, best, facts, candidates }: LinkProbability['fitted']): string =>
    `the ${best} unrecorded entities of highest share of each of ${links} links with a held-out fact: ${candidates} candidates, ${facts} of them facts`;
  const first = `Probability of links, fitted on validation facts (${of(fitted)}).`;
  if (test === null) return [first, 'No test facts are held out to compare with.'];
  const bins = test.bins.map(({ count, stated, found }) => [percent(stated), percent(found), String(count)]);
  const head = ['stated', 'found', 'candidates'].map((title) => ({ title, right: true }));
  return [
    first,
    `On test facts (${of(test)}): expected calibration error ${test.ece.toFixed(4)}, of the ten best ${test.eceOfTen.toFixed(4)}.`,
    ...(logLoss === undefined
      ? []
      : [`Log loss ${logLoss.stated.toFixed(4)}, of their mean for all ${logLoss.one.toFixed(4)}.`]),
    ...formatColumns(head, bins, columns),
  ];
}

function describeThreshold(
  { of, valid, test }: LinkThreshold,
  probability: LinkProbability,
  wished: number,
): string {
  const title = of === 'degree' ? 'minDegree' : 'probability';
  if (valid === undefined)
    return `${title}: none gives links that are right in ${percent(wished)} of all cases.`;
  const from =
    of === 'degree' ? valid.from.toPrecision(3) : linkProbability(probability, valid.from).toFixed(3);
  const reached = `${percent(valid.precision)} right and ${percent(valid.recall)} of the facts found`;
  const onTest =
    test === undefined ? '' : `; on test facts ${percent(test.precision)} and ${percent(test.recall)}`;
  return `${title} ${from}: ${reached}${onTest}.`;
}
