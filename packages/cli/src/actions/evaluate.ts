import { basename, join, resolve } from 'node:path';
import type { KnowledgeGraph } from '@fuzzqe/core';
import {
  countQueries,
  type Dataset,
  type DrawnSet,
  openPatterns,
  openQueries,
  readDataset,
  someQueries,
} from '@fuzzqe/data';
import type { RuleSet } from '@fuzzqe/evidence';
import {
  answerModes,
  type CandidateModel,
  type ComparedModel,
  compareModels,
  createSavedEvaluation,
  type EvaluationMode,
  evaluationModes,
  isAnswerMode,
  readSavedCalibration,
  readSavedRules,
  saveEvaluation,
} from '@fuzzqe/pipeline';
import { type PublishedFigures, publishedFigures, publishedGraphOf, type ReportColumn } from '@fuzzqe/train';
import { formatComparison } from '../evaluation/format-comparison.ts';
import { formatLinks } from '../evaluation/format-links.ts';
import { comparableSet, formatPublished } from '../evaluation/format-published.ts';
import { formatSeeds, meanColumn, spreadOfSeeds } from '../evaluation/format-seeds.ts';
import { formatHalves, formatStrata } from '../evaluation/format-strata.ts';
import { openEvaluated } from '../evaluation/open-evaluated.ts';
import type { TableForm } from '../evaluation/table.ts';
import type { publishedGraphs } from '../options/choices.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { evaluateDegreesOn } from './evaluate-degrees.ts';
import { evaluatePatternFile } from './evaluate-patterns.ts';

