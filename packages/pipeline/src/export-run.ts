import { createRandom, expectOptions, FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import { type Dataset, queryRow, type SampledQueries } from '@fuzzqe/data';
import {
  type ExportProgress,
  exportBundle,
  type GoldenQuery,
  type ProfileName,
  type RecordedFacts,
  randomGoldenQueries,
  type TargetName,
  type ValidationQuery,
} from '@fuzzqe/export';
import { type ModelConfig, structuresOf } from '@fuzzqe/model';
import { loadBest, loadRefit } from '@fuzzqe/train';
import type { SavedCalibration } from './evaluation/saved-calibration.ts';

/** Golden queries of each structure in a bundle, and how many entities each of them lists. */
const goldenPerStructure = 4;
const goldenK = 10;
/**
 * Validation queries of each structure that a profile is measured on, unless the task says otherwise.
 *
 * Each query reads every entity in float64, so a large model is measured on fewer queries: `10⁸ / (|E| d)`, in [4, 20].
 */
function measuredPerStructure({ entities, dimension }: Pick<ModelConfig, 'entities' | 'dimension'>): number {
  return Math.max(4, Math.min(20, Math.floor(1e8 / (entities * dimension))));
}

/** What is counted in each stage of an export. */
export const exportStageLabels: Readonly<
  Record<ExportProgress['stage'], readonly [what: string, unit: string]>
> = {
  weights: ['Writing weights', 'relations'],
  golden: ['Answering golden queries', 'profiles'],
  quality: ['Measuring profiles', 'queries'],
};

/** What `exportRun` needs. */
export interface ExportTask {
  readonly run: string;
  readonly dataset: Dataset;
  /** The graph of its training facts; anyone who holds it from the calibration on saves building it again. */
  readonly graph?: KnowledgeGraph;
  /** Where golden queries are taken from; random ones stand in for structures that it lacks. */
  readonly valid: readonly SampledQueries[];
  /** How it answers by fuzzy sets. */
  readonly calibration: SavedCalibration;
  readonly directory: string;
  readonly name: string;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** Where the bundle is to be used. Default `node`. */
  readonly target?: TargetName;
  /** Default: that of the target. */
  readonly profiles?: readonly ProfileName[];
  /** Which facts are recorded. Default: as `factsToRecord` says. */
  readonly facts?: FactsChoice | undefined;
  readonly maxBytes?: number;
  /** Validation queries of each structure that profiles are measured on; by default a few. */
  readonly measured?: number | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ExportProgress) => void;
}

/** Which facts a bundle records: those that were trained on, or those held out as well. */
export const factsChoices = ['train', 'all'] as const;
export type FactsChoice = (typeof factsChoices)[number];

/**
 * Which facts a bundle of a data set records where nobody says: all where this package drew the split, since anyone who gave one file
 * of facts wants all of them in the product, and where the split was given those of the training.
 */
export function factsToRecord({ split }: Pick<Dataset, 'split'>): FactsChoice {
  return split === 'drawn' ? 'all' : 'train';
}

/**
 * Exports the best parameters of a run, or those that learned from all facts for as long, where there are any and all are recorded.
 *
 * @throws FuzzError `checkpoint`: the run has no parameters, or better ones than those that were calibrated; and what `exportBundle` throws.
 * @example
 * const { calibration } = await calibrateRun({ run: 'runs/mine', dataset, threads: 2 });
 * const named = { directory: 'bundles/mine', name: 'mine', metrics: {}, seed: 0 };
 * await exportRun({ run: 'runs/mine', dataset, valid: queries, calibration, ...named });
 */
export async function exportRun(task: ExportTask): ReturnType<typeof exportBundle> {
  expectOptions('exportRun', task, ['run', 'dataset', 'valid', 'calibration', 'directory', 'name']);
  const { state, checkpoint, parameters } = await loadBest(task.run);
  if (task.calibration.checkpoint !== checkpoint)
    throw new FuzzError(
      'checkpoint',
      'the run has better parameters by now than those that were calibrated',
      {
        path: task.run,
        hint: 'Is it being trained? Export it when that has ended.',
      },
    );
  const { checkpoint: _, ...sets } = task.calibration;
  const { dataset, graph: train = dataset.graphs().train } = task;
  const found = task.facts === 'train' ? undefined : await loadRefit(task.run, checkpoint);
  const facts = task.facts ?? (found === undefined ? factsToRecord(dataset) : 'all');
  const refit = facts === 'all' ? found : undefined;
  const stand = randomGoldenQueries(state.model, goldenPerStructure, createRandom('golden', task.seed));
  const embedded = structuresOf(state.model);
  const taken = task.valid.filter(({ structure }) => embedded.includes(structure)).flatMap(goldenQueriesOf);
  const covered = new Set<StructureName>(taken.map(({ structure }) => structure));
  return exportBundle({
    directory: task.directory,
    name: task.name,
    config: state.model,
    parameters: refit?.parameters ?? parameters,
    vocabulary: dataset.vocabulary,
    ...(dataset.attributes === undefined ? {} : { attributes: dataset.attributes }),
    provenances: dataset.provenances,
    graph: refit === undefined ? train : dataset.graphs().full,
    // As it is said of the data by now: to correct a licence or a name is no reason to train again.
    data: { name: dataset.name, licence: dataset.licence, sha256: (refit ?? { state }).state.data.sha256 },
    training: {
      ...state.config,
      step: state.best?.step,
      ...(state.origin === undefined ? {} : { origin: state.origin }),
    },
    metrics: task.metrics,
    sets,
    goldenQueries: [...taken, ...stand.filter(({ structure }) => !covered.has(structure))],
    k: Math.min(goldenK, state.model.entities),
    ...(task.target === undefined ? {} : { target: task.target }),
    ...(task.profiles === undefined ? {} : { profiles: task.profiles }),
    validation: task.valid.flatMap((part) =>
      validationQueriesOf(part, task.measured ?? measuredPerStructure(state.model)),
    ),
    validationFacts: train,
    ...(facts === 'all' ? recordedFacts(dataset, refit !== undefined) : {}),
    ...(task.maxBytes === undefined ? {} : { maxBytes: task.maxBytes }),
    ...(task.signal === undefined ? {} : { signal: task.signal }),
    ...(task.onProgress === undefined ? {} : { onProgress: task.onProgress }),
  });
}

/** The facts of all parts; nothing where no part is held out, since the training facts are all then. */
function recordedFacts(dataset: Dataset, isRefit: boolean): { readonly recorded?: RecordedFacts } {
  const parts = (['train', 'valid', 'test'] as const).filter((part) => dataset[part].length > 0);
  const trained = isRefit ? parts : (['train'] as const);
  return parts.length === 1 ? {} : { recorded: { graph: dataset.graphs().full, parts, trained } };
}

function goldenQueriesOf(queries: SampledQueries): GoldenQuery[] {
  return Array.from({ length: Math.min(goldenPerStructure, queries.count) }, (_, row) => {
    const { anchors, relations } = queryRow(queries, row);
    return { structure: queries.structure, anchors: Array.from(anchors), relations: Array.from(relations) };
  });
}

function validationQueriesOf(queries: SampledQueries, most: number): ValidationQuery[] {
  return Array.from({ length: Math.min(most, queries.count) }, (_, row) => queryRow(queries, row))
    .filter(({ hard }) => hard.length > 0)
    .map(({ anchors, relations, easy, hard }) => ({
      structure: queries.structure,
      anchors: Array.from(anchors),
      relations: Array.from(relations),
      easy: Array.from(easy),
      hard: Array.from(hard),
    }));
}
