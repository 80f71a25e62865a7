import { countQueries, type QuerySets } from '@fuzzqe/data';
import { formatMatrix, summaryOf } from '@fuzzqe/parity';
import type { PipelineEnd, PipelineEvent, PipelineFolders, PipelineStage } from '@fuzzqe/pipeline';
import { formatCalibration } from '../evaluation/format-calibration.ts';
import { formatComparison } from '../evaluation/format-comparison.ts';
import { describeFolder } from '../report/describe-folder.ts';
import { createByteProgress, createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeDataset } from './data/describe.ts';
import { describeSampled } from './data/query-files.ts';
import { describeFacts } from './export.ts';
import { createTrainingProgress } from './train-with-progress.ts';

/** The headings of a pipeline; exporting and verifying share one. */
const headings: Readonly<Record<PipelineStage, string | undefined>> = {
  import: '1. The graph',
  sample: '2. Queries of the 14 structures',
  train: '3. Training',
  calibrate: undefined,
  refit: undefined,
  evaluate: '4. How high the answers that need a held-out fact are ranked',
  export: '5. Export and parity',
  parity: undefined,
};

/** Shows what a pipeline tells: a heading for each stage, how far it is, and what it made. */
export function reportPipeline(terminal: Terminal, folders: PipelineFolders): (event: PipelineEvent) => void {
  const show = createNamedProgress(terminal);
  const read = createByteProgress(terminal, 'Reading');
  let training: ReturnType<typeof createTrainingProgress> | undefined;
  let begun = Date.now();
  let sampled = false;

  const sampling = (queries: QuerySets): string[] => {
    const needsNone = countQueries(queries.train) === 0 && queries.missing.train.length === 0;
    return [
      ...(sampled
        ? describeSampled(queries, (Date.now() - begun) / 1000)
        : [`The queries stay as they are: ${folders.data}`]),
      ...(needsNone ? ['No training queries are sampled: the model learns from the facts themselves.'] : []),
    ];
  };
  const ended = (end: PipelineEnd): readonly string[] => {
    switch (end.stage) {
      case 'import':
        return describeDataset(end.dataset);
      case 'sample':
        return sampling(end.queries);
      case 'train':
        training?.finish(end.result);
        return [];
      case 'calibrate':
        return formatCalibration(end.calibration, terminal.columns);
      case 'refit':
        if (end.result !== undefined) training?.finish(end.result);
        return [];
      case 'evaluate':
        return end.evaluation === undefined
          ? ['No test facts are held out, so there is nothing to evaluate by.']
          : [
              'In percent. MRR: the mean of 1/rank of each right answer. H@10: how many are among the first 10.',
              'FuzzQE answers in mode embedding; "FuzzQE, sets" in mode sets, the default. The other columns need no model.',
              formatComparison(end.evaluation, 'text', terminal.columns),
            ];
      case 'export':
        return [`${folders.bundle}: ${describeFolder(folders.bundle)}`, describeFacts(end.manifest)];
      case 'parity':
        return [
          'Each row answers the same queries. It is equal if it differs from float64 by less than its tolerance.',
          ...formatMatrix(end.parity),
          `${summaryOf(end.parity.cells)}.`,
        ];
    }
  };

  return (event) => {
    switch (event.kind) {
      case 'begin': {
        const heading = headings[event.stage];
        if (heading !== undefined) terminal.out(`\n${heading}`);
        begun = Date.now();
        if (event.stage === 'train' || event.stage === 'refit')
          training = createTrainingProgress(terminal, (steps) => `the same command with --steps ${steps}`);
        return;
      }
      case 'progress':
        sampled ||= event.stage === 'sample';
        if (event.stage === 'import') read(event.done, event.total);
        else show(event.what, event.unit, event.done, event.total);
        return;
      case 'step':
        training?.onStep(event);
        return;
      case 'validation':
        training?.onValidation(event);
        return;
      case 'end':
        terminal.status('');
        ended(event).forEach(terminal.out);
    }
  };
}
