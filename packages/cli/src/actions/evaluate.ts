import { basename, join, resolve } from 'node:path';
import { graphDigest } from '@fuzzqe/core/bundle';
import { readDataset, readQueryFile, readQueryFileOf } from '@fuzzqe/data';
import {
  type ComparedModel,
  type Comparison,
  compareModels,
  createSavedEvaluation,
  saveEvaluation,
} from '@fuzzqe/pipeline';
import { publishedFigures } from '@fuzzqe/train';
import { formatComparison, formatStrata } from '../evaluation/format-comparison.ts';
import { formatSeeds, meanColumn, spreadOfSeeds } from '../evaluation/format-seeds.ts';
import { openModelsAt } from '../evaluation/open-models.ts';
import type { TableForm } from '../evaluation/table.ts';
import type { paperGraphs } from '../options/choices.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe evaluate` was told. */
export interface EvaluateFlags {
  readonly data: string;
  readonly split: 'valid' | 'test';
  readonly queries?: string;
  readonly paper?: (typeof paperGraphs)[number];
  readonly mode: 'embedding' | 'sets';
  readonly profile?: string;
  readonly baselines: boolean;
  readonly threads: number;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/** Does `fuzzqe evaluate`. */
export async function evaluateModel(
  terminal: Terminal,
  model: string,
  flags: EvaluateFlags,
): Promise<NextCommand> {
  const { split, paper } = flags;
  const published = paper === undefined ? [] : publishedFigures({ graph: paper });
  const dataset = await readDataset(flags.data);
  const file =
    flags.queries === undefined
      ? await readQueryFileOf(flags.data, dataset, split)
      : await readQueryFile(flags.queries, dataset, split);
  const { train, trainValid } = dataset.graphs();
  // Recorded is what the queries' easy answers follow from.
  const recorded = flags.mode === 'embedding' ? undefined : split === 'test' ? trainValid : train;
  const digest = await graphDigest(train);
  const models = await openModelsAt(model, {
    threads: flags.threads,
    digest,
    profile: flags.profile,
    recorded,
  });
  return interruptible(terminal, async (signal) => {
    const show = createNamedProgress(terminal);
    const comparison = await compareModels({
      dataset,
      split,
      queries: file.queries,
      models,
      signal,
      baselines: flags.baselines,
      published,
      onProgress: (name, done, total) => show(`Evaluating ${name}`, 'queries', done, total),
    });
    terminal.status('');
    const { path, sha256 } = file;
    const count = file.queries.reduce((sum, each) => sum + each.count, 0);
    const evaluated = comparison.columns.slice(-models.length);
    const baselines = comparison.columns.slice(0, -models.length);
    const kept: string[] = [];
    for (const [i, { run }] of models.entries()) {
      if (run === undefined) continue;
      const about = { data: dataset.name, split };
      const keep = createSavedEvaluation(about, { path, sha256, count }, evaluated[i]!.metrics, baselines);
      kept.push(await saveEvaluation(run, keep));
    }
    if (flags.json) {
      const queries = { path, sha256, count };
      const seeds = models.length > 1 ? { mrrOfSeeds: spreadOfSeeds(evaluated) } : {};
      terminal.out(JSON.stringify({ data: dataset.name, split, queries, model, ...comparison, ...seeds }));
    } else {
      print(terminal, comparison, evaluated, flags.markdown ? 'markdown' : 'text');
      terminal.out(`\n${dataset.name}, ${split}: ${count} queries in ${path},\nsha256 ${sha256}`);
      if (kept.length > 0) terminal.note(`Kept in ${kept.join(', ')}`);
    }
    const run = models[0]?.run;
    if (recorded !== undefined) return ['calibrate', model, '--data', flags.data];
    if (run === undefined) return ['parity', model];
    return ['export', run, '--data', flags.data, '--out', join('bundles', basename(resolve(model)))];
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
  const width = terminal.columns;
  const baselines = columns.slice(0, -models.length);
  const shown = others.length === 0 ? first : meanColumn(`FuzzQE, ${models.length} seeds`, models);
  terminal.out(formatComparison({ columns: [...baselines, shown], published }, form, width));
  if (others.length > 0) terminal.out(`\n${formatSeeds(models, form, width)}`);
  terminal.out(`\n${formatStrata(first, form, width)}`);
}
