import {
  createProgram,
  entityEmbedding,
  gather,
  groupedProjection,
  input,
  logicOf,
  type ModelConfig,
  mul,
  type ParameterName,
  type Program,
  parameter,
  parameterNames,
  relationWeights,
  reshape,
  scalar,
  slice,
  type Tensor,
  trainedParameters,
  where,
} from '@fuzzqe/core';
import { gradients } from '../autodiff/gradients.ts';
import type { TrainingConfig } from '../config.ts';
import { type LossInputs, lossOf } from '../loss/loss.ts';
import { adamW, adamWDefaults } from '../optimiser/adamw.ts';
import { type BatchLayout, embedBatch } from './batch-layout.ts';

/** The names of what a training step learns: the model and the temperature of the softmax loss. */
export const learnedNames: readonly string[] = [...parameterNames, 'logTemperature'];

/** The names of all tensors that a step carries to the next: every learned tensor and its two running means. */
export const stateNames: readonly string[] = learnedNames.flatMap((name) => [
  name,
  `${name}.mean`,
  `${name}.square`,
]);

/** A training step as one program: feeds and state in; the loss and the next state out. */
export interface StepProgram {
  /** Inputs are the feeds, parameters the state, outputs `loss` and, for every state tensor, `next.<name>`. */
  readonly program: Program;
  readonly layout: BatchLayout;
  /** How many entities each answer is compared with. */
  readonly negatives: number;
}

/**
 * Builds the training step: embed the batch, compare with entities, differentiate, and move by AdamW.
 *
 * Feeds (int unless said otherwise): `entityRows` the anchors, the answers and, unless all entities are compared
 * with, the negatives; `groupRelations` [groups]; for each level h `rows.h` [groups, capacity], `places.h` [rows] and,
 * with dropout, `kept.h` [rows, d] bool; `masked` [B, M] bool; `learningRate`, `correction1`, `correction2` [1] float.
 */
export function stepProgram(model: ModelConfig, config: TrainingConfig, layout: BatchLayout): StepProgram {
  const learned = trainedParameters(model);
  const logTemperature = parameter('logTemperature', [1]);
  const feeds: Tensor[] = [];
  const feed = (tensor: Tensor): Tensor => {
    feeds.push(tensor);
    return tensor;
  };

  const batch = layout.queries;
  const all = config.negatives.kind === 'all';
  const own = config.negatives.kind === 'own';
  const count = all ? model.entities : config.negatives.count;
  const sampled = all ? 0 : own ? batch * count : count;
  const entityRows = feed(input('entityRows', 'int', [layout.anchors + batch + sampled]));
  // With all entities to compare with, the whole table is mapped once; otherwise only the rows that are needed.
  const table = all ? entityEmbedding(model, learned.entities) : undefined;
  const vectors =
    table === undefined
      ? entityEmbedding(model, gather(learned.entities, entityRows))
      : gather(table, entityRows);
  const answersAt = layout.anchors;
  const negativesAt = answersAt + batch;
  const sample = table ?? slice(vectors, negativesAt, negativesAt + sampled);

  const groupRelations = feed(input('groupRelations', 'int', ['groups']));
  const coefficients = gather(learned.coefficients, groupRelations);
  const relations = relationWeights(model, coefficients, learned.bases, learned.biasBases);
  const groups = layout.rows.map((rows, level) => ({
    rows: feed(input(`rows.${level}`, 'int', ['groups', `capacity.${level}`])),
    places: feed(input(`places.${level}`, 'int', [rows])),
  }));
  const queries = embedBatch(layout, logicOf(model), slice(vectors, 0, layout.anchors), (level, x) => {
    if (config.dropout === 0) return groupedProjection(model, relations, x, groups[level]!);
    const kept = feed(input(`kept.${level}`, 'bool', [layout.rows[level]!, model.dimension]));
    const thinned = where(kept, mul(x, scalar(1 / (1 - config.dropout))), scalar(0));
    return groupedProjection(model, relations, thinned, groups[level]!);
  });

  const lossInputs: LossInputs = {
    queries,
    positives: slice(vectors, answersAt, answersAt + batch),
    negatives: own ? reshape(sample, [batch, count, model.dimension]) : sample,
    masked: feed(input('masked', 'bool', [batch, count])),
    logTemperature,
    entities: model.entities,
  };
  const loss = lossOf(config.loss, lossInputs);
  const outputs = { loss, ...nextState(config, feed, { ...learned, logTemperature }, loss) };
  const program = createProgram({
    name: 'training-step',
    description: `One FuzzQE training step of ${batch} queries.`,
    inputs: feeds,
    outputs,
  });
  return { program, layout, negatives: count };
}

function nextState(
  config: TrainingConfig,
  feed: (tensor: Tensor) => Tensor,
  learned: Readonly<Record<ParameterName | 'logTemperature', Tensor>>,
  loss: Tensor,
): Record<string, Tensor> {
  const step = {
    learningRate: feed(input('learningRate', 'float', [1])),
    correction1: feed(input('correction1', 'float', [1])),
    correction2: feed(input('correction2', 'float', [1])),
  };
  // The margin loss has no temperature: its state is carried along unchanged, so that every run has the same state.
  const moving = Object.entries(learned).filter(
    ([name]) => name !== 'logTemperature' || config.loss.name === 'softmax',
  );
  const grads = gradients(
    loss,
    moving.map(([, tensor]) => tensor),
  );
  const next: Record<string, Tensor> = {};
  for (const [name, tensor] of Object.entries(learned)) {
    const state = {
      parameter: tensor,
      mean: parameter(`${name}.mean`, tensor.shape),
      square: parameter(`${name}.square`, tensor.shape),
    };
    const at = moving.findIndex(([moved]) => moved === name);
    const settings = {
      ...adamWDefaults,
      weightDecay:
        name === 'entities'
          ? config.optimiser.entityDecay
          : name === 'logTemperature'
            ? 0
            : config.optimiser.decay,
      rateScale: name === 'logTemperature' ? 2 : 1,
    };
    const moved = at < 0 ? state : adamW(settings, step, state, grads[at]!);
    next[`next.${name}`] = moved.parameter;
    next[`next.${name}.mean`] = moved.mean;
    next[`next.${name}.square`] = moved.square;
  }
  return next;
}
