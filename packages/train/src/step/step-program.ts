import { FuzzError } from '@fuzzqe/core';
import {
  add,
  concat,
  constant,
  createProgram,
  gather,
  input,
  mul,
  type Program,
  parameter,
  reshape,
  scalar,
  slice,
  type Tensor,
  toFloat,
  where,
} from '@fuzzqe/core/tensor';
import {
  entityEmbedding,
  familyOf,
  groupedProjection,
  logicOf,
  type ModelConfig,
  type OfParameters,
  outerProjection,
  type ProjectionDropout,
  parameterNamesOf,
  relationWeights,
  trainedParameters,
} from '@fuzzqe/model';
import { gatheredAnswers, isMasked, isOfDrawnAnswers, type TrainingConfig } from '../config.ts';
import { batchLoss, learnedScalars, scoreScale } from '../loss/losses.ts';
import { relationLoss } from '../loss/relation-loss.ts';
import { isWeightedSample, type Negatives, negativesOf, negativesWidth } from '../negatives/negatives.ts';
import type { AdamWSettings } from '../optimiser/adamw.ts';
import { type OccurringRows, regularised } from '../regulariser/regularisers.ts';
import { type BatchLayout, embedBatch } from './batch-layout.ts';
import { expectFamily } from './expect-family.ts';
import { expectLinks, factFeeds } from './fact-targets.ts';
import { nextState, parameterUpdates } from './parameter-updates.ts';

/** The names of what a training step learns: the model's tensors and those of the loss. */
export function learnedNames({ loss, model }: Pick<TrainingConfig, 'loss' | 'model'>): readonly string[] {
  return [...parameterNamesOf(model), ...learnedScalars(loss).map(({ tensor }) => tensor)];
}

/** The names of all tensors that a step carries to the next: every learned tensor and AdamW's two sums. */
export function stateNames(config: Pick<TrainingConfig, 'loss' | 'model'>): readonly string[] {
  return learnedNames(config).flatMap((name) => [name, `${name}.sum`, `${name}.squareSum`]);
}

/** A training step as one program: feeds and state in; the loss and the next state out. */
export interface StepProgram {
  /** Inputs are the feeds, parameters the state, outputs `loss` and, for every state tensor, `next.<name>`. */
  readonly program: Program;
  /** The same step without AdamW, for a runtime that has its own. */
  readonly gradientStep: GradientStep;
  readonly layout: BatchLayout;
  /** How many entities each answer is compared with. */
  readonly negatives: number;
}

/** The loss and the gradients of a step, and how AdamW is to use them. */
export interface GradientStep {
  /**
   * Inputs are the feeds but AdamW's three numbers; outputs `loss` and, for every learned tensor, `gradient.<name>`: all
   * its elements in their order, or some rows, with `rows.<name>` saying which. Rows of one number are added.
   */
  readonly gradients: Program;
  /** AdamW's settings of every learned tensor, by name. */
  readonly settings: ReadonlyMap<string, AdamWSettings>;
  /** The tensors of which AdamW leaves the rows that a step does not name as they are, sums included. */
  readonly byRow: ReadonlySet<string>;
}

/**
 * Builds the training step: embed the batch, compare with entities, differentiate, and update by AdamW.
 *
 * Feeds (int unless said otherwise): `entityRows` the anchors, the answers and, unless all entities are compared
 * with, the negatives; for the grouped projection `groupRelations` [groups] and for each level h `rows.h` [groups,
 * capacity] and `places.h` [rows], for the outer one `relations.h` [rows]; with dropout, `keptInputs.h` and
 * `keptOutputs.h` [rows, d] bool; where `isMasked` says so, `masked` [B, M] bool; with negatives by degree `logWeights`
 * [1 or B, M] float; with known answers counted next to a sample `logAnswersFor` [B, A] float; of facts what `factFeeds`
 * names; `learningRate`, `correction1`, `correction2` [1] float.
 *
 * @throws FuzzError `config`: a sample of negatives that is larger than the graph, or drawn by degree for a loss that
 *   does not correct for it; for known answers that are to count in a loss other than the softmax's; for rows that are
 *   updated where they are used, and all of them are; for relations to predict without links; and as `expectFamily` and
 *   `expectLinks`.
 */
