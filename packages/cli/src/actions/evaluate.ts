import { basename, join, resolve } from 'node:path';
import { graphDigest } from '@fuzzqe/core/bundle';
import { countQueries, type Dataset, openQueries, readDataset } from '@fuzzqe/data';
import { type ComparedModel, compareModels, createSavedEvaluation, saveEvaluation } from '@fuzzqe/pipeline';
import { type PublishedFigures, publishedFigures, publishedGraphOf, type ReportColumn } from '@fuzzqe/train';
import { formatComparison, formatStrata } from '../evaluation/format-comparison.ts';
import { comparableSet, formatPublished } from '../evaluation/format-published.ts';
import { formatSeeds, meanColumn, spreadOfSeeds } from '../evaluation/format-seeds.ts';
import { openModelsAt } from '../evaluation/open-models.ts';
import type { TableForm } from '../evaluation/table.ts';
import type { publishedGraphs } from '../options/choices.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe evaluate` was told. */
export interface EvaluateFlags {
  readonly data: string;
  readonly split?: 'valid' | 'test';
  readonly queries?: string;
  readonly published?: (typeof publishedGraphs)[number] | 'none';
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
  const dataset = await readDataset(flags.data);
  const file = await openQueries(flags.data, dataset, {
    ...(flags.queries === undefined ? {} : { queries: flags.queries }),
    ...(flags.split === undefined ? {} : { part: flags.split }),
  });
  const split = file.part === 'valid' ? 'valid' : 'test';
  const evaluated = { set: file.set, part: split };
  const published = publishedBeside(dataset, comparableSet(evaluated), flags.published);
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
      onProgress: (name, done, total) => show(`Evaluating ${name}`, 'queries', done, total),
    });
    terminal.status('');
    const { path, sha256, set } = file;
    const count = countQueries(file.queries);
    const queries = { path, sha256, count, ...(set === undefined ? {} : { set }) };
    const measured = comparison.columns.slice(-models.length);
    const baselines = comparison.columns.slice(0, -models.length);
    const kept: string[] = [];
    for (const [i, { run }] of models.entries()) {
      if (run === undefined) continue;
      const keep = createSavedEvaluation(
        { data: dataset.name, split },
        queries,
        measured[i]!.metrics,
        baselines,
      );
      kept.push(await saveEvaluation(run, keep));
    }
    if (flags.json) {
      const seeds = models.length > 1 ? { mrrOfSeeds: spreadOfSeeds(measured) } : {};
      const about = { data: dataset.name, split, queries, model };
      terminal.out(JSON.stringify({ ...about, ...comparison, published, ...seeds }));
    } else {
      const form = flags.markdown ? 'markdown' : 'text';
      const shown = shownModels(measured);
      print(terminal, { baselines, shown, measured }, form);
      if (published.length > 0)
        terminal.out(`\n${formatPublished({ models: shown, published, evaluated }, form, terminal.columns)}`);
      const named = set === undefined ? split : `${split}, ${set}`;
      terminal.out(`\n${dataset.name}, ${named}: ${count} queries in ${path},\nsha256 ${sha256}`);
      if (kept.length > 0) terminal.note(`Kept in ${kept.join(', ')}`);
    }
    const run = models[0]?.run;
    if (recorded !== undefined) return ['calibrate', model, '--data', flags.data];
    if (run === undefined) return ['parity', model];
    return ['export', run, '--data', flags.data, '--out', join('bundles', basename(resolve(model)))];
  });
}

/** What papers print of a graph on a query set: of the one that was named, else of the one that the data set is. */
function publishedBeside(
  dataset: Dataset,
  queries: ReturnType<typeof comparableSet>,
  named: EvaluateFlags['published'],
): readonly PublishedFigures[] {
  if (named === 'none') return [];
  const { entityCount, relationCount } = dataset.vocabulary;
  const graph = named ?? publishedGraphOf({ entityCount, relationCount, facts: dataset.train.length / 3 });
  return graph === undefined ? [] : publishedFigures({ graph, queries });
}

/** Of several seeds their mean; otherwise the models as they are. */
function shownModels(models: readonly ComparedModel[]): readonly ReportColumn[] {
  return models.length > 1 ? [meanColumn(`FuzzQE, ${models.length} seeds`, models)] : models;
}

/** The models beside the baselines; of several seeds their mean there, and each seed in a table of its own. */
function print(
  terminal: Terminal,
  tables: {
    readonly baselines: readonly ComparedModel[];
    readonly shown: readonly ReportColumn[];
    readonly measured: readonly ComparedModel[];
  },
  form: TableForm,
): void {
  const { baselines, shown, measured } = tables;
  const width = terminal.columns;
  const columns = [...baselines, ...shown];
  terminal.out(formatComparison({ columns, models: shown.length }, form, width));
  if (measured.length > 1) terminal.out(`\n${formatSeeds(measured, form, width)}`);
  const [first] = measured;
  if (first !== undefined) terminal.out(`\n${formatStrata(first, form, width)}`);
}
