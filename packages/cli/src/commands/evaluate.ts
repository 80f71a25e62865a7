import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError, graphDigest } from '@fuzzqe/core';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { createScorer, type Dataset, loadBest, type QueryScorer, readDataset } from '@fuzzqe/train';
import type { Command } from 'commander';
import { bundleScorer } from '../evaluation/bundle-scorer.ts';
import { compareModels, formatComparison } from '../evaluation/compare-models.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { namesOutOf, wholeNumber } from './options.ts';
import { readQueryPart } from './query-files.ts';
import { defaultThreads } from './train.ts';

/** Adds `fuzzqe evaluate`. */
export function addEvaluateCommand(program: Command, terminal: Terminal): void {
  program
    .command('evaluate <model>')
    .description('filtered MRR and Hits@1/3/10 of a run or a bundle, beside two baselines')
    .requiredOption('--data <folder>', 'the data set with its queries')
    .option('--split <valid|test>', 'which queries', 'test')
    .option('--threads <n>', 'threads', wholeNumber(1, 256), defaultThreads())
    .option('--json', 'print the figures as JSON')
    .option('--markdown', 'print the tables as Markdown')
    .addHelpText('after', '\nExample:\n  fuzzqe evaluate runs/countries --data data/countries')
    .action(async (model: string, flags: EvaluateFlags) => {
      const dataset = await readDataset(flags.data);
      const [split] = namesOutOf(flags.split, ['valid', 'test'], 'split');
      const queries = await readQueryPart(flags.data, dataset, split!);
      await interruptible(terminal, async (signal) => {
        const { score, close } = await openModel(model, dataset, flags.threads);
        try {
          const comparison = await compareModels(terminal, {
            dataset,
            queries,
            name: 'FuzzQE',
            score,
            signal,
          });
          if (flags.json) terminal.out(JSON.stringify({ data: dataset.name, split, ...comparison }));
          else terminal.out(formatComparison(comparison, flags.markdown ? 'markdown' : 'text'));
        } finally {
          await close();
        }
      });
    });
}

interface EvaluateFlags {
  readonly data: string;
  readonly split: string;
  readonly threads: number;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/** A run's best parameters or a bundle, ready to score. */
async function openModel(
  path: string,
  dataset: Dataset,
  threads: number,
): Promise<{ score: QueryScorer; close(): Promise<void> }> {
  const digest = await graphDigest(dataset.graphs().train);
  const expectSame = (found: string): void => {
    if (found !== digest)
      throw new FuzzError('checkpoint', 'the model was trained on another graph than this data set', {
        path,
        hint: `expected the graph ${digest.slice(0, 12)}…, the model says ${found.slice(0, 12)}…`,
      });
  };
  const isBundle = await access(join(path, 'manifest.json')).then(
    () => true,
    () => false,
  );
  if (isBundle) {
    const engine = await openEngine({
      source: folderSource(path),
      sessions: nodeSessions(path, { threads }),
    });
    expectSame(engine.manifest.data.sha256);
    return { score: bundleScorer(engine), close: () => engine.close() };
  }
  const { state, parameters } = await loadBest(path);
  expectSame(state.data.sha256);
  const scorer = await createScorer(state.model, threads);
  await scorer.load(parameters);
  return { score: scorer.score, close: () => scorer.close() };
}