export function stepProgram(served: ModelConfig, config: TrainingConfig, layout: BatchLayout): StepProgram {
  const family = familyOf(served);
  const model = family.trained(served);
  const learned = trainedParameters(model);
  const ofLoss = Object.fromEntries(
    learnedScalars(config.loss).map(({ tensor }) => [tensor, parameter(tensor, [1])]),
  );
  const feeds: Tensor[] = [];
  const feed = (tensor: Tensor): Tensor => {
    feeds.push(tensor);
    return tensor;
  };

  const batch = layout.queries;
  const isOfFacts = config.targets === 'facts';
  if (isOfFacts) expectLinks(config, layout, model.entities);
  const answers = gatheredAnswers(config);
  const { scope } = negativesOf(config.negatives);
  const count = negativesWidth(config.negatives, model.entities);
  const isWeighted = isWeightedSample(config.negatives);
  if (isWeighted && config.loss.name !== 'softmax')
    throw new FuzzError('config', `the ${config.loss.name} loss cannot correct for negatives by degree`, {
      path: '$.negatives.byDegree',
      hint: 'leave it at 0, or take the softmax loss',
    });
  if (config.loss.knownAnswers === 'counted' && config.loss.name !== 'softmax')
    throw new FuzzError(
      'config',
      `knownAnswers "counted": expected the softmax loss, got ${config.loss.name}`,
      {
        path: '$.loss.knownAnswers',
        hint: 'leave it at "masked", or take the softmax loss',
      },
    );
  expectFamily(model, config, layout);
  const links = linksOf(layout);
  if (config.relationPrediction > 0) expectToPredict(links);
  if (config.optimiser.rows === 'used') expectRows(config, scope);
  const sampled = { all: 0, batch: count, query: batch * count }[scope];
  const entityRows = feed(input('entityRows', 'int', [layout.anchors + batch * answers + sampled]));
  // With all entities to compare with, the whole table is mapped once; otherwise only the rows that are needed.
  const table = scope === 'all' ? entityEmbedding(model, learned.entities) : undefined;
  const answersAt = layout.anchors;
  const negativesAt = answersAt + batch * answers;
  // Anchors and answers apart from the sample: to cut rows off would copy all of them.
  // By their places, because a slice of whole numbers runs on the CPU where the rest is on a graphics processor.
  const embedded = (from: number, to: number): Tensor => {
    const places = constant(
      Array.from({ length: to - from }, (_, i) => from + i),
      [to - from],
      'int',
    );
    return entityEmbedding(model, gather(learned.entities, gather(entityRows, places)));
  };
  const vectors = table === undefined ? embedded(0, negativesAt) : gather(table, entityRows);
  const sample = table ?? embedded(negativesAt, negativesAt + sampled);

  const dropped = (name: string, level: number, share: number, x: Tensor): Tensor => {
    if (share === 0) return x;
    const kept = feed(input(`${name}.${level}`, 'bool', [layout.rows[level]!, model.dimension]));
    return where(kept, mul(x, scalar(1 / (1 - share))), scalar(0));
  };
  const { project, blocks } =
    config.projection === 'grouped'
      ? groupedForm(model, learned, layout, feed)
      : outerForm(model, learned, layout, feed);
  const entering = slice(vectors, 0, layout.anchors);
  const anchors = family.anchor?.(model, entering, 1) ?? entering;
  const queries = embedBatch(layout, logicOf(model, learned), anchors, (level, x) =>
    project(level, x, {
      input: (entering) => dropped('keptInputs', level, config.dropout.input, entering),
      output: (normalised) => dropped('keptOutputs', level, config.dropout.output, normalised),
    }),
  );

  const ofEachQuery = (x: Tensor, n: number): Tensor => reshape(x, [batch, n, x.shape[1]!]);
  const answersIn = (answered: Tensor): Tensor => (answers === 1 ? answered : ofEachQuery(answered, answers));
  const masked = isMasked(config) ? feed(input('masked', 'bool', [batch, count])) : undefined;
  const drawn =
    answers > 1 && !isOfFacts ? feed(input('answerShares', 'float', [batch, answers])) : undefined;
  const facts = isOfFacts ? factFeeds(layout, model, config, feed) : undefined;
  const shares = facts?.ofEachTail === undefined ? drawn : mul(toFloat(masked!), facts.ofEachTail);
  const loss = batchLoss(model, config.loss, {
    queries,
    ...(isOfFacts ? {} : { answers: answersIn(slice(vectors, answersAt, negativesAt)) }),
    ...(facts?.known === undefined ? {} : { known: facts.known }),
    ...(shares === undefined ? {} : { shares }),
    others: scope === 'query' ? ofEachQuery(sample, count) : sample,
    ...(masked === undefined ? {} : { masked }),
    ...(isWeighted
      ? { logWeights: feed(input('logWeights', 'float', [scope === 'batch' ? 1 : batch, count])) }
      : {}),
    ...(isOfDrawnAnswers(config)
      ? { logAnswersFor: feed(input('logAnswersFor', 'float', [batch, answers])) }
      : {}),
    learned: ofLoss,
    ...(facts === undefined ? queryWeights(config, layout) : { weights: facts.weights }),
  });
  const perQuery = (layout.anchors + batch) / batch;
  const scale = scoreScale(config.loss, ofLoss);
  const penalised = regularised(model, config.regularisers, loss, {
    entities:
      facts === undefined
        ? [{ rows: slice(vectors, 0, negativesAt), shares: occurrenceShares(layout, drawn) }]
        : [
            {
              rows: slice(vectors, 0, answersAt),
              shares: mul(facts.weights, scalar(1 / (perQuery * batch))),
            },
            ...(facts.tails === undefined
              ? []
              : [{ rows: sample, shares: mul(facts.tails, scalar(1 / perQuery)) }]),
          ],
    ...(blocks === undefined ? {} : { blocks: occurringBlocks(blocks, batch, facts?.weights) }),
    perQuery,
    scale,
  });
  const objective =
    config.relationPrediction === 0
      ? penalised
      : add(
          penalised,
          mul(
            relationLoss(model, {
              ...(facts?.ofPredicted === undefined
                ? {
                    heads: slice(vectors, 0, links),
                    blocks: slice(blocks![0]!, 0, links),
                    shares: drawn && slice(drawn, 0, links),
                  }
                : {
                    heads: gather(vectors, facts.ofPredicted),
                    blocks: gather(blocks![0]!, facts.ofPredicted),
                  }),
              tails: slice(vectors, answersAt, answersAt + links * answers),
              relations: learned.coefficients,
              scale,
            }),
            scalar(config.relationPrediction),
          ),
        );
  const about = { name: 'training-step', description: `One FuzzQE training step of ${batch} queries.` };
  const updates = parameterUpdates(config, { ...learned, ...ofLoss }, objective);
  const gradientsAlone = createProgram({
    ...about,
    inputs: [...feeds],
    outputs: {
      loss: objective,
      ...Object.fromEntries(updates.flatMap(({ name, gradient }) => gradientOutputs(name, gradient))),
    },
  });
  const outputs = { loss: objective, ...nextState(updates, feed) };
  const program = createProgram({ ...about, inputs: feeds, outputs });
  const settings = new Map(updates.map((update) => [update.name, update.settings]));
  const byRow = new Set(config.optimiser.rows === 'used' ? ['entities'] : []);
  return { program, gradientStep: { gradients: gradientsAlone, settings, byRow }, layout, negatives: count };
}

