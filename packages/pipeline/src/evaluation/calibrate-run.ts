import { availableParallelism } from 'node:os';
import { graphDigest } from '@fuzzqe/bundle';
import { createRandom, expectOptions, type KnowledgeGraph } from '@fuzzqe/core';
import { defaultProjection } from '@fuzzqe/core/sets';
import type { Dataset } from '@fuzzqe/data';
import { mostCompared } from '@fuzzqe/engine';
import {
  defaultWeights,
  entailedGraph,
  findTypeRelations,
  type LinkWeights,
  type RuleSet,
} from '@fuzzqe/evidence';
import { mineRules } from '@fuzzqe/evidence/mining';
import { defaultSets } from '@fuzzqe/export';
import { calibrationParts } from './calibration-parts.ts';
import { fitLikeness } from './fit-likeness.ts';
import { fitLinks } from './fit-links.ts';
import { hiddenFacts, withEntailed } from './hidden-facts.ts';
import { judgeDegrees } from './judge-degrees.ts';
import { type OpenCheckpoint, openCheckpoint, setsStateBy } from './open-checkpoint.ts';
import {
  readSavedCalibration,
  readSavedRules,
  type SavedCalibration,
  saveCalibration,
} from './saved-calibration.ts';

/** What is calibrated, on what. */
export interface CalibrationTask {
  readonly run: string;
  readonly dataset: Dataset;
  readonly threads: number;
  /** About how many seconds rules are mined, if the run has none. Default: rounds by the number of facts, whose rules are the same on every machine. */
  readonly seconds?: number | undefined;
  /** Whether a fifth of the links and of the queries are enough. Default: whether the graph has more than 250 000 entities. */
  readonly quick?: boolean | undefined;
  /** The share of the usual test links and queries that degrees are judged on, in (0, 1]. Default 1, or a fifth if it is quick. */
  readonly judged?: number | undefined;
  /** Whether rules are mined again where the run has some. Default false. */
  readonly renewRules?: boolean | undefined;
  readonly onProgress?: (what: string, unit: string, done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A calibration, and where it is kept. */
export interface CalibrationResult {
  readonly calibration: SavedCalibration;
  readonly path: string;
}

/** The share of links and queries that are enough for a quick calibration. */
const quickPart = 0.2;
/** Each link is compared with all entities: with more entities, a whole calibration takes an hour. */
const mostWhole = 250_000;

/** What progress says of a round of mining, and of the fit. */
export const miningRound = (round: number): string => `Mining rules, round ${round + 1}`;
export const lookingAtLinks = 'Looking at links of the validation facts';

/**
 * Mines rules, fits what joins the evidence of links, and compares degrees with what was found; keeps all of it in the run's folder.
 *
 * Weights are fitted on links of the training facts, with the validation facts hidden; degrees are judged on the facts of the test, which fit
 * nothing. Without test facts half of 1000 validation facts or more fit the weights and the other half judges degrees, as `calibrationParts` splits
 * them. With fewer than 20 validation facts the weights are the default ones, and `fitted` is null.
 *
 * @throws FuzzError `checkpoint`: the run has no checkpoint, or one of another graph than the data set's. `interrupted`: the signal was raised.
 * @example
 * const { calibration } = await calibrateRun({ run: 'runs/mine', dataset, threads: 2 });
 */
export async function calibrateRun(given: CalibrationTask): Promise<CalibrationResult> {
  expectOptions('calibrateRun', given, ['run', 'dataset']);
  const { quick = given.dataset.graphs().train.entityCount > mostWhole } = given;
  const task = { ...given, dataset: calibrationParts(given.dataset), part: quick ? quickPart : 1 };
  const { run, dataset, threads, signal } = task;
  const { train } = dataset.graphs();
  const digest = await graphDigest(train);
  const checkpoint = await openCheckpoint(run, { trained: train, threads, digest, signal });
  try {
    const rules = await openRules(task, train);
    const facts = dataset.graphs().trainValid;
    const entailed = entailedGraph(facts, dataset.vocabulary);
    const { weights, fitted } = await fitKnown(task, rules, checkpoint);
    const likeness =
      train.entityCount > mostCompared
        ? 0
        : fitLikeness({ train, held: dataset.valid, vectors: await checkpoint.vectors() });
    const sets = {
      ...{ projection: defaultProjection, fitted, weights, rules },
      ...(likeness > 0 ? { likeness } : {}),
    };
    const evidence = { ...sets, facts, entailed, recordedShare: recordedShareOf(dataset) };
    const reliability = await judgeDegrees(
      { ...task, part: task.judged ?? task.part },
      { ...setsStateBy(checkpoint, evidence), entailed, typeRelations: weights.typeRelations },
    );
    const calibration = { checkpoint: checkpoint.checkpoint, ...sets, reliability };
    return { calibration, path: await saveCalibration(run, calibration, train) };
  } finally {
    await checkpoint.close();
  }
}

/**
 * The calibration that a run has, or a new one, which is kept.
 *
 * Throws as `calibrateRun` and `readSavedCalibration`.
 */
export async function openCalibration(task: CalibrationTask): Promise<SavedCalibration> {
  expectOptions('openCalibration', task, ['run', 'dataset']);
  return (await readSavedCalibration(task.run)) ?? (await calibrateRun(task)).calibration;
}

/** The share of the hidden facts that are those of validation: the others count as false when weights are fitted. */
export function validShare({ valid, test }: Pick<Dataset, 'valid' | 'test'>): number {
  return valid.length === 0 ? 1 : valid.length / (valid.length + test.length);
}

/** How many rounds of rules are mined unless seconds are given: later rounds find rules that hold for few heads, and large graphs take long. */
export const usualRounds = (facts: number): number => (facts <= 5e5 ? 4 : facts <= 5e6 ? 2 : 1);

/** The rules in the folder of a run, or rules that are mined and not kept. Throws as `readSavedRules`. `interrupted`: the signal was raised. */
export async function openRules(
  task: Omit<CalibrationTask, 'dataset'>,
  facts: KnowledgeGraph,
): Promise<RuleSet> {
  const { run, seconds, renewRules = false, onProgress, signal, threads } = task;
  const known = renewRules ? undefined : await readSavedRules(run, facts);
  if (known !== undefined) return known;
  const { relationCount, rules } = await mineRules(facts, {
    random: createRandom('rules'),
    ...(seconds === undefined ? { rounds: usualRounds(facts.edgeCount / 2) } : { seconds }),
    workers: Math.min(threads, availableParallelism()) - 1,
    onProgress: ({ done, total, round }) => onProgress?.(miningRound(round), 'relations', done, total),
    ...(signal === undefined ? {} : { signal }),
  });
  return { relationCount, rules };
}

/** Weights of the evidence, by the validation facts; the usual weights if there are too few facts. Without a `model`, only the other evidence gets weights. */
export async function fitKnown(
  { dataset, part, onProgress, signal }: Omit<CalibrationTask, 'run'> & { readonly part: number },
  rules: RuleSet,
  model?: Pick<OpenCheckpoint, 'scores' | 'model'>,
): Promise<{ readonly weights: LinkWeights; readonly fitted: SavedCalibration['fitted'] }> {
  const { vocabulary } = dataset;
  const { train, trainValid } = dataset.graphs();
  const typeRelations = findTypeRelations(vocabulary);
  const fit = await fitLinks({
    ...hiddenFacts(train, withEntailed(trainValid, vocabulary), vocabulary),
    ...{ rejected: dataset.rejected, knownShare: validShare(dataset), rules, typeRelations },
    ...{ part, signal, scores: model?.scores },
    onProgress: (done, total) => onProgress?.(lookingAtLinks, 'links', done, total),
  });
  if (fit !== undefined) return fit;
  const weights =
    model === undefined
      ? defaultWeights(train.relationCount, { typeRelations })
      : defaultSets(model.model, typeRelations).weights;
  return { weights, fitted: null };
}

/** The share of the hidden facts that a test records; 0 without test facts, of which nobody knows how many are missing. */
export function recordedShareOf(dataset: Pick<Dataset, 'valid' | 'test'>): number {
  return dataset.valid.length === 0 || dataset.test.length === 0 ? 0 : validShare(dataset);
}
