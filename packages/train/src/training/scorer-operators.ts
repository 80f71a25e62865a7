import type { Logic } from '@fuzzqe/core/logic';
import {
  centroid,
  domainShape,
  entityEmbedding,
  groupedProjection,
  logicOf,
  type ModelConfig,
  type ParameterName,
  type Parameters,
  parameterNamesOf,
  parameterShapes,
  type RelationDomains,
  type RelationTable,
  relationWeights,
  scores,
  trainedParameters,
} from '@fuzzqe/core/model';
import { createProgram, input, type Program, parameter, type Tensor } from '@fuzzqe/core/tensor';
import * as ort from '@fuzzqe/ort';
import { queriesAtOnce } from '../evaluation/queries-at-once.ts';
import { openOrtSession } from '../runtimes/ort-session.ts';

/** The operators of a model on batches of vectors. Shapes: vectors [n, d], ids [n]; results [n, d], scores [n, |E|]. */
export interface ScorerOperators {
  /** Takes other parameters: entity vectors (1) and relation weights (2) are computed once, here. */
  load(parameters: Parameters): Promise<void>;
  entities(ids: Int32Array): Float32Array;
  /** Vectors (1) of all entities [|E|, d], not to be written to. */
  table(): Float32Array;
  project(vectors: Float32Array, relations: Int32Array): Promise<Float32Array>;
  and(left: Float32Array, right: Float32Array): Promise<Float32Array>;
  or(left: Float32Array, right: Float32Array): Promise<Float32Array>;
  negation(vectors: Float32Array): Promise<Float32Array>;
  /** C_r of (3). */
  centroid(vectors: Float32Array, relations: Int32Array, domains: RelationDomains): Promise<Float32Array>;
  score(queries: Float32Array): Promise<Float32Array>;
  close(): Promise<void>;
}

/** How many entity vectors are computed at once, as their intermediate results are of their size. */
export const preparedAtOnce: number = 2 ** 17;
/** Kernels take this many numbers at a time, from an address that it divides; the others are added in another order. */
const numbersAtOnce = 8;
/** A product is divided among threads by its columns; with 64 or fewer each, it adds in another order. */
const fewestColumns = 128;