/** How many links a batch has: 1p queries, which stand before all others. */
function linksOf({ groups: [first] }: BatchLayout): number {
  return first?.structure === '1p' ? first.count : 0;
}

/** Throws 'config' where a step has no relations to predict. */
function expectToPredict(links: number): void {
  if (links > 0) return;
  throw new FuzzError('config', 'relationPrediction: expected 1p queries in the batch', {
    path: '$.relationPrediction',
    hint: 'change that, or leave it at 0',
  });
}

/** Throws 'config' where a step has a gradient for every entity, so that none is left as it is. */
function expectRows({ optimiser }: TrainingConfig, scope: Negatives['scope']): void {
  const [path, expected] =
    scope === 'all'
      ? [
          '$.negatives',
          'a sample of negatives from the first step to the last ("shared" or "own", allFrom 1)',
        ]
      : optimiser.clipNorm > 0
        ? ['$.optimiser.clipNorm', 'gradients that are not clipped (0)']
        : [];
  if (path === undefined) return;
  throw new FuzzError('config', `optimiser.rows "used": expected ${expected}`, {
    path,
    hint: 'change that, or update all rows: "optimiser": {"rows": "all"}',
  });
}

/** A gradient without its last operation, where that would only copy it: into another shape, or among rows of zeros. */
function gradientOutputs(name: string, gradient: Tensor): (readonly [string, Tensor])[] {
  if (gradient.op === 'reshape') return gradientOutputs(name, gradient.inputs[0]!);
  if (gradient.op !== 'scatterAdd') return [[`gradient.${name}`, gradient]];
  const [rows, values] = gradient.inputs;
  return [
    [`gradient.${name}`, values!],
    [`rows.${name}`, rows!],
  ];
}

