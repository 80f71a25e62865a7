import { availableParallelism } from 'node:os';
import { graphDigest, type Reliability } from '@fuzzqe/bundle';
import { createRandom, expectOptions, FuzzError, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import { createAnswerer, instantiate, structureNames, structures } from '@fuzzqe/core/query';
import { defaultProjection } from '@fuzzqe/core/sets';
import { type Dataset, hasHeldOutFacts, queryRow, sampleQueries } from '@fuzzqe/data';
import {
  createLinkDegrees,
  createRuleIndex,
  defaultWeights,
  drawLinks,
  evidenceTemperatures,
  findTypeRelations,
  fitEvidence,
  type LinkWeights,
  type RuleSet,
  reliabilityOf,
  sampleCandidates,
} from '@fuzzqe/evidence';
import { mineRules } from '@fuzzqe/evidence/mining';
import { degreesBy, type OpenCheckpoint, openCheckpoint } from './open-checkpoint.ts';
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
  /** About how many seconds rules are mined, if the run has none. Default: by the number of facts, 60 at most. */
  readonly seconds?: number | undefined;
  /** Whether a fifth of the links and of the queries are enough. Default false. */
  readonly quick?: boolean | undefined;
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

/** Links that weights are fitted on: with a hidden fact, and without. */
const fittedLinks = { withFact: 1200, without: 1500 } as const;
/** Links that degrees are judged on, and how many of the best unrecorded tails of each. */
const judgedLinks = 3000;
const judgedTails = 5;
/** Queries of each structure that degrees of answers are judged on. */
const judgedQueries = 25;
/** From this degree on an entity is told: lower degrees are no suggestion. */
const leastTold = 0.01;

/** How long rules are mined unless it is said: so many facts a second, up to a minute. */
const usualSeconds = (facts: number): number => Math.min(60, Math.max(2, facts / 5000));

/**
 * Mines rules, fits what joins the evidence of links, and compares degrees with what was found; keeps all of it in the run's folder.
 *
 * Weights are fitted on links of the training facts, with the validation facts hidden; degrees are judged on the facts of the test, which fit
 * nothing. Without validation facts the weights are the usual ones, and `fitted` says so.
 *
 * @throws FuzzError `checkpoint`: the run has no checkpoint, or one of another graph than the data set's. `interrupted`: the signal was raised.
 */
export async function calibrateRun(task: CalibrationTask): Promise<CalibrationResult> {
  expectOptions('calibrateRun', task, ['run', 'dataset']);
  const { run, dataset, threads, signal } = task;
  const { train } = dataset.graphs();
  const digest = await graphDigest(train);
  const checkpoint = await openCheckpoint(run, { trained: train, threads, digest, signal });
  try {
    const rules = await openRules(task, train);
    const { weights, fitted } = await fitLinks(task, checkpoint, rules);
    const sets = { projection: defaultProjection, fitted, weights, rules };
    const reliability = await judge(task, checkpoint, sets);
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

async function openRules(task: CalibrationTask, facts: KnowledgeGraph): Promise<RuleSet> {
  const { run, seconds, renewRules = false, onProgress, signal, threads } = task;
  const known = renewRules ? undefined : await readSavedRules(run, facts);
  if (known !== undefined) return known;
  const { relationCount, rules } = await mineRules(facts, {
    random: createRandom('rules'),
    seconds: seconds ?? usualSeconds(facts.edgeCount / 2),
    workers: Math.min(threads, availableParallelism()) - 1,
    onProgress: ({ done, total, round }) =>
      onProgress?.(`Mining rules, round ${round + 1}`, 'relations', done, total),
    ...(signal === undefined ? {} : { signal }),
  });
  return { relationCount, rules };
}

/** Weights of the evidence, by the validation facts. */
async function fitLinks(
  { dataset, quick = false, onProgress, signal }: CalibrationTask,
  { state, scores }: OpenCheckpoint,
  rules: RuleSet,
): Promise<{ readonly weights: LinkWeights; readonly fitted: SavedCalibration['fitted'] }> {
  const { train } = dataset.graphs();
  const typeRelations = findTypeRelations(dataset.vocabulary);
  const { relationCount } = train;
  if (!hasHeldOutFacts(dataset, 'valid')) {
    const temperature = state.model.relationForm === 'blocks' ? 1 : 20;
    return { weights: defaultWeights(relationCount, { temperature, typeRelations }), fitted: null };
  }
  const part = quick ? 0.2 : 1;
  const links = drawLinks({
    facts: train,
    hidden: dataset.valid,
    random: createRandom('links', 'valid'),
    withFact: Math.ceil(part * fittedLinks.withFact),
    without: Math.ceil(part * fittedLinks.without),
    typeRelations,
  });
  const sample = await sampleCandidates({
    ...{ facts: train, rules: createRuleIndex(rules), scores, links, typeRelations },
    temperatures: evidenceTemperatures,
    onProgress: (done, total) =>
      onProgress?.('Looking at links of the validation facts', 'links', done, total),
    signal,
  });
  const knownShare = validShare(dataset);
  const { weights } = fitEvidence(sample, { relationCount, typeRelations, knownShare, hasModel: true });
  const found = sample.found.reduce((sum, each) => sum + each, 0);
  return {
    weights,
    fitted: { links: links.length, candidates: sample.found.length, found, knownShare },
  };
}

/** How degrees compare with what was found among the test facts; null where none are held out. */
async function judge(
  task: CalibrationTask,
  checkpoint: OpenCheckpoint,
  sets: Pick<SavedCalibration, 'projection' | 'weights' | 'rules'>,
): Promise<SavedCalibration['reliability']> {
  const { dataset, quick = false } = task;
  if (!hasHeldOutFacts(dataset, 'test')) return null;
  const { trainValid: facts } = dataset.graphs();
  const evidence = { ...sets, facts, recordedShare: recordedShareOf(dataset) };
  const part = quick ? 0.2 : 1;
  const links = await judgeLinks(task, checkpoint, evidence, Math.ceil(part * judgedLinks));
  return { links, answers: await judgeAnswers(task, checkpoint, evidence, Math.ceil(part * judgedQueries)) };
}

/** The share of the hidden facts that a test records; 0 without test facts, of which nobody knows how many are missing. */
export function recordedShareOf(dataset: Pick<Dataset, 'valid' | 'test'>): number {
  return dataset.valid.length === 0 || dataset.test.length === 0 ? 0 : validShare(dataset);
}

type JudgedEvidence = Parameters<typeof degreesBy>[1];

/** Of all plausible links the best unrecorded tails: said, and found among the test facts. */
async function judgeLinks(
  { dataset, onProgress, signal }: CalibrationTask,
  { scores }: OpenCheckpoint,
  { facts, weights, rules, recordedShare }: JudgedEvidence,
  most: number,
): Promise<Reliability> {
  const degrees = createLinkDegrees({ facts, rules: createRuleIndex(rules), weights, scores, recordedShare });
  const { typeRelations } = weights;
  const links = drawLinks({
    ...{ facts, hidden: dataset.test, typeRelations },
    random: createRandom('links', 'test'),
    // All plausible links alike: links with a hidden fact are as seldom here as they are.
    withFact: 0,
    without: most,
    mixed: true,
  });
  const [said, found]: [number[], number[]] = [[], []];
  const atOnce = Math.max(1, Math.min(64, Math.floor(2 ** 22 / facts.entityCount)));
  for (let start = 0; start < links.length; start += atOnce) {
    if (signal?.aborted) throw new FuzzError('interrupted', 'calibration: stopped');
    const some = links.slice(start, start + atOnce);
    const rows = await degrees.rows(
      Int32Array.from(some, ({ head }) => head),
      Int32Array.from(some, ({ relation }) => relation),
    );
    some.forEach(({ head, relation, hidden }, i) => {
      const row = rows.subarray(i * facts.entityCount, (i + 1) * facts.entityCount);
      for (const tail of facts.tails(head, relation)) row[tail] = -1;
      for (const id of bestOf(row, judgedTails)) {
        said.push(row[id]!);
        found.push(hidden.has(id) ? 1 : 0);
      }
    });
    onProgress?.('Comparing links with test facts', 'links', start + some.length, links.length);
  }
  return reliabilityOf(said, found);
}

/** Entities of the highest degrees above 0. */
function bestOf(row: Float32Array, count: number): number[] {
  const best: number[] = [];
  for (let id = 0; id < row.length; id += 1) {
    if (row[id]! <= 0 || (best.length === count && row[id]! <= row[best[count - 1]!]!)) continue;
    let at = best.length;
    while (at > 0 && row[best[at - 1]!]! < row[id]!) at -= 1;
    best.splice(at, 0, id);
    if (best.length > count) best.pop();
  }
  return best;
}

/** Of queries that were drawn whether an answer is missing or not the entities that would be told and are not recorded: said and found. */
async function judgeAnswers(
  { dataset, onProgress, signal }: CalibrationTask,
  checkpoint: OpenCheckpoint,
  evidence: JudgedEvidence,
  each: number,
): Promise<Reliability | null> {
  const { full } = dataset.graphs();
  const degrees = degreesBy(checkpoint, evidence);
  const [known, all] = [createAnswerer(evidence.facts), createAnswerer(full)];
  const random: Random = createRandom('answers');
  const [said, found]: [number[], number[]] = [[], []];
  for (const [done, structure] of structureNames.entries()) {
    onProgress?.('Comparing answers with test facts', 'structures', done, structureNames.length);
    const drawn = await sampleQueries({
      ...{ structure, count: each, smaller: null, larger: full, patience: 500 },
      random: random.fork(structure),
      ...(signal === undefined ? {} : { signal }),
    });
    const { template } = structures[structure];
    for (let row = 0; row < drawn.count; row += 1) {
      const { anchors, relations } = queryRow(drawn, row);
      const recorded = known.answer(template, anchors, relations).clone();
      const answers = all.answer(template, anchors, relations);
      const [set] = await degrees([instantiate(template, anchors, relations)]);
      set!.forEach((degree, id) => {
        if (degree < leastTold || recorded.has(id)) return;
        said.push(degree);
        found.push(answers.has(id) ? 1 : 0);
      });
    }
  }
  return said.length === 0 ? null : reliabilityOf(said, found);
}
