import { manyEntities } from '@fuzzqe/bundle';
import { expectOptions, type KnowledgeGraph } from '@fuzzqe/core';
import { logics } from '@fuzzqe/core/logic';
import type { ModelConfig, Parameters } from '@fuzzqe/core/model';
import { instantiate } from '@fuzzqe/core/query';
import {
  answerSets,
  type Calibration,
  calibrationInput,
  calibrationValues,
  createSetLogic,
  entityDirections,
  graphCalibration,
  type LinkCounts,
  type LinkFeeds,
  linkLogits,
  predictedDegrees,
  projectedSet,
  type SetGraphs,
} from '@fuzzqe/core/sets';
import { createProgram, input, type Program, parameter, reshape, type Tensor } from '@fuzzqe/core/tensor';
import type { QueryScorer } from '@fuzzqe/data';
import * as ort from '@fuzzqe/ort';
import { openOrtSession } from '../runtimes/ort-session.ts';
import { openOperators, preparedAtOnce } from '../training/scorer-operators.ts';
import {
  fewestRows,
  type LogPartitionOptions,
  openLogPartitions,
  threadsOfProduct,
} from './log-partitions.ts';

/** The graph that facts are a part of, by the ids of the part. */
export interface WholeGraph extends LinkCounts {
  /** z_r of every relation at a temperature, over all its entities. */
  partitions(temperature: number): Promise<Float32Array>;
}

/** What a scorer by fuzzy sets is made from. */
export interface SetsScorerOptions
  extends Pick<LogPartitionOptions, 'temperatures' | 'onLinks'>,
    Partial<Pick<LogPartitionOptions, 'manyEntities'>> {
  readonly model: ModelConfig;
  readonly parameters: Parameters;
  /** The recorded facts: their links have degree 1. */
  readonly facts: KnowledgeGraph;
  /** Where the facts are a part of a graph: degrees are those of the whole one. */
  readonly whole?: WholeGraph | undefined;
  readonly threads: number;
}

/** A model and facts that are ready to answer by fuzzy sets. */
export interface SetsScorer {
  /**
   * A scorer whose scores are degrees in [0, 1].
   *
   * `partitions` are those of the calibration's temperature; they are measured where they are not given.
   */
  score(calibration: Calibration, partitions?: Float32Array): QueryScorer;
  /**
   * z_r of every relation at a temperature, with the recorded facts; measured once a temperature. Of a part of a graph that of the
   * whole.
   */
  partitions(temperature: number): Promise<Float32Array>;
  close(): Promise<void>;
}

/** How many queries are answered at once: enough to share links, few enough that their sets stay in the cache. */
const answeredAtOnce = 32;

