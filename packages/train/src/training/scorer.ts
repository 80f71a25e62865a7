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
  trainedParameters,
} from '@fuzzqe/core';
import { emitOnnx } from '@fuzzqe/onnx';
import * as ort from 'onnxruntime-node';
import { type QueryStructure, structureOf } from '../sampling/query-structure.ts';
import { formatTemplate } from '../sampling/structure-text.ts';
import { type BatchLayout, embedBatch, layOutBatch } from '../step/batch-layout.ts';
import { groupRows } from '../step/row-groups.ts';

/** Scores every entity for batches of queries, with parameters that can change between batches. */
export interface Scorer {
  /** Takes other parameters from now on. */
  load(parameters: Parameters): Promise<void>;
  /** Shapes: anchors [rows, a], relations [rows, r] of one structure → scores [rows, |E|]. */
  score(
    structure: StructureName | QueryStructure,
    anchors: Int32Array,
    relations: Int32Array,
    rows: number,
  ): Promise<Float32Array>;
  close(): Promise<void>;
}

/** How many queries are embedded at once: the smallest size that takes them all, else the largest again and again. */
const embeddedAtOnce = [128, 512];
/** How many queries are scored at once; shorter batches are filled up, so that a score depends on its query alone. */
const scoredAtOnce = 128;

/** A graph that embeds a fixed number of queries of one structure. */
interface Embedder {
  readonly layout: BatchLayout<QueryStructure>;
  readonly session: ort.InferenceSession;
}

/**
 * A scorer for the model in training, through onnxruntime-node on the CPU.
 *
 * Entity vectors (1) and relation weights (2) are computed once for each set of parameters. Queries are embedded in
 * graphs of one structure, opened when they are first needed: the more at once, the more of them share a relation and
 * the reading of its weights. All structures share one graph that scores.
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
  const { dimension: d, entities } = model;
  const prepare = await open(materialisation(model));
  const scoring = await open(scoringProgram(model));
  const embedders = new Map<string, Promise<Embedder>>();
  let tables:
    | { readonly table: ort.Tensor; readonly weights: ort.Tensor; readonly bias: ort.Tensor }
    | undefined;

  const embedderOf = (structure: QueryStructure, count: number): Promise<Embedder> => {
    const key = `${count} ${formatTemplate(structure.template)}`;
    const known = embedders.get(key);
    if (known !== undefined) return known;
    const layout = layOutBatch([{ structure, count }]);
    const opened = open(embeddingProgram(model, layout)).then((session) => ({ layout, session }));
    embedders.set(key, opened);
    return opened;
  };

  /** Embeds queries, [rows, d]; what follows them up to a whole number of scored batches is filler. */
  async function embed(
    structure: QueryStructure,
    anchors: Int32Array,
    relations: Int32Array,
  ): Promise<Float32Array> {
    if (tables === undefined) throw new FuzzError('shape', 'the scorer has no parameters yet');
    const rows = anchors.length / structure.anchors;
    const count = embeddedAtOnce.find((size) => size >= rows)!;
    const { layout, session } = await embedderOf(structure, count);
    const fill = (to: Int32Array, at: number, data: Int32Array, width: number, slot: number): void => {
      for (let row = 0; row < count; row += 1)
        to[at + row] = data[(row < rows ? row : row % rows) * width + slot]!;
    };
    const entityRows = new Int32Array(layout.anchors);
    for (let slot = 0; slot < structure.anchors; slot += 1)
      fill(entityRows, slot * count, anchors, structure.anchors, slot);
    const levels = layout.levels.map((parts) => {
      const level = new Int32Array(parts.length * count);
      parts.forEach((part, i) => {
        fill(level, i * count, relations, structure.relations, part.relation);
      });
      return level;
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
    const result = await session.run(feeds);
    return result['queries']!.data as Float32Array;
  }

  return {
    async load(parameters) {
      const shapes = parameterShapes(model);
      const given = Object.fromEntries(
        parameterNames.map((name) => [name, new ort.Tensor('float32', parameters[name], shapes[name])]),
      );
      const { table, weights, bias } = await prepare.run(given);
      tables = { table: table!, weights: weights!, bias: bias! };
    },
    async score(named, anchors, relations, rows) {
      const structure = structureOf<string>(named);
      const { anchors: a, relations: r } = structure;
      const most = embeddedAtOnce.at(-1)!;
      const scored = new Float32Array(Math.ceil(rows / scoredAtOnce) * scoredAtOnce * entities);
      for (let start = 0; start < rows; start += most) {
        const end = Math.min(rows, start + most);
        const queries = await embed(
          structure,
          anchors.subarray(start * a, end * a),
          relations.subarray(start * r, end * r),
        );
        for (let at = start; at < end; at += scoredAtOnce) {
          const chunk = queries.subarray((at - start) * d, (at - start + scoredAtOnce) * d);
          const into = scored.subarray(at * entities, (at + scoredAtOnce) * entities);
          // Written in place: a copy of the scores would cost as much as ranking them.
          await scoring.run(
            { queries: new ort.Tensor('float32', chunk, [scoredAtOnce, d]), table: tables!.table },
            { scores: new ort.Tensor('float32', into, [scoredAtOnce, entities]) },
          );
        }
      }
      return scored.subarray(0, rows * entities);
    },
    async close() {
      const opened = await Promise.all(embedders.values());
      for (const session of [prepare, scoring, ...opened.map((each) => each.session)])
        await session.release();
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

function embeddingProgram(model: ModelConfig, layout: BatchLayout<QueryStructure>): Program {
  const { entities, relations, dimension: d } = model;
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
  const anchors = gather(parameter('table', [entities, d]), entityRows);
  const queries = embedBatch(layout, logicOf(model), anchors, (h, x) =>
    groupedProjection(model, each, x, groups[h]!),
  );
  return createProgram({
    name: 'embed',
    inputs: [entityRows, groupRelations, ...groups.flatMap(({ rows, places }) => [rows, places])],
    outputs: { queries },
  });
}

function scoringProgram(model: ModelConfig): Program {
  const { entities, dimension: d } = model;
  const queries = input('queries', 'float', [scoredAtOnce, d]);
  return createProgram({
    name: 'score',
    inputs: [queries],
    outputs: { scores: scores(queries, parameter('table', [entities, d])) },
  });
}
