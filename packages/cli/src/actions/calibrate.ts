import { graphDigest } from '@fuzzqe/core/bundle';
import { readDataset, readQueryFileOf, someQueries } from '@fuzzqe/data';
import { expectSameGraph, saveCalibration } from '@fuzzqe/pipeline';
import { fitCalibration, loadBest, openSetsScorer } from '@fuzzqe/train';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe calibrate` was told. */
export interface CalibrateFlags {
  readonly data: string;
  readonly each: number;
  readonly threads: number;
  readonly json?: boolean;
}

/** Does `fuzzqe calibrate`. */
export async function calibrateRun(
  terminal: Terminal,
  run: string,
  flags: CalibrateFlags,
): Promise<NextCommand> {
  const dataset = await readDataset(flags.data);
  const { train } = dataset.graphs();
  const file = await readQueryFileOf(flags.data, dataset, 'valid');
  const { state, parameters } = await loadBest(run);
  expectSameGraph(run, await graphDigest(train), state.data.sha256);
  return interruptible(terminal, async (signal) => {
    const { threads, each } = flags;
    const sets = await openSetsScorer({ model: state.model, parameters, facts: train, threads });
    const progress = createProgress(terminal, 'Calibrating', 'queries');
    try {
      const { calibration, mrr, startMrr } = await fitCalibration({
        queries: file.queries.map((part) => someQueries(part, each)),
        entityCount: train.entityCount,
        score: sets.score,
        onProgress: (done, total, best) => progress.update(done, total, `MRR ${(100 * best).toFixed(1)} %`),
        signal,
      });
      const kept = { calibration, mrr, defaultMrr: startMrr, queries: { sha256: file.sha256, each } };
      const path = await saveCalibration(run, kept);
      if (flags.json) terminal.out(JSON.stringify(kept));
      else
        for (const [name, value] of Object.entries(calibration)) terminal.out(`${name.padEnd(18)}${value}`);
      const [now, before] = [mrr, startMrr].map((value) => `${(100 * value).toFixed(1)} %`);
      progress.finish(
        `Validation MRR over structures: ${now}; with the default calibration ${before}. Kept in ${path}`,
      );
      return ['evaluate', run, '--data', flags.data, '--mode', 'sets'];
    } finally {
      await sets.close();
    }
  });
}