/** What `fuzzqe evaluate` was told. */
export interface EvaluateFlags {
  /** A file. */
  readonly requireSignature?: string;
  readonly data: string;
  readonly split?: 'valid' | 'test';
  readonly queries?: string;
  /** Queries of each structure. */
  readonly each?: number;
  readonly published?: (typeof publishedGraphs)[number] | 'none';
  readonly mode: EvaluationMode | 'both' | 'all';
  /** Of CQD-beam. */
  readonly beam?: number;
  readonly profile?: string;
  readonly baselines: boolean;
  readonly by?: 'relation' | 'half-links';
  readonly threads: number;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/** Queries of which many have no hard answer: they judge degrees, and rank nothing. */
const unselected: DrawnSet = 'unselected';

/** Does `fuzzqe evaluate`. */
export async function evaluateModel(
  terminal: Terminal,
  model: string,
  flags: EvaluateFlags,
): Promise<NextCommand> {
  const dataset = await readDataset(flags.data);
  const wanted = {
    ...(flags.queries === undefined ? {} : { queries: flags.queries }),
    ...(flags.split === undefined ? {} : { part: flags.split }),
  };
  const patterns = await openPatterns(flags.data, dataset, wanted);
  if (patterns !== undefined) return evaluatePatternFile(terminal, model, flags, { dataset, file: patterns });
  const file = await openQueries(flags.data, dataset, wanted);
  if (file.set === unselected) return evaluateDegreesOn(terminal, model, flags, { dataset, file });
  const split = file.part === 'valid' ? 'valid' : 'test';
  const evaluated = { set: file.set, part: split };
  const { each } = flags;
  const asked = each === undefined ? file.queries : file.queries.map((part) => someQueries(part, each));
  const isSample = countQueries(asked) < countQueries(file.queries);
  // Papers evaluate all queries of a set.
  const published = isSample ? [] : publishedBeside(dataset, comparableSet(evaluated), flags.published);
  const modes = flags.mode === 'all' ? evaluationModes : flags.mode === 'both' ? answerModes : [flags.mode];
  const models = await openEvaluated(terminal, model, { ...flags, dataset, split, modes });
  const { missing, isFitted } = await calibrationsOf(models);
  const rules = await firstRules(models, dataset.graphs().train);
  const fittedOnAnswers = split === 'valid' && isFitted;
  return interruptible(terminal, async (signal) => {
    const show = createNamedProgress(terminal);
    const comparison = await compareModels({
      dataset,
      split,
      queries: asked,
      models,
      signal,
      baselines: flags.baselines,
      halves: flags.by === 'half-links',
      rules,
      onProgress: (name, done, total) => show(`Evaluating ${name}`, 'queries', done, total),
    });
    terminal.status('');
    const { path, sha256, set } = file;
    const count = countQueries(asked);
    const queries = { path, sha256, count, ...(set === undefined ? {} : { set }) };
    const measured = comparison.columns.slice(-models.length);
    const baselines = comparison.columns.slice(0, -models.length);
    if (flags.json) {
      const spreads = evaluationModes.flatMap((mode) => {
        const seeds = measured.filter((each) => each.mode === mode);
        return seeds.length > 1 ? [[mode, spreadOfSeeds(seeds)] as const] : [];
      });
      const seeds = spreads.length === 0 ? {} : { mrrOfSeeds: Object.fromEntries(spreads) };
      const about = { data: dataset.name, split, queries, model, fittedOnAnswers };
      terminal.out(JSON.stringify({ ...about, ...comparison, published, ...seeds }));
    } else {
      const form = flags.markdown ? 'markdown' : 'text';
      const shown = shownModels(measured);
      print(terminal, { baselines, shown, measured }, form);
      if (flags.by === 'relation')
        terminal.out(`\n${formatLinks(comparison.columns, dataset.vocabulary, form, terminal.columns)}`);
      if (published.length > 0)
        terminal.out(`\n${formatPublished({ models: shown, published, evaluated }, form, terminal.columns)}`);
      const named = set === undefined ? split : `${split}, ${set}`;
      terminal.out(
        `\n${dataset.name}, ${named}: ${count} ${isSample ? `of ${countQueries(file.queries)} ` : ''}queries in ${path},\nsha256 ${sha256}`,
      );
      if (fittedOnAnswers) terminal.out(`\n${notHeldOut}`);
    }
    // After the figures are shown: a run in a folder that cannot be written is evaluated all the same.
    const kept: string[] = [];
    const outdated = new Set<string>();
    for (const [i, { run, mode }] of isSample ? [] : models.entries()) {
      const { checkpoint } = measured[i]!;
      if (run === undefined || checkpoint === undefined || !isAnswerMode(mode)) continue;
      const evaluated = {
        ...({ data: dataset.name, split, mode } as const),
        fittedOnAnswers: fittedOnAnswers && mode === 'sets',
      };
      const { vocabulary } = dataset;
      const keep = createSavedEvaluation(evaluated, queries, measured[i]!, baselines, vocabulary);
      const path = await saveEvaluation(run, keep, checkpoint);
      if (path === undefined) outdated.add(run);
      else kept.push(path);
    }
    if (!flags.json && kept.length > 0) terminal.note(`Kept in ${[...new Set(kept)].join(', ')}`);
    for (const run of outdated)
      terminal.note(
        `${run} has better parameters by now than those that were measured, so that their figures are not kept: evaluate it again when it is trained.`,
      );
    if (flags.mode === 'both' && byMode(measured).length === 1)
      terminal.note(
        'The bundle records held-out facts: its sets would answer from memory, and are left out.',
      );
    const isBundle = models.some(({ run, mode }) => run === undefined && mode === 'sets');
    if (isBundle && split === 'test' && dataset.valid.length > 0)
      terminal.note(
        'The bundle records train facts alone, where the sets of a run know validation facts as well, from which easy answers follow.',
      );
    if (flags.baselines && rules === undefined)
      terminal.note(
        'There are no rules, so that the baseline of rules alone is left out: fuzzqe calibrate mines them.',
      );
    for (const run of missing) terminal.note(`${run} has no calibration: sets took the default.`);
    if (missing.length > 0) return ['calibrate', missing[0]!, '--data', flags.data];
    const run = models[0]?.run;
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

/** What figures on validation queries are worth. */
const notHeldOut =
  'The weights of evidence were fitted on the validation facts that these answers need.\nValidation queries chose the step of the model, too. Only test queries chose nothing.';

/** The runs that answer in mode `sets` without a calibration of their own, and whether others were fitted. Throws as `readSavedCalibration`. */
async function calibrationsOf(
  models: readonly CandidateModel[],
): Promise<{ readonly missing: readonly string[]; readonly isFitted: boolean }> {
  const missing: string[] = [];
  let isFitted = false;
  for (const { mode, run, isFitted: known = false } of models) {
    if (mode !== 'sets') continue;
    const calibration = run === undefined ? undefined : await readSavedCalibration(run);
    if (run !== undefined && calibration === undefined) missing.push(run);
    isFitted ||= known || (calibration !== undefined && calibration.fitted !== null);
  }
  return { missing, isFitted };
}

/** The rules of the first model that has some. Throws as `readSavedRules`. */
async function firstRules(
  models: readonly CandidateModel[],
  facts: KnowledgeGraph,
): Promise<RuleSet | undefined> {
  for (const { folder } of models) {
    const rules = folder === undefined ? undefined : await readSavedRules(folder, facts);
    if (rules !== undefined) return rules;
  }
  return undefined;
}

/** The models of each mode that there is. */
function byMode(models: readonly ComparedModel[]): readonly (readonly ComparedModel[])[] {
  return evaluationModes
    .map((wanted) => models.filter(({ mode }) => mode === wanted))
    .filter((found) => found.length > 0);
}

/** Of several seeds their mean in each mode; otherwise the models as they are. */
function shownModels(models: readonly ComparedModel[]): readonly ReportColumn[] {
  return byMode(models).flatMap((ofMode): readonly ReportColumn[] => {
    const { mode } = ofMode[0]!;
    const name = `FuzzQE, ${ofMode.length} seeds${mode === 'embedding' ? '' : `, ${mode}`}`;
    return ofMode.length > 1 ? [meanColumn(name, ofMode)] : ofMode;
  });
}

/** The models next to the baselines; of several seeds their mean there, and each seed in a table of its own. */
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
  for (const ofMode of byMode(measured)) {
    if (ofMode.length > 1) terminal.out(`\n${formatSeeds(ofMode, form, width)}`);
    terminal.out(`\n${formatStrata(ofMode[0]!, form, width)}`);
    const { name, halves } = ofMode[0]!;
    if (halves !== undefined) terminal.out(`\n${formatHalves(name, halves, form, width)}`);
  }
}
