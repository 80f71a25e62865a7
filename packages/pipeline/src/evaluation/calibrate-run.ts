import { graphDigest, manyEntities } from '@fuzzqe/bundle';
import { createRandom, expectOptions, FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import type { LogicName } from '@fuzzqe/core/logic';
import { defaultCalibration, type LinkProbability } from '@fuzzqe/core/sets';
import {
  type Dataset,
  hasHeldOutFacts,
  queryFileOf,
  readQueryFileOf,
  type SampledQueries,
  someQueries,
} from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';
import {
  type CalibrationInput,
  type CandidateSample,
  calibrationPart,
  calibrationTemperatures,
  candidateTemperature,
  degreesOf,
  type FittedCalibration,
  fitCalibration,
  fitLinkProbability,
  type LogLoss,
  linkCandidates,
  loadBest,
  logLossOf,
  logShareOf,
  openSetsScorer,
  type PrecisionThreshold,
  precisionFrom,
  precisionThreshold,
  probabilityTemperatures,
  reliabilityOf,
  type SetsScorer,
  type SetsScorerOptions,
} from '@fuzzqe/train';
import { expectSameGraph } from './expect-same-graph.ts';
import { readSavedCalibration, type SavedCalibration, saveCalibration } from './saved-calibration.ts';

/** Validation queries with the SHA-256 of their file. */
export interface CalibrationQueries {
  readonly parts: readonly SampledQueries<string>[];
  readonly sha256: string;
}

/** What is calibrated, on what. */
export interface CalibrationTask {
  readonly run: string;
  readonly dataset: Dataset;
  /** Of all structures; undefined where there are none. */
  readonly queries: CalibrationQueries | undefined;
  /** How many of each structure are taken. Default: 50. */
  readonly each?: number;
  readonly threads: number;
  /** Of more entities than this the numbers are fitted on a part of the graph. Default: 2¹⁶. */
  readonly manyEntities?: number;
  /** How many entities the part has, at most `manyEntities`. Default: 2¹⁵. */
  readonly entitiesOfPart?: number;
  /** A share of links that are to be right: asks from which degree and probability on they are. */
  readonly precision?: number;
  readonly onProgress?: (what: string, unit: string, done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** A calibration, and what it says of a wished precision. */
export interface CalibrationResult {
  readonly calibration: SavedCalibration;
  readonly path: string;
  readonly thresholds: readonly LinkThreshold[];
  /** Of probabilities on facts of the test; undefined where none are held out. */
  readonly logLoss: LogLoss | undefined;
}

/** From where on links that are not recorded are right as often as wished; undefined where that is nowhere. */
export interface LinkThreshold {
  readonly of: 'degree' | 'probability';
  readonly valid: PrecisionThreshold | undefined;
  /** The same threshold on facts of the test; undefined where none are held out. */
  readonly test: PrecisionThreshold | undefined;
}

const queriesOfStructure = 50;
/** Links with held-out facts that probabilities are fitted and tested on, and the candidates of each. */
const drawnLinks = 3000;
const candidatesOfLink = 50;
const usualPart = 2 ** 15;
/** What a step has to gain there, where fewer of the answers and of the facts are. */
const leastGainOfPart = 0.002;

/**
 * Fits how a run's best checkpoint answers by fuzzy sets, and keeps it in the run's folder.
 *
 * Degrees are fitted on validation queries, the default stands where there are none; probabilities of links on the validation
 * facts, and tested on those of the test, which fits nothing. Of more than 2¹⁶ entities degrees are fitted on a part of the graph
 * with these queries, of which `fitted.each` is how many of each structure have a place there at least, and fewer links are drawn the more there are, so that only these links take time by the entity.
 *
 * @throws FuzzError `checkpoint`: the run has no checkpoint, or one of another graph than the data set's. `interrupted`: the signal was raised.
 */
export async function calibrateRun(task: CalibrationTask): Promise<CalibrationResult> {
  expectOptions('calibrateRun', task, ['run', 'dataset']);
  const { run, dataset, queries, threads, signal, onProgress } = task;
  const each = task.each ?? queriesOfStructure;
  const { entitiesOfPart = usualPart } = task;
  const { state, checkpoint, parameters } = await loadBest(run);
  const { train } = dataset.graphs();
  expectSameGraph(run, await graphDigest(train), state.data.sha256);
  const withSets = async <T>(
    scored: Pick<SetsScorerOptions, 'model' | 'parameters' | 'facts' | 'whole'>,
    work: (sets: SetsScorer) => Promise<T>,
  ): Promise<T> => {
    const sets = await openSetsScorer({
      ...{
        ...scored,
        threads,
        temperatures: [...calibrationTemperatures, ...probabilityTemperatures, candidateTemperature],
      },
      ...(task.manyEntities === undefined ? {} : { manyEntities: task.manyEntities }),
      onLinks: (done, total) => {
        throwIfAborted(signal);
        onProgress?.('Summing over all entities', 'links', done, total);
      },
    });
    try {
      return await work(sets);
    } finally {
      await sets.close();
    }
  };
  const sampleOf = async (
    sets: SetsScorer,
    recorded: KnowledgeGraph,
    part: 'valid' | 'test',
    known?: Int32Array,
  ): Promise<CandidateSample | undefined> => {
    if (!hasHeldOutFacts(dataset, part)) return undefined;
    const found = await linkCandidates({
      ...{ sets, recorded, heldOut: dataset[part], links: drawnLinks, best: candidatesOfLink },
      ...(known === undefined ? {} : { known }),
      random: createRandom('links', part),
      onProgress: (done, total) => onProgress?.(`Ranking links of the ${part} facts`, 'links', done, total),
      check: () => throwIfAborted(signal),
    });
    return { ...found, best: candidatesOfLink };
  };

  const all: Omit<CalibrationInput, 'whole'> = {
    model: state.model,
    parameters,
    facts: train,
    queries: queries?.parts.map((part) => someQueries(part, each)) ?? [],
  };
  const isLarge = train.entityCount > (task.manyEntities ?? manyEntities);
  const fitOn = (fitted: typeof all, sets: SetsScorer): Promise<FittedCalibration> =>
    fitCalibration({
      queries: fitted.queries,
      entityCount: fitted.facts.entityCount,
      score: (calibration) => sets.score(calibration),
      ...(fitted === all ? {} : { leastGain: leastGainOfPart }),
      onProgress: (done, total) => onProgress?.('Calibrating', 'queries', done, total),
      ...(signal === undefined ? {} : { signal }),
    });
  const hasQueries = all.queries.some(({ count }) => count > 0);
  const fitOnPart = (part: CalibrationInput, { partitions }: SetsScorer): Promise<FittedCalibration> =>
    withSets({ ...part, whole: { ...part.whole!, partitions } }, (sets) => fitOn(part, sets));

  return withSets(all, async (sets) => {
    const part =
      isLarge && hasQueries ? calibrationPart(all, entitiesOfPart, createRandom('calibration')) : undefined;
    const fitOnAll = async () => (hasQueries ? fitOn(all, sets) : undefined);
    const fit = await (part === undefined ? fitOnAll() : fitOnPart(part, sets));
    const calibration = fit?.calibration ?? defaultCalibration;
    const partitions = await sets.partitions(calibration.temperature);
    const fitted =
      fit === undefined
        ? null
        : {
            ...{ queries: queries!.sha256, each: fewestOf(all, part ?? all) },
            ...{ mrr: fit.mrr, defaultMrr: fit.startMrr },
            ...(part === undefined ? {} : { entities: entitiesOfPart }),
          };

    const valid = await sampleOf(sets, train, 'valid');
    const line = valid === undefined ? undefined : await fitLinkProbability(valid, sets.partitions);
    // A second graph and its tables would take the memory once more: a large graph's validation facts are left out beside it.
    const tested = (): Promise<CandidateSample | undefined> =>
      isLarge
        ? sampleOf(sets, train, 'test', dataset.valid)
        : withSets({ ...all, facts: dataset.graphs().trainValid }, (known) =>
            sampleOf(known, dataset.graphs().trainValid, 'test'),
          );
    const test = line === undefined || !hasHeldOutFacts(dataset, 'test') ? undefined : await tested();
    const probability: LinkProbability | null =
      line === undefined ? null : { ...line, test: test === undefined ? null : reliabilityOf(line, test) };

    const kept = { checkpoint, calibration, partitions, fitted, probability };
    const path = await saveCalibration(run, kept);
    return {
      calibration: kept,
      path,
      thresholds: thresholdsOf(state.model.logic, task.precision, kept, valid, test),
      logLoss: line === undefined || test === undefined ? undefined : logLossOf(line, test),
    };
  });
}

/** The validation queries in the folder of a data set; undefined where there are none. Throws as `readQueryFileOf`. */
export async function readCalibrationQueries(
  folder: string,
  dataset: Dataset,
): Promise<CalibrationQueries | undefined> {
  if (!(await pathExists(queryFileOf(folder, 'valid')))) return undefined;
  const { queries, sha256 } = await readQueryFileOf(folder, dataset, 'valid');
  return { parts: queries, sha256 };
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

function thresholdsOf(
  logic: LogicName,
  precision: number | undefined,
  { calibration, partitions, probability }: SavedCalibration,
  valid: CandidateSample | undefined,
  test: CandidateSample | undefined,
): LinkThreshold[] {
  if (precision === undefined || valid === undefined || probability === null) return [];
  const measures: readonly (readonly [
    LinkThreshold['of'],
    (candidates: CandidateSample['candidates']) => readonly number[],
  ])[] = [
    ['degree', (candidates) => degreesOf(logic, calibration, partitions, candidates)],
    ['probability', (candidates) => candidates.map((candidate) => logShareOf(probability, candidate))],
  ];
  return measures.map(([of, measure]) => {
    const found = precisionThreshold(measure(valid.candidates), valid.candidates, precision);
    const onTest =
      found === undefined || test === undefined
        ? undefined
        : precisionFrom(found.from, measure(test.candidates), test.candidates);
    return { of, valid: found, test: onTest };
  });
}

/** How many queries of a structure that had some are fitted on, at least: one, in a part too, else there is no part. */
function fewestOf(all: Pick<CalibrationInput, 'queries'>, part: Pick<CalibrationInput, 'queries'>): number {
  return Math.min(...part.queries.flatMap(({ count }, i) => (all.queries[i]!.count > 0 ? [count] : [])));
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new FuzzError('interrupted', 'calibration: stopped');
}
