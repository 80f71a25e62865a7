import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError, graphDigest } from '@fuzzqe/core';
import { openEngine } from '@fuzzqe/engine';
import { bundleFolder, folderSource, nodeSessions } from '@fuzzqe/serve';
import {
  createScorer,
  type Dataset,
  loadBest,
  publishedFigures,
  type QueryScorer,
  readDataset,
} from '@fuzzqe/train';
import type { Command } from 'commander';
import { bundleScorer } from '../evaluation/bundle-scorer.ts';
import { compareModels } from '../evaluation/compare-models.ts';
import { formatComparison, formatStrata } from '../evaluation/format-comparison.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { namesOutOf, wholeNumber } from './options.ts';
import { readQueryFile, readQueryFileOf } from './query-files.ts';
import { defaultThreads } from './train.ts';

const examples = `
It runs on the CPU through onnxruntime-node, whatever device trained the model.

Examples:
  fuzzqe evaluate runs/countries --data data/countries
  fuzzqe evaluate bundles/fb --data data/fb15k-237 --paper fb15k-237 --markdown > results.md
  fuzzqe evaluate runs/fb --data data/fb15k-237 --queries official-test.jsonl --no-baselines --json`;

/** Adds `fuzzqe evaluate`. */
export function addEvaluateCommand(program: Command, terminal: Terminal): void {
  program
    .command('evaluate <model>')
    .description(
      'filtered MRR and Hits@1/3/10 of a run or a bundle, by structure and by missing links, beside three baselines',
    )
    .requiredOption('--data <folder>', 'the data set with its queries')
    .option('--split <valid|test>', 'which queries', 'test')
    .option('--queries <file>', "another file of queries than the data set's own; --split says of which part")
    .option('--paper <fb15k-237|nell995>', "the FuzzQE paper's figures on the official queries beside ours")
    .option('--no-baselines', 'evaluate the model alone')
    .option(
      '--threads <n>',
      'threads; the figures do not depend on them',
      wholeNumber(1, 256),
      defaultThreads(),
    )
    .option('--json', 'print the figures as JSON, with the hash of the file of queries')
    .option('--markdown', 'print the tables as Markdown')
    .addHelpText('after', examples)
    .action((model: string, flags: EvaluateFlags) => evaluate(terminal, model, flags));
}

interface EvaluateFlags {
  readonly data: string;
  readonly split: string;
  readonly queries?: string;
  readonly paper?: string;
  readonly baselines: boolean;
  readonly threads: number;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

async function evaluate(terminal: Terminal, model: string, flags: EvaluateFlags): Promise<void> {
  const split = namesOutOf(flags.split, ['valid', 'test'], 'split')[0]!;
  const graphs = ['fb15k-237', 'nell995'] as const;
  const published =
    flags.paper === undefined
      ? []
      : namesOutOf(flags.paper, graphs, 'graph of the paper').flatMap((graph) => publishedFigures[graph]);
  const dataset = await readDataset(flags.data);
  const file =
    flags.queries === undefined
      ? await readQueryFileOf(flags.data, dataset, split)
      : await readQueryFile(flags.queries, dataset, split);
  await interruptible(terminal, async (signal) => {
    const { score, close } = await openModel(model, dataset, flags.threads);
    try {
      const comparison = await compareModels(terminal, {
        dataset,
        split,
        queries: file.queries,
        name: 'FuzzQE',
        score,
        signal,
        baselines: flags.baselines,
        published,
      });
      const { path, sha256 } = file;
      const count = file.queries.reduce((sum, each) => sum + each.count, 0);
      if (flags.json) {
        const queries = { path, sha256, count };
        terminal.out(JSON.stringify({ data: dataset.name, split, queries, model, ...comparison }));
        return;
      }
      const form = flags.markdown ? 'markdown' : 'text';
      terminal.out(formatComparison(comparison, form));
      terminal.out(`\n${formatStrata(comparison.columns.at(-1)!, form)}`);
      terminal.out(
        `\n${dataset.name}, ${split}: ${count} queries in ${path}, sha256 ${sha256.slice(0, 16)}…`,
      );
    } finally {
      await close();
    }
  });
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
  const folder = await bundleFolder(path);
  const isBundle = await access(join(folder, 'manifest.json')).then(
    () => true,
    () => false,
  );
  if (isBundle) {
    const engine = await openEngine({
      source: folderSource(folder),
      sessions: nodeSessions(folder, { threads }),
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