/** Opens a graph for each operator. */
export async function openOperators(model: ModelConfig, threads: number): Promise<ScorerOperators> {
  const { dimension: d, entities } = model;
  const open = (program: Program, columns: number): Promise<ort.InferenceSession> =>
    openOrtSession(program, {
      executionProviders: ['cpu'],
      intraOpNumThreads: Math.max(1, Math.min(threads, Math.floor(columns / fewestColumns))),
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
  const step = alignedEvery(d);
  const scoredAtOnce = queriesAtOnce(entities);
  const [, headCount] = domainShape(model);
  const programs = operatorPrograms(model);
  const sessions = {
    embed: await open(programs.embed, d),
    project: await open(programs.project, d),
    and: await open(programs.and, d),
    or: await open(programs.or, d),
    negation: await open(programs.negation, d),
    score: await open(programs.score, entities),
    centroid: await open(programs.centroid, d),
  };
  let table = new Float32Array(0);
  /** What the program of a projection reads of each relation. */
  let relationTables: readonly Readonly<Record<string, ort.Tensor>>[] = [];

  const floats = (data: Float32Array, shape: readonly number[]): ort.Tensor =>
    new ort.Tensor('float32', data, shape);
  const combine = async (
    session: ort.InferenceSession,
    left: Float32Array,
    right?: Float32Array,
  ): Promise<Float32Array> => {
    const shape = [left.length / d, d];
    const given = {
      left: floats(left, shape),
      ...(right === undefined ? {} : { right: floats(right, shape) }),
    };
    const result = new Float32Array(left.length);
    await session.run(given, { result: floats(result, shape) });
    return result;
  };

  const entitiesAt = (ids: Int32Array): Float32Array => {
    const vectors = new Float32Array(ids.length * d);
    ids.forEach((id, row) => {
      vectors.set(table.subarray(id * d, (id + 1) * d), row * d);
    });
    return vectors;
  };

  const score = async (queries: Float32Array): Promise<Float32Array> => {
    const rows = queries.length / d;
    const whole = Math.ceil(rows / scoredAtOnce) * scoredAtOnce;
    const padded = rows === whole ? queries : new Float32Array(whole * d);
    if (padded !== queries) padded.set(queries);
    const all = new Float32Array(whole * entities);
    const tableTensor = floats(table, [entities, d]);
    for (let start = 0; start < whole; start += scoredAtOnce) {
      const end = start + scoredAtOnce;
      // Written in place: a copy of the scores would cost as much as ranking them.
      await sessions.score.run(
        { queries: floats(padded.subarray(start * d, end * d), [scoredAtOnce, d]), table: tableTensor },
        { scores: floats(all.subarray(start * entities, end * entities), [scoredAtOnce, entities]) },
      );
    }
    return all.subarray(0, rows * entities);
  };

  return {
    async load(parameters) {
      if (table.length !== entities * d) table = new Float32Array(entities * d);
      for (let start = 0; start < entities; start += preparedAtOnce) {
        const end = Math.min(entities, start + preparedAtOnce);
        const part = (data: Float32Array): ort.Tensor =>
          floats(data.subarray(start * d, end * d), [end - start, d]);
        await sessions.embed.run({ free: part(parameters.entities) }, { table: part(table) });
      }
      const tables = await relationTablesOf(model, parameters, open);
      relationTables = Array.from({ length: model.relations }, (_, r) =>
        Object.fromEntries(
          Object.entries(tables).map(([name, { data, dims }]) => {
            const size = data.length / model.relations;
            // as: tables of relations are float32.
            const row = (data as Float32Array).subarray(r * size, (r + 1) * size);
            return [name, floats(row, [1, ...dims.slice(1)])];
          }),
        ),
      );
    },
    table: () => table,
    entities: entitiesAt,
    async project(vectors, relations) {
      const result = new Float32Array(vectors.length);
      for (const [relation, rows] of rowsByRelation(relations)) {
        // Runtimes compute a product of one row by another kernel, with other roundings: two rows at least.
        const count = Math.max(2, rows.length * step);
        const gathered = new Float32Array(count * d);
        rows.forEach((row, i) => {
          gathered.set(vectors.subarray(row * d, (row + 1) * d), i * step * d);
        });
        const order = Int32Array.from({ length: count }, (_, i) => i);
        const projected = new Float32Array(count * d);
        await sessions.project.run(
          {
            vectors: floats(gathered, [count, d]),
            ...relationTables[relation]!,
            rows: new ort.Tensor('int32', order, [1, count]),
            places: new ort.Tensor('int32', order, [count]),
          },
          { result: floats(projected, [count, d]) },
        );
        rows.forEach((row, i) => {
          result.set(projected.subarray(i * step * d, (i * step + 1) * d), row * d);
        });
      }
      return result;
    },
    and: (left, right) => combine(sessions.and, left, right),
    or: (left, right) => combine(sessions.or, left, right),
    negation: (vectors) => combine(sessions.negation, vectors),
    async centroid(vectors, relations, domains) {
      const result = new Float32Array(vectors.length);
      for (const [relation, rows] of rowsByRelation(relations)) {
        const [from, to] = [relation * headCount, (relation + 1) * headCount];
        const heads = floats(entitiesAt(domains.heads.subarray(from, to)), [1, headCount, d]);
        const tails = floats(domains.tails.subarray(from, to), [1, headCount]);
        for (const row of rows) {
          const part = (data: Float32Array): ort.Tensor =>
            floats(data.subarray(row * d, (row + 1) * d), [1, d]);
          await sessions.centroid.run({ vectors: part(vectors), heads, tails }, { result: part(result) });
        }
      }
      return result;
    },
    score,
    async close() {
      for (const session of Object.values(sessions)) await session.release();
    },
  };
}

/** Every which row of d numbers begins where kernels do: 1 for every d that 8 divides. */
function alignedEvery(d: number): number {
  let step = numbersAtOnce;
  while (step > 1 && ((step / 2) * d) % numbersAtOnce === 0) step /= 2;
  return step;
}

/** The rows of each relation that there is, in the rows' order. */
function rowsByRelation(relations: Int32Array): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  relations.forEach((relation, row) => {
    const known = rows.get(relation);
    if (known === undefined) rows.set(relation, [row]);
    else known.push(row);
  });
  return rows;
}

/** Relation weights (2) of all relations, by the names of the parameters of `project`. */
async function relationTablesOf(
  model: ModelConfig,
  parameters: Parameters,
  open: (program: Program, columns: number) => Promise<ort.InferenceSession>,
): Promise<Readonly<Record<string, ort.Tensor>>> {
  const { form, ...outputs } = relationWeights(model, trainedParameters(model));
  const shapes = parameterShapes(model);
  const tensorOf = (name: ParameterName): ort.Tensor =>
    new ort.Tensor('float32', parameters[name]!, shapes[name]!);
  if (form === 'blocks') return { blocks: tensorOf('coefficients') };
  const program = createProgram({ name: 'materialise', inputs: [], outputs });
  const session = await open(program, model.dimension);
  const names = parameterNamesOf(model).filter((name) => name !== 'entities');
  try {
    return await session.run(Object.fromEntries(names.map((name) => [name, tensorOf(name)])));
  } finally {
    await session.release();
  }
}

function operatorPrograms(
  model: ModelConfig,
): Record<'embed' | 'project' | 'and' | 'or' | 'negation' | 'score' | 'centroid', Program> {
  const { entities, dimension: d } = model;
  const free = input('free', 'float', ['rows', d]);
  const vectors = input('vectors', 'float', ['n', d]);
  const rows = input('rows', 'int', [1, 'n']);
  const places = input('places', 'int', ['n']);
  const one: RelationTable =
    model.relationForm === 'blocks'
      ? { form: 'blocks', blocks: parameter('blocks', [1, d]) }
      : { form: 'bases', weights: parameter('weights', [1, d, d]), bias: parameter('bias', [1, d]) };
  const heads = input('heads', 'float', ['n', 'm', d]);
  const tails = input('tails', 'float', ['n', 'm']);
  const queries = input('queries', 'float', [queriesAtOnce(entities), d]);
  return {
    embed: createProgram({
      name: 'embed',
      inputs: [free],
      outputs: { table: entityEmbedding(model, free) },
    }),
    project: createProgram({
      name: 'project',
      inputs: [vectors, rows, places],
      outputs: { result: groupedProjection(model, one, vectors, { rows, places }) },
    }),
    ...logicPrograms(logicOf(model), d),
    score: createProgram({
      name: 'score',
      inputs: [queries],
      outputs: { scores: scores(model, queries, parameter('table', [entities, d])) },
    }),
    centroid: createProgram({
      name: 'centroid',
      inputs: [vectors, heads, tails],
      outputs: { result: centroid(model, vectors, heads, tails) },
    }),
  };
}

/** ∧, ∨ and ¬ of a logic as programs. Shapes: `left` and `right` [n, d] → `result` [n, d]. */
function logicPrograms(logic: Logic, d: number): Record<'and' | 'or' | 'negation', Program> {
  const left = input('left', 'float', ['n', d]);
  const right = input('right', 'float', ['n', d]);
  const elementwise = (name: string, inputs: readonly Tensor[], result: Tensor): Program =>
    createProgram({ name, inputs: [...inputs], outputs: { result } });
  return {
    and: elementwise('and', [left, right], logic.conjunction(left, right)),
    or: elementwise('or', [left, right], logic.disjunction(left, right)),
    negation: elementwise('negation', [left], logic.negation(left)),
  };
}