/** One level's projection of a step: its rows, and what dropout does to them. */
type LevelProjection = (level: number, x: Tensor, dropout: ProjectionDropout) => Tensor;
/** The projections of a step; where relations are blocks, with those of each level's rows. */
interface StepProjections {
  readonly project: LevelProjection;
  readonly blocks?: readonly Tensor[];
}
type Learned = OfParameters<Tensor>;
type DeclareFeed = (tensor: Tensor) => Tensor;

/** Rows gathered by relation: W_r is formed once for each group, for all levels together. */
function groupedForm(
  model: ModelConfig,
  learned: Learned,
  layout: BatchLayout,
  feed: DeclareFeed,
): StepProjections {
  const coefficients = gather(learned.coefficients, feed(input('groupRelations', 'int', ['groups'])));
  const relations = relationWeights(model, { ...learned, coefficients });
  const groups = layout.rows.map((rows, level) => ({
    rows: feed(input(`rows.${level}`, 'int', ['groups', `capacity.${level}`])),
    places: feed(input(`places.${level}`, 'int', [rows])),
  }));
  return {
    project: (level, x, dropout) => groupedProjection(model, relations, x, groups[level]!, dropout),
  };
}

/** One matrix product with all bases for each level, or none with blocks; the relation of each row is fed as it is. */
function outerForm(
  model: ModelConfig,
  learned: Learned,
  layout: BatchLayout,
  feed: DeclareFeed,
): StepProjections {
  const relations = layout.rows.map((rows, level) => feed(input(`relations.${level}`, 'int', [rows])));
  const coefficients = relations.map((ofLevel) => gather(learned.coefficients, ofLevel));
  return {
    project: (level, x, dropout) =>
      outerProjection(model, { ...learned, coefficients: coefficients[level]! }, x, dropout),
    ...(familyOf(model).pairs === undefined ? {} : { blocks: coefficients }),
  };
}

/** The blocks of all levels, a query counting 1 or by its weight. */
function occurringBlocks(
  blocks: readonly Tensor[],
  queries: number,
  weights: Tensor | undefined,
): OccurringRows {
  const each = constant([1 / queries], [1, 1]);
  return { rows: concat(blocks), shares: weights === undefined ? each : mul(weights, each) };
}

/** How much each anchor and each answer counts among all of the batch, in all 1; a query's answers count as one. [n, 1]. */
function occurrenceShares(layout: BatchLayout, answerShares: Tensor | undefined): Tensor {
  const { anchors, queries } = layout;
  const each = 1 / (anchors + queries);
  const alike = (count: number): Tensor => constant(new Array<number>(count).fill(each), [count, 1]);
  if (answerShares === undefined) return alike(anchors + queries);
  const [batch, answers] = answerShares.shape as [number, number];
  return concat([alike(anchors), mul(reshape(answerShares, [batch * answers, 1]), scalar(each))]);
}

/** How much each query of the batch counts, scaled to a mean of 1; nothing where all count the same. */
function queryWeights({ weights }: TrainingConfig, layout: BatchLayout): { readonly weights?: Tensor } {
  if (Object.keys(weights).length === 0) return {};
  const each = layout.groups.flatMap(({ structure, count }) =>
    new Array<number>(count).fill(weights[structure] ?? 1),
  );
  const mean = each.reduce((total, weight) => total + weight, 0) / each.length;
  return {
    weights: constant(
      each.map((weight) => weight / mean),
      [each.length, 1],
    ),
  };
}
