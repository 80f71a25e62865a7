import { graphDigest } from '@fuzzqe/core/bundle';
import { publishedFigures, readDataset } from '@fuzzqe/train';
import type { Command } from 'commander';
import { type ComparedModel, type Comparison, compareModels } from '../evaluation/compare-models.ts';
import { formatComparison, formatStrata } from '../evaluation/format-comparison.ts';
import { formatSeeds, meanColumn, spreadOfSeeds } from '../evaluation/format-seeds.ts';
import { modelsAt } from '../evaluation/open-models.ts';
import type { TableForm } from '../evaluation/table.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { namesOutOf, wholeNumber } from './options.ts';
import { readQueryFile, readQueryFileOf } from './query-files.ts';
import { defaultThreads } from './train.ts';

const examples = `
It runs on the CPU through onnxruntime-node, whatever device trained the model. A folder of several seeds, as
fuzzqe train --seeds leaves it, is evaluated seed by seed, with mean and standard deviation.

Examples:
  fuzzqe evaluate runs/countries --data data/countries
  fuzzqe evaluate runs/seeds --data data/countries
  fuzzqe evaluate bundles/fb --data data/fb15k-237 --paper fb15k-237 --markdown > results.md
  fuzzqe evaluate runs/fb --data data/fb15k-237 --queries official-test.jsonl --no-baselines --json`;

/** Adds `fuzzqe evaluate`. */
export function addEvaluateCommand(program: Command, terminal: Terminal): void {
  program
    .command('evaluate <model>')
    .description(
      'filtered MRR and Hits@1/3/10 of a run, of the seeds of a run or of a bundle, by structure and by missing links, beside three baselines',
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
    const models = await modelsAt(model, flags.threads, await graphDigest(dataset.graphs().train));
    const comparison = await compareModels(terminal, {
      dataset,
      split,
      queries: file.queries,
      models,
      signal,
      baselines: flags.baselines,
      published,
    });
    const { path, sha256 } = file;
    const count = file.queries.reduce((sum, each) => sum + each.count, 0);
    const evaluated = comparison.columns.slice(-models.length);
    if (flags.json) {
      const queries = { path, sha256, count };
      const seeds = models.length > 1 ? { mrrOfSeeds: spreadOfSeeds(evaluated) } : {};
      terminal.out(JSON.stringify({ data: dataset.name, split, queries, model, ...comparison, ...seeds }));
      return;
    }
    print(terminal, comparison, evaluated, flags.markdown ? 'markdown' : 'text');
    terminal.out(`\n${dataset.name}, ${split}: ${count} queries in ${path}, sha256 ${sha256.slice(0, 16)}…`);
  });
}

/** The models beside the baselines and papers; of several seeds their mean there, and each seed in a table of its own. */
function print(
  terminal: Terminal,
  { columns, published }: Comparison,
  models: readonly ComparedModel[],
  form: TableForm,
): void {
  const [first, ...others] = models;
  if (first === undefined) return;
  const baselines = columns.slice(0, -models.length);
  const shown = others.length === 0 ? first : meanColumn(`FuzzQE, ${models.length} seeds`, models);
  terminal.out(formatComparison({ columns: [...baselines, shown], published }, form));
  if (others.length > 0) terminal.out(`\n${formatSeeds(models, form)}`);
  terminal.out(`\n${formatStrata(first, form)}`);
}
