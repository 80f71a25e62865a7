import {
  createKnowledgeGraph,
  createRandom,
  FuzzError,
  type KnowledgeGraph,
  type Random,
} from '@fuzzqe/core';
import { type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import { answersOf, type SampledQueries } from '@fuzzqe/data';
import type { ModelConfig } from '@fuzzqe/model';
import { gatheredAnswers, isMasked, isOfDrawnAnswers, type TrainingConfig } from '../config.ts';
import { createLinkDraw } from '../links/link-draw.ts';
import { logOfNothing } from '../loss/loss.ts';
import { logProposals, maskAnswers, negativesOf, placeRejected } from '../negatives/negatives.ts';
import { adamWDefaults } from '../optimiser/adamw.ts';
import { type LastStretch, scheduleShare } from '../optimiser/schedule.ts';
import { isRegularised } from '../regulariser/regularisers.ts';
import type { Feeds } from '../runtimes/training-runtime.ts';
import { groupRows, type RowGrouping } from '../step/row-groups.ts';
import type { StepProgram } from '../step/step-program.ts';

/** Gives the feeds of any step of a run. */
export interface BatchSource {
  /** The same step always gives the same feeds, whatever was asked before: that is what makes a run resumable. */
  feeds(step: number): Feeds;
}

/** What a batch is made to fit: the layout of a step program and how many entities it compares answers with. */
export interface BatchShape extends Pick<StepProgram, 'layout' | 'negatives'> {
  /** Of a run with an open end, where its last stretch is known. */
  readonly stretch?: LastStretch | undefined;
  /** Steps that the optimiser made before the first one. Default 0. */
  readonly optimised?: number | undefined;
}

/** What batches are drawn from. */
export interface BatchMaterial {
  readonly graph: KnowledgeGraph;
  /** For every structure of the batch but 1p, which is drawn from the graph's own edges. */
  readonly queries: readonly SampledQueries[];
  /** Links that somebody rejected: flat h, r, t. Default: none. */
  readonly rejected?: Int32Array | undefined;
}

/** One query drawn for a batch: its slots and its answers on the training graph. */
interface Drawn {
  readonly anchors: ArrayLike<number>;
  readonly relations: ArrayLike<number>;
  readonly answers: Int32Array;
  /** Of a link; absent if it has none. */
  readonly rejected?: Int32Array | undefined;
}

/** The rows of a pool that have answers: a query without any teaches nothing. */
function answeredRows({ count, easy }: SampledQueries): Int32Array {
  return Int32Array.from({ length: count }, (_, row) => row).filter(
    (row) => easy.offsets[row + 1]! > easy.offsets[row]!,
  );
}

/** Whether a pool has a query with an answer. */
function isAnswered({ count, easy }: SampledQueries): boolean {
  return count > 0 && easy.offsets[count]! > easy.offsets[0]!;
}

/** Throws 'config' for the first structure of a batch, 1p aside, of which there are no queries with answers. */
export function expectQueries(layout: StepProgram['layout'], queries: BatchMaterial['queries']): void {
  for (const { structure } of layout.groups)
    if (structure !== '1p' && !queries.some((pool) => pool.structure === structure && isAnswered(pool)))
      throw new FuzzError('config', `the batch asks for ${structure} queries, but none were sampled`, {
        path: `$.batch.${structure}`,
        hint: 'sample training queries of this structure, or set its count to 0',
      });
}

/**
 * The configuration without the structures, 1p aside, of which no query has an answer: small graphs do not have all.
 *
 * @throws FuzzError `usage`: none is left, and a batch would hold no query.
 */
export function fitBatch(
  config: TrainingConfig,
  queries: BatchMaterial['queries'],
): { readonly config: TrainingConfig; readonly missing: readonly StructureName[] } {
  const missing = structureNames.filter(
    (name) =>
      name !== '1p' &&
      (config.batch[name] ?? 0) > 0 &&
      !queries.some((pool) => pool.structure === name && isAnswered(pool)),
  );
  const batch = { ...config.batch, ...Object.fromEntries(missing.map((name) => [name, 0])) };
  if (!structureNames.some((name) => (batch[name] ?? 0) > 0)) throw emptyBatch(missing);
  if (missing.length === 0) return { config, missing };
  return { config: { ...config, batch }, missing };
}

function emptyBatch(missing: readonly StructureName[]): FuzzError {
  const dropped = missing.length === 0 ? '' : `There are no training queries of ${missing.join(', ')}. `;
  return new FuzzError(
    'usage',
    'batch: expected at least one structure with a count above 0 that has training queries, got none',
    {
      path: '$.batch',
      hint: `${dropped}Give a count to one that has some, such as 1p, which is drawn from the facts themselves.`,
    },
  );
}

/**
 * Draws batches for a step program.
 *
 * 1p queries are drawn from the graph (`links`), queries of other structures from those of their pools that have answers. Each
 * has one of its answers drawn, or up to `answers` of them; all of them are masked among the entities it is compared with. The rejected tails of
 * a 1p query are always among its negatives.
 */
export function createBatchSource(
  model: ModelConfig,
  config: TrainingConfig,
  { layout, negatives, stretch, optimised = 0 }: BatchShape,
  material: BatchMaterial,
): BatchSource {
  expectQueries(layout, material.queries);
  const isOfFacts = config.targets === 'facts';
  const atMost = gatheredAnswers(config);
  const pools = new Map(material.queries.map((pool) => [pool.structure, { pool, rows: answeredRows(pool) }]));
  const { scope, open } = negativesOf(config.negatives);
  const sample = { ...config.negatives, count: negatives };
  const drawNegatives = open(sample, material.graph);
  const { entityCount, relationCount } = material.graph;
  const { rejected: links = new Int32Array() } = material;
  const rejections =
    links.length === 0 ? undefined : createKnowledgeGraph({ entityCount, relationCount, triples: links });
  const corrections = logProposals(sample, material.graph);
  const drawLink = createLinkDraw(material.graph, config.links);
  const draw = (structure: string, random: Random): Drawn => {
    if (structure === '1p') {
      const { head, relation, tails } = drawLink(random);
      const rejected = rejections?.tails(head, relation);
      return { anchors: [head], relations: [relation], answers: tails, rejected };
    }
    const { pool, rows } = pools.get(structure as SampledQueries['structure'])!;
    const { anchors, relations } = structures[pool.structure];
    const row = rows[random.below(rows.length)]!;
    return {
      anchors: pool.anchors.subarray(row * anchors, (row + 1) * anchors),
      relations: pool.relations.subarray(row * relations, (row + 1) * relations),
      answers: answersOf(pool.easy, row),
    };
  };

  return {
    feeds(at) {
      const random = createRandom(config.seed, 'batch', at);
      const drawn = layout.groups.map(({ structure, count }) =>
        Array.from({ length: count }, () => draw(structure, random)),
      );
      const rows = drawn.flat();
      const named = new Int32Array(layout.anchors + rows.length * atMost);
      let position = 0;
      layout.groups.forEach(({ structure }, group) => {
        for (let slot = 0; slot < structures[structure].anchors; slot += 1)
          for (const query of drawn[group]!) named[position++] = query.anchors[slot]!;
      });
      const answers = rows.map((query) => query.answers);
      const chosen = (isOfFacts ? drawFacts : drawAnswers)(answers, atMost, random);
      named.set(chosen.ids, layout.anchors);
      const ids = drawNegatives(rows.length, random);
      const places = placeRejected(
        scope,
        rows.map((query) => query.rejected),
        ids,
        negatives,
      );
      const entityRows = new Int32Array(named.length + ids.length);
      entityRows.set(named);
      entityRows.set(ids, named.length);

      const levels = layout.levels.map((parts, level) => {
        const relations = new Int32Array(layout.rows[level]!);
        let row = 0;
        for (const part of parts)
          for (const query of drawn[part.group]!) relations[row++] = query.relations[part.relation]!;
        return relations;
      });
      const { learningRate, schedule } = config.optimiser;
      const rate = learningRate * scheduleShare(schedule, at, { steps: config.steps, stretch });
      const feeds: Record<string, Feeds[string]> = {
        entityRows: { shape: [entityRows.length], data: entityRows },
        ...chosen.feeds,
        learningRate: number(rate),
        correction1: number(1 / (1 - adamWDefaults.beta1 ** (optimised + at + 1))),
        correction2: number(1 / (1 - adamWDefaults.beta2 ** (optimised + at + 1))),
      };
      if (isMasked(config))
        feeds['masked'] = {
          shape: [rows.length, negatives],
          data: maskAnswers(scope, answers, ids, { width: negatives, entities: model.entities }),
        };
      if (corrections !== undefined)
        feeds['logWeights'] = {
          shape: scope === 'batch' ? [1, negatives] : [rows.length, negatives],
          // A tail that is there in any case stands for itself alone.
          data: Float32Array.from(ids, (id, at) => (places.has(at) ? 0 : corrections[id]!)),
        };
      if (isOfDrawnAnswers(config)) feeds['logAnswersFor'] = logAnswersFor(answers, atMost);
      if (isOfFacts) addFacts(feeds, answers, model.entities, config);
      if (config.projection === 'grouped') addGroups(feeds, groupRows(levels, model.relations, model.bases));
      levels.forEach((relations, level) => {
        if (config.projection === 'outer')
          feeds[`relations.${level}`] = { shape: [relations.length], data: relations };
        const shape = [relations.length, model.dimension];
        for (const [name, share] of [
          ['keptInputs', config.dropout.input],
          ['keptOutputs', config.dropout.output],
        ] as const)
          if (share > 0)
            feeds[`${name}.${level}`] = {
              shape,
              data: drawDropoutMask(relations.length * model.dimension, share, random),
            };
      });
      return feeds;
    },
  };
}

function addGroups(feeds: Record<string, Feeds[string]>, { relations, levels }: RowGrouping): void {
  feeds['groupRelations'] = { shape: [relations.length], data: relations };
  levels.forEach(({ capacity, rows, places }, level) => {
    feeds[`rows.${level}`] = { shape: [relations.length, capacity], data: rows };
    feeds[`places.${level}`] = { shape: [places.length], data: places };
  });
}

/** What a step of facts is fed. */
function addFacts(
  feeds: Record<string, Feeds[string]>,
  answers: readonly Int32Array[],
  entities: number,
  config: TrainingConfig,
): void {
  const facts = answers.reduce((sum, { length }) => sum + length, 0);
  const column = (data: Float32Array): Feeds[string] => ({ shape: [data.length, 1], data });
  if (isMasked(config)) {
    feeds['tailShares'] = column(Float32Array.from(answers, ({ length }) => 1 / length));
  } else {
    const places = answers.flatMap((each, link) => Array.from(each, (id) => link * entities + id));
    feeds['facts'] = { shape: [facts], data: Int32Array.from(places) };
    feeds['factShare'] = number(1 / facts);
  }
  feeds['linkWeights'] = column(
    Float32Array.from(answers, ({ length }) => (length * answers.length) / facts),
  );
  if (!isRegularised(config)) return;
  const tails = new Float32Array(entities);
  for (const each of answers) for (const id of each) tails[id]! += 1 / facts;
  feeds['tails'] = column(tails);
}

function number(value: number): Feeds[string] {
  return { shape: [1], data: Float32Array.of(value) };
}

/** The entities that a batch names besides its anchors, in the place of A answers of each query, and what tells of them. */
interface Chosen {
  /** [B · A] */
  readonly ids: Int32Array;
  readonly feeds: Readonly<Record<string, Feeds[string]>>;
}

/** Up to `atMost` answers of each query, with their shares where there are several. */
function drawAnswers(answers: readonly Int32Array[], atMost: number, random: Random): Chosen {
  const ids = new Int32Array(answers.length * atMost);
  const shares = new Float32Array(ids.length);
  answers.forEach((each, row) => {
    const chosen = choose(each, atMost, random);
    for (let a = 0; a < atMost; a += 1) {
      // A query with fewer answers has its first one again, which then counts nothing.
      ids[row * atMost + a] = chosen[a] ?? chosen[0]!;
      shares[row * atMost + a] = a < chosen.length ? 1 / chosen.length : 0;
    }
  });
  return {
    ids,
    feeds: atMost > 1 ? { answerShares: { shape: [answers.length, atMost], data: shares } } : {},
  };
}

/** ln of how many known answers each of those stands for that `drawAnswers` draws. */
function logAnswersFor(answers: readonly Int32Array[], atMost: number): Feeds[string] {
  const data = answers.flatMap(({ length }) => {
    const drawn = Math.min(length, atMost);
    return Array.from({ length: atMost }, (_, a) => (a < drawn ? Math.log(length / drawn) : logOfNothing));
  });
  return { shape: [answers.length, atMost], data: Float32Array.from(data) };
}

/**
 * As many facts as `perLink` for each link, each as likely as any other, and each as often as the others but for one time
 * (systematic sampling, which leaves out none where as many are drawn as there are).
 */
function drawFacts(tails: readonly Int32Array[], perLink: number, random: Random): Chosen {
  const ids = new Int32Array(tails.length * perLink);
  if (perLink === 0) return { ids, feeds: {} };
  const links = new Int32Array(ids.length);
  const facts = tails.reduce((sum, { length }) => sum + length, 0);
  const start = random.uniform();
  let link = 0;
  let before = 0;
  for (let i = 0; i < ids.length; i += 1) {
    const fact = Math.min(facts - 1, Math.floor(((i + start) * facts) / ids.length));
    while (fact >= before + tails[link]!.length) before += tails[link++]!.length;
    links[i] = link;
    ids[i] = tails[link]![fact - before]!;
  }
  return { ids, feeds: { predicted: { shape: [links.length], data: links } } };
}

/** Some of the answers, no one twice: `count` of them or all there are (Floyd's sampling). */
function choose(answers: Int32Array, count: number, random: Random): number[] {
  const chosen: number[] = [];
  for (let last = Math.max(0, answers.length - count); last < answers.length; last += 1) {
    const drawn = answers[random.below(last + 1)]!;
    chosen.push(chosen.includes(drawn) ? answers[last]! : drawn);
  }
  return chosen;
}

/**
 * A truth value for each element that stays: each goes with the probability `dropout`, to 2⁻⁴⁰.
 *
 * A byte decides for all but one in 256 elements; the one whose byte is the threshold's own is decided by 32 bits more.
 */
export function drawDropoutMask(size: number, dropout: number, random: Random): Uint8Array {
  const kept = new Uint8Array(size);
  const threshold = Math.floor(dropout * 256);
  const rest = Math.round((dropout * 256 - threshold) * 2 ** 32);
  let word = 0;
  for (let i = 0; i < size; i += 1) {
    word = i % 4 === 0 ? random.uint32() : word >>> 8;
    const byte = word & 0xff;
    kept[i] = byte > threshold || (byte === threshold && random.uint32() >= rest) ? 1 : 0;
  }
  return kept;
}
