import type { KnowledgeGraph } from '@fuzzqe/core';
import { logicOf, type ModelConfig, type Parameters } from '@fuzzqe/core/model';
import {
  answerSet,
  type Calibration,
  linkDegrees,
  type Members,
  projectedSet,
  type SetOperators,
} from '@fuzzqe/core/sets';
import { createProgram, input, type Program, parameter } from '@fuzzqe/core/tensor';
import { emitOnnx } from '@fuzzqe/onnx';
import * as ort from 'onnxruntime-node';
import { structureOf } from '../sampling/query-structure.ts';
import type { Scorer } from '../training/scorer.ts';
import { openOperators } from '../training/scorer-operators.ts';

/** What a scorer by fuzzy sets is made from. */
export interface SetsScorerOptions {
  readonly model: ModelConfig;
  readonly parameters: Parameters;
  /** The recorded facts: their links have degree 1. */
  readonly facts: KnowledgeGraph;
  readonly calibration: Calibration;
  readonly threads: number;
}

/**
 * A scorer that answers by fuzzy sets over entities: the model predicts links, and logic does the rest.
 *
 * Scores are degrees in [0, 1]. Runs on the CPU through onnxruntime-node; a query costs one product of members and
 * entities a projection.
 */
export async function createSetsScorer(options: SetsScorerOptions): Promise<Omit<Scorer, 'load'>> {
  const { model, parameters, facts, calibration, threads } = options;
  const { entities: entityCount, dimension: d } = model;
  const operators = await openOperators(model, threads);
  await operators.load(parameters);
  const table = operators.entities(Int32Array.from({ length: entityCount }, (_, id) => id));
  const programs = setPrograms(model, calibration);
  const open = (program: Program): Promise<ort.InferenceSession> =>
    ort.InferenceSession.create(emitOnnx(program), {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
      logSeverityLevel: 3,
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
  const sessions = {
    project: await open(programs.project),
    and: await open(programs.and),
    or: await open(programs.or),
    negation: await open(programs.negation),
  };
  const floats = (data: Float32Array, shape: readonly number[]): ort.Tensor =>
    new ort.Tensor('float32', data, shape);
  const tableTensor = floats(table, [entityCount, d]);
  const run = async (
    session: ort.InferenceSession,
    feeds: Record<string, ort.Tensor>,
  ): Promise<Float32Array> => {
    const result = new Float32Array(entityCount);
    await session.run(feeds, { set: floats(result, [1, entityCount]) });
    return result;
  };
  const set = (data: Float32Array): ort.Tensor => floats(data, [1, entityCount]);
  // One mask for all runs: filling it and clearing what was filled costs less than a new one.
  let mask = new Float32Array(entityCount);

  const setOperators: SetOperators = {
    async project({ ids, degrees }: Members, relation) {
      const count = ids.length;
      if (mask.length < count * entityCount) mask = new Float32Array(count * entityCount);
      const counts = new Float32Array(count);
      const tails = Array.from(ids, (id) => facts.tails(id, relation));
      tails.forEach((each, row) => {
        counts[row] = each.length;
        for (const tail of each) mask[row * entityCount + tail] = 1;
      });
      const projected = await operators.project(
        operators.entities(ids),
        new Int32Array(count).fill(relation),
      );
      const result = await run(sessions.project, {
        projected: floats(projected, [count, d]),
        recorded: floats(mask.subarray(0, count * entityCount), [count, entityCount]),
        counts: floats(counts, [count, 1]),
        membership: floats(degrees, [count, 1]),
        table: tableTensor,
      });
      tails.forEach((each, row) => {
        for (const tail of each) mask[row * entityCount + tail] = 0;
      });
      return result;
    },
    and: (left, right) => run(sessions.and, { left: set(left), right: set(right) }),
    or: (left, right) => run(sessions.or, { left: set(left), right: set(right) }),
    negation: (left) => run(sessions.negation, { left: set(left) }),
  };

  return {
    async score(named, anchors, relations, rows) {
      const structure = structureOf<string>(named);
      const scores = new Float32Array(rows * entityCount);
      for (let row = 0; row < rows; row += 1) {
        const slots = {
          anchors: anchors.subarray(row * structure.anchors, (row + 1) * structure.anchors),
          relations: relations.subarray(row * structure.relations, (row + 1) * structure.relations),
        };
        const degrees = await answerSet(setOperators, calibration, entityCount, structure.template, slots);
        scores.set(degrees, row * entityCount);
      }
      return scores;
    },
    async close() {
      await operators.close();
      for (const session of Object.values(sessions)) await session.release();
    },
  };
}

function setPrograms(
  model: ModelConfig,
  calibration: Calibration,
): Record<'project' | 'and' | 'or' | 'negation', Program> {
  const { entities, dimension: d } = model;
  const logic = logicOf(model);
  const projected = input('projected', 'float', ['m', d]);
  const recorded = input('recorded', 'float', ['m', entities]);
  const counts = input('counts', 'float', ['m', 1]);
  const membership = input('membership', 'float', ['m', 1]);
  const links = { projected, recorded, counts, entities: parameter('table', [entities, d]) };
  const left = input('left', 'float', [1, entities]);
  const right = input('right', 'float', [1, entities]);
  const degrees = linkDegrees(model, calibration, links);
  return {
    project: createProgram({
      name: 'project-set',
      inputs: [projected, recorded, counts, membership],
      outputs: { set: projectedSet(logic, calibration.support, degrees, membership) },
    }),
    and: createProgram({
      name: 'and',
      inputs: [left, right],
      outputs: { set: logic.conjunction(left, right) },
    }),
    or: createProgram({
      name: 'or',
      inputs: [left, right],
      outputs: { set: logic.disjunction(left, right) },
    }),
    negation: createProgram({ name: 'negation', inputs: [left], outputs: { set: logic.negation(left) } }),
  };
}
