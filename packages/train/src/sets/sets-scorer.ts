import type { KnowledgeGraph } from '@fuzzqe/core';
import { logicOf, type ModelConfig, type Parameters } from '@fuzzqe/core/model';
import {
  answerSet,
  type Calibration,
  calibrationInput,
  calibrationValues,
  graphCalibration,
  linkDegrees,
  type Members,
  projectedSet,
  type SetOperators,
} from '@fuzzqe/core/sets';
import { createProgram, input, type Program, parameter } from '@fuzzqe/core/tensor';
import type { QueryScorer } from '@fuzzqe/data';
import * as ort from 'onnxruntime-node';
import { openOrtSession } from '../runtimes/ort-session.ts';
import { logicPrograms, openOperators } from '../training/scorer-operators.ts';

/** What a scorer by fuzzy sets is made from. */
export interface SetsScorerOptions {
  readonly model: ModelConfig;
  readonly parameters: Parameters;
  /** The recorded facts: their links have degree 1. */
  readonly facts: KnowledgeGraph;
  readonly threads: number;
}

/** A model and facts that are ready to answer by fuzzy sets. */
export interface SetsScorer {
  /** A scorer whose scores are degrees in [0, 1]; each projection costs a product of members and entities. */
  score(calibration: Calibration): QueryScorer;
  close(): Promise<void>;
}

/** Opens a model and recorded facts to answer by fuzzy sets, on the CPU through onnxruntime-node. */
export async function openSetsScorer(options: SetsScorerOptions): Promise<SetsScorer> {
  const { model, parameters, facts, threads } = options;
  const { entities: entityCount, dimension: d } = model;
  const operators = await openOperators(model, threads);
  await operators.load(parameters);
  const programs = setPrograms(model);
  const open = (program: Program): Promise<ort.InferenceSession> =>
    openOrtSession(program, {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
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
  const everyEntity = Int32Array.from({ length: entityCount }, (_, id) => id);
  const table = floats(operators.entities(everyEntity), [entityCount, d]);
  const run = async (
    session: ort.InferenceSession,
    feeds: Record<string, ort.Tensor>,
  ): Promise<Float32Array> => {
    const result = new Float32Array(entityCount);
    await session.run(feeds, { result: floats(result, [1, entityCount]) });
    return result;
  };
  const set = (data: Float32Array): ort.Tensor => floats(data, [1, entityCount]);
  // One mask for all runs: filling it and clearing what was filled costs less than a new one.
  let mask = new Float32Array(entityCount);

  const project = async (
    { ids, degrees }: Members,
    relation: number,
    calibration: ort.Tensor,
  ): Promise<Float32Array> => {
    const count = ids.length;
    if (mask.length < count * entityCount) mask = new Float32Array(count * entityCount);
    const tails = Array.from(ids, (id) => facts.tails(id, relation));
    const mark = (value: number): void =>
      tails.forEach((each, row) => {
        for (const tail of each) mask[row * entityCount + tail] = value;
      });
    mark(1);
    const relations = new Int32Array(count).fill(relation);
    const result = await run(sessions.project, {
      projected: floats(await operators.project(operators.entities(ids), relations), [count, d]),
      recorded: floats(mask.subarray(0, count * entityCount), [count, entityCount]),
      counts: floats(
        Float32Array.from(tails, ({ length }) => length),
        [count, 1],
      ),
      membership: floats(degrees, [count, 1]),
      table,
      calibration,
    });
    mark(0);
    return result;
  };

  return {
    score: (calibration) => {
      const numbers = floats(calibrationValues(calibration), [graphCalibration.length]);
      const setOperators: SetOperators = {
        project: (members, relation) => project(members, relation, numbers),
        and: (left, right) => run(sessions.and, { left: set(left), right: set(right) }),
        or: (left, right) => run(sessions.or, { left: set(left), right: set(right) }),
        negation: (left) => run(sessions.negation, { left: set(left) }),
      };
      return async ({ template, ...shape }, anchors, relations, rows) => {
        const scores = new Float32Array(rows * entityCount);
        for (let row = 0; row < rows; row += 1) {
          const slots = {
            anchors: anchors.subarray(row * shape.anchors, (row + 1) * shape.anchors),
            relations: relations.subarray(row * shape.relations, (row + 1) * shape.relations),
          };
          const degrees = await answerSet(setOperators, calibration, entityCount, template, slots);
          scores.set(degrees, row * entityCount);
        }
        return scores;
      };
    },
    async close() {
      await operators.close();
      for (const session of Object.values(sessions)) await session.release();
    },
  };
}

function setPrograms(model: ModelConfig): Record<'project' | 'and' | 'or' | 'negation', Program> {
  const { entities, dimension: d } = model;
  const projected = input('projected', 'float', ['m', d]);
  const recorded = input('recorded', 'float', ['m', entities]);
  const counts = input('counts', 'float', ['m', 1]);
  const membership = input('membership', 'float', ['m', 1]);
  const links = { projected, recorded, counts, entities: parameter('table', [entities, d]) };
  const calibration = calibrationInput();
  const degrees = linkDegrees(model, calibration.numbers, links);
  return {
    project: createProgram({
      name: 'project-set',
      inputs: [projected, recorded, counts, membership, calibration.input],
      outputs: { result: projectedSet(logicOf(model), calibration.numbers.support, degrees, membership) },
    }),
    ...logicPrograms(model, [1, entities]),
  };
}