/** Opens a model and recorded facts to answer by fuzzy sets, on the CPU through onnxruntime-node. */
export async function openSetsScorer(options: SetsScorerOptions): Promise<SetsScorer> {
  expectOptions('openSetsScorer', options, ['model', 'parameters', 'facts']);
  const { model, parameters, facts, whole, threads } = options;
  const { entities: entityCount, dimension: d } = model;
  const operators = await openOperators(model, threads);
  await operators.load(parameters);
  const programs = setPrograms(model);
  const open = (program: Program, columns = entityCount): Promise<ort.InferenceSession> =>
    openOrtSession(program, {
      executionProviders: ['cpu'],
      intraOpNumThreads: threadsOfProduct(columns, threads),
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
  const sessions = {
    directions: await open(programs.directions),
    links: await open(programs.links),
    projectSet: await open(programs.projectSet),
  };
  const floats = (data: Float32Array, shape: readonly number[]): ort.Tensor =>
    new ort.Tensor('float32', data, shape);
  const run = async (
    session: ort.InferenceSession,
    feeds: Record<string, ort.Tensor>,
    shape: readonly number[],
  ): Promise<Float32Array> => {
    const result = new Float32Array(shape.reduce((product, count) => product * count, 1));
    await session.run(feeds, { result: floats(result, shape) });
    return result;
  };
  const table = operators.table();
  const vectors = model.entityNormalisation === 'l2' ? table : new Float32Array(table.length);
  // Vectors of length 1 are their directions.
  for (let start = 0; vectors !== table && start < entityCount; start += preparedAtOnce) {
    const end = Math.min(entityCount, start + preparedAtOnce);
    const part = (data: Float32Array): ort.Tensor =>
      floats(data.subarray(start * d, end * d), [end - start, d]);
    await sessions.directions.run({ entities: part(table) }, { result: part(vectors) });
  }
  const directions = floats(vectors, [entityCount, d]);
  const column = (values: Float32Array, rows: number): ort.Tensor => {
    const padded = new Float32Array(rows);
    padded.set(values);
    return floats(padded, [rows, 1]);
  };
  /** P_r(p_h) of links, with rows of zeros where there are too few. */
  const projected = async (heads: Int32Array, relations: Int32Array, rows: number): Promise<ort.Tensor> => {
    const padded = new Float32Array(rows * d);
    padded.set(await operators.project(operators.entities(heads), relations));
    return floats(padded, [rows, d]);
  };

  const graphsOf = (wanted: Calibration): SetGraphs => {
    const calibration = floats(calibrationValues(wanted), [graphCalibration.length]);
    const linkFeeds = async ({ heads, relations, offsets }: LinkFeeds, rows: number) => ({
      projected: await projected(heads, relations, rows),
      directions,
      offsets: column(offsets, rows),
      calibration,
    });
    return {
      async links(feeds) {
        const rows = Math.max(fewestRows, feeds.heads.length);
        return run(sessions.links, await linkFeeds(feeds, rows), [rows, entityCount]);
      },
      async projectSet(feeds) {
        // A row more is a member of degree 0: it leads nowhere.
        const rows = Math.max(fewestRows, feeds.heads.length);
        const given = {
          ...(await linkFeeds({ ...feeds, relations: feeds.heads.map(() => feeds.relation) }, rows)),
          membership: column(feeds.membership, rows),
          recorded: floats(feeds.recorded, [3, entityCount]),
        };
        return run(sessions.projectSet, given, [entityCount]);
      },
      ...createSetLogic(model.logic, wanted),
    };
  };

  const logPartitions =
    whole === undefined
      ? await openLogPartitions({
          ...{ model, facts, directions: vectors, projected, open },
          manyEntities: options.manyEntities ?? manyEntities,
          ...{ temperatures: options.temperatures, onLinks: options.onLinks },
        })
      : { at: whole.partitions, close: async () => {} };

  return {
    partitions: logPartitions.at,
    score: (calibration, given) => {
      const graphs = graphsOf(calibration);
      return async ({ template, ...shape }, anchors, relations, rows) => {
        const partitions = given ?? (await logPartitions.at(calibration.temperature));
        const queries = Array.from({ length: rows }, (_, row) =>
          instantiate(
            template,
            anchors.subarray(row * shape.anchors, (row + 1) * shape.anchors),
            relations.subarray(row * shape.relations, (row + 1) * shape.relations),
          ),
        );
        const scores = new Float32Array(rows * entityCount);
        for (let start = 0; start < rows; start += answeredAtOnce) {
          const some = queries.slice(start, start + answeredAtOnce);
          const state = { calibration, partitions, facts, counts: whole };
          const answers = await answerSets(graphs, state, some);
          answers.forEach(({ degrees }, i) => {
            scores.set(degrees, (start + i) * entityCount);
          });
        }
        return scores;
      };
    },
    async close() {
      await operators.close();
      await logPartitions.close();
      for (const session of Object.values(sessions)) await session.release();
    },
  };
}

type ProgramName = 'directions' | 'links' | 'projectSet';

function setPrograms(model: ModelConfig): Record<ProgramName, Program> {
  const { entities, dimension: d } = model;
  const projected = input('projected', 'float', ['m', d]);
  const offsets = input('offsets', 'float', ['m', 1]);
  const membership = input('membership', 'float', ['m', 1]);
  const recorded = input('recorded', 'float', [3, entities]);
  const directions = parameter('directions', [entities, d]);
  const calibration = calibrationInput();
  const { numbers } = calibration;
  const predicted = predictedDegrees(
    numbers,
    linkLogits(model, numbers.temperature, projected, directions),
    offsets,
  );
  const set = projectedSet(logics[model.logic], numbers.support, { predicted, membership, recorded });
  const program = (name: string, inputs: readonly Tensor[], result: Tensor): Program =>
    createProgram({ name, inputs, outputs: { result } });
  const vectors = input('entities', 'float', ['rows', d]);
  return {
    directions: program('directions', [vectors], entityDirections(model, vectors)),
    links: program('links', [projected, offsets, calibration.input], predicted),
    projectSet: program(
      'project-set',
      [projected, offsets, membership, recorded, calibration.input],
      reshape(set, [entities]),
    ),
  };
}
