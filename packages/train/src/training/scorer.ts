import {
  createProgram,
  entityEmbedding,
  FuzzError,
  gather,
  groupedProjection,
  input,
  logicOf,
  type ModelConfig,
  type Parameters,
  type Program,
  parameter,
  parameterNames,
  parameterShapes,
  relationWeights,
  type StructureName,
  scores,
  structureNames,
  structures,
  trainedParameters,
} from '@fuzzqe/core';
import { emitOnnx } from '@fuzzqe/onnx';
import * as ort from 'onnxruntime-node';
import { type BatchLayout, embedBatch, layOutBatch } from '../step/batch-layout.ts';
import { groupRows } from '../step/row-groups.ts';

/** Scores every entity for batches of queries, with parameters that can change between batches. */
export interface Scorer {
  /** Takes other parameters from now on. */
  load(parameters: Parameters): Promise<void>;
  /** Shapes: anchors [rows, a], relations [rows, r] of one structure → scores [rows, |E|]. */
  score(
    structure: StructureName,
    anchors: Int32Array,
    relations: Int32Array,
    rows: number,
  ): Promise<Float32Array>;
  close(): Promise<void>;
}

/** How many queries a scoring graph takes at once; shorter batches are filled up with their first query. */
const rowsAtOnce = 128;

/**
 * A scorer for the model in training, through onnxruntime-node on the CPU.
 *
 * Entity vectors (1) and relation weights (2) are computed once for each set of parameters; queries then run in
 * graphs of one structure that share them.
 */
export async function createScorer(model: ModelConfig, threads: number): Promise<Scorer> {
  const options: ort.InferenceSession.SessionOptions = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    logSeverityLevel: 3,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const open = (program: Program): Promise<ort.InferenceSession> =>
    ort.InferenceSession.create(emitOnnx(program), options);
  const prepare = await open(materialisation(model));
  const layouts = new Map<StructureName, BatchLayout>();
  const sessions = new Map<StructureName, ort.InferenceSession>();
  for (const structure of structureNames) {
    const layout = layOutBatch([{ structure, count: rowsAtOnce }]);
    layouts.set(structure, layout);
    sessions.set(structure, await open(scoringProgram(model, layout)));
  }
  let tables: Record<string, ort.Tensor> | undefined;

  async function chunk(
    structure: StructureName,
    anchors: Int32Array,
    relations: Int32Array,
  ): Promise<Float32Array> {
    if (tables === undefined) throw new FuzzError('shape', 'the scorer has no parameters yet');
    const { anchors: a, relations: r } = structures[structure];
    const layout = layouts.get(structure)!;
    const column = (data: Int32Array, width: number, slot: number): Int32Array =>
      Int32Array.from(
        { length: rowsAtOnce },
        (_, row) => data[(row * width < data.length ? row : 0) * width + slot]!,
      );
    const entityRows = new Int32Array(layout.anchors);
    for (let slot = 0; slot < a; slot += 1) entityRows.set(column(anchors, a, slot), slot * rowsAtOnce);
    const levels = layout.levels.map((parts) => {
      const rows = new Int32Array(parts.length * rowsAtOnce);
      parts.forEach((part, i) => {
        rows.set(column(relations, r, part.relation), i * rowsAtOnce);
      });
      return rows;
    });
    const grouping = groupRows(levels, model.relations, 1);
    const ints = (data: Int32Array, shape: readonly number[]): ort.Tensor =>
      new ort.Tensor('int32', data, shape);
    const feeds: Record<string, ort.Tensor> = {
      ...tables,
      entityRows: ints(entityRows, [entityRows.length]),
      groupRelations: ints(grouping.relations, [grouping.relations.length]),
    };
    grouping.levels.forEach((level, h) => {
      feeds[`rows.${h}`] = ints(level.rows, [grouping.relations.length, level.capacity]);
      feeds[`places.${h}`] = ints(level.places, [level.places.length]);
    });
    const result = await sessions.get(structure)!.run(feeds);
    return result['scores']!.data as Float32Array;
  }

  return {
    async load(parameters) {
      const shapes = parameterShapes(model);
      const given = Object.fromEntries(
        parameterNames.map((name) => [name, new ort.Tensor('float32', parameters[name], shapes[name])]),
      );
      tables = await prepare.run(given);
    },
    async score(structure, anchors, relations, rows) {
      const { anchors: a, relations: r } = structures[structure];
      const result = new Float32Array(rows * model.entities);
      for (let start = 0; start < rows; start += rowsAtOnce) {
        const end = Math.min(rows, start + rowsAtOnce);
        const part = await chunk(
          structure,
          anchors.subarray(start * a, end * a),
          relations.subarray(start * r, end * r),
        );
        result.set(part.subarray(0, (end - start) * model.entities), start * model.entities);
      }
      return result;
    },
    async close() {
      for (const session of [prepare, ...sessions.values()]) await session.release();
    },
  };
}

function materialisation(model: ModelConfig): Program {
  const trained = trainedParameters(model);
  const { weights, bias } = relationWeights(model, trained.coefficients, trained.bases, trained.biasBases);
  return createProgram({
    name: 'materialise',
    inputs: [],
    outputs: { table: entityEmbedding(model, trained.entities), weights, bias },
  });
}

function scoringProgram(model: ModelConfig, layout: BatchLayout): Program {
  const { entities, relations, dimension: d } = model;
  const table = parameter('table', [entities, d]);
  const entityRows = input('entityRows', 'int', [layout.anchors]);
  const groupRelations = input('groupRelations', 'int', ['groups']);
  const each = {
    weights: gather(parameter('weights', [relations, d, d]), groupRelations),
    bias: gather(parameter('bias', [relations, d]), groupRelations),
  };
  const groups = layout.rows.map((rows, h) => ({
    rows: input(`rows.${h}`, 'int', ['groups', `capacity.${h}`]),
    places: input(`places.${h}`, 'int', [rows]),
  }));
  const queries = embedBatch(layout, logicOf(model), gather(table, entityRows), (h, x) =>
    groupedProjection(model, each, x, groups[h]!),
  );
  return createProgram({
    name: `score-${layout.groups[0]!.structure}`,
    inputs: [entityRows, groupRelations, ...groups.flatMap(({ rows, places }) => [rows, places])],
    outputs: { scores: scores(queries, table) },
  });
}
