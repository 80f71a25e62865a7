import { asEntityId, asRelationId, createKnowledgeGraph, type KnowledgeGraph } from '@fuzzqe/core';
import { logics, sugenoNegation } from '@fuzzqe/core/logic';
import {
  centroidsIn,
  embedProgram,
  embedTemplate,
  entityEmbedding,
  groupedProjection,
  logicOf,
  type ModelConfig,
  numericParameters,
  outerProjection,
  type Parameters,
  relationDomains,
  relationProjection,
  relationWeights,
  scores,
  trainedParameters,
} from '@fuzzqe/core/model';
import {
  answerQuery,
  instantiate,
  type ProgramPlan,
  planProgram,
  type Query,
  type StructureName,
  type StructureQuery,
  structures,
  templateOf,
} from '@fuzzqe/core/query';
import { filteredRanks, topK } from '@fuzzqe/core/ranking';
import {
  answerSets,
  type Calibration,
  calibrationInput,
  calibrationValues,
  entityDirections,
  linkLogits,
  measurePartitions,
  partitionTerms,
  predictedDegrees,
  projectedSet,
  type SetGraphs,
} from '@fuzzqe/core/sets';
import {
  constant,
  createProgram,
  evaluate,
  gather,
  input,
  type NumericTensors,
  numeric,
  type Tensor,
} from '@fuzzqe/core/tensor';
import type { OracleFact } from './answers.ts';
import type { OracleQuery } from './query.ts';

/** The forms in which core computes a projection. */
export const projectionForms = ['served', 'grouped', 'outer'] as const;
export type ProjectionForm = (typeof projectionForms)[number];

/** What the product says of one query, as plain numbers. */
export interface ProductAnswer {
  readonly embedding: readonly number[];
  readonly scores: readonly number[];
  readonly ids: readonly number[];
}

/** p_e of every entity; W_r row by row and b_r of every relation, where W_r is formed. */
export interface ProductTables {
  readonly entities: readonly number[];
  readonly weights: readonly number[];
  readonly biases: readonly number[];
}

/** Equations (1) and (2) as core evaluates them. */
export function productTables(config: ModelConfig, parameters: Parameters): ProductTables {
  const trained = trainedParameters(config);
  const table = relationWeights(config, trained);
  const entities = entityEmbedding(config, trained.entities);
  const outputs =
    table.form === 'blocks' ? { entities } : { entities, weights: table.weights, biases: table.bias };
  const found = evaluate(createProgram({ name: 'tables', inputs: [], outputs }), values(config, parameters));
  const of = (name: string): number[] => Array.from(found[name]?.data ?? []);
  return { entities: of('entities'), weights: of('weights'), biases: of('biases') };
}

/** Answers query trees by one form of projecting, all in one program. */
export function productAnswers(
  config: ModelConfig,
  parameters: Parameters,
  facts: readonly OracleFact[],
  queries: readonly OracleQuery[],
  form: ProjectionForm,
): ProductAnswer[] {
  const trained = trainedParameters(config);
  const entities = entityEmbedding(config, trained.entities);
  const inputs: Tensor[] = [];
  const feeds: Record<string, NumericTensors[string]> = {};
  const fed = (name: string, shape: readonly number[], data: readonly number[]): Tensor => {
    feeds[name] = numeric(shape, Int32Array.from(data));
    inputs.push(input(name, 'int', shape));
    return inputs.at(-1)!;
  };
  const table = (coefficients: Tensor): ReturnType<typeof relationWeights> =>
    relationWeights(config, { ...trained, coefficients });
  const projections: Readonly<Record<ProjectionForm, (relation: Tensor, from: Tensor) => Tensor>> = {
    served: (relation, from) => relationProjection(config, table(trained.coefficients), from, relation),
    outer: (relation, from) =>
      outerProjection(config, { ...trained, coefficients: gather(trained.coefficients, relation) }, from),
    grouped(relation, from) {
      // One group with room for two rows, the second of which stays empty.
      const [rows, places] = [constant([0, 1], [1, 2], 'int'), constant([0], [1], 'int')];
      return groupedProjection(config, table(gather(trained.coefficients, relation)), from, { rows, places });
    },
  };
  const outputs: Record<string, Tensor> = {};
  const centroid = centroidsIn(config, entities, relationDomains(graphOf(config, facts)));
  for (const [i, query] of queries.entries()) {
    const filled = templateOf(productQuery(query));
    const along = filled.relations.map((id, slot) => fed(`relation ${i} ${slot}`, [1], [id]));
    const embedding = embedTemplate(logicOf(config), filled.template, {
      anchor: (slot) => gather(entities, fed(`anchor ${i} ${slot}`, [1], [filled.anchors[slot]!])),
      project: (slot, from) => projections[form](along[slot]!, from),
      centroid: centroid && ((slot, from) => centroid(from, along[slot]!)),
    });
    outputs[`embedding ${i}`] = embedding;
    outputs[`scores ${i}`] = scores(config, embedding, entities);
  }
  const found = evaluate(createProgram({ name: 'answers', inputs, outputs }), {
    ...values(config, parameters),
    ...feeds,
  });
  return queries.map((_, i) => answer(found[`embedding ${i}`]!.data, found[`scores ${i}`]!.data));
}

/** Answers queries of structures in one run of the program graph's program. */
export function productMixture(
  config: ModelConfig,
  parameters: Parameters,
  facts: readonly OracleFact[],
  queries: readonly { structure: string; anchors: readonly number[]; relations: readonly number[] }[],
): ProductAnswer[] {
  const trained = trainedParameters(config);
  const entities = entityEmbedding(config, trained.entities);
  const table = relationWeights(config, trained);
  // as: names come from the oracle's own table; one that core does not know fails the plan.
  const plan = planProgram(queries as readonly StructureQuery[]);
  const ids = (name: keyof ProgramPlan): Tensor => input(name, 'int', [plan[name].length]);
  const terms = (name: keyof ProgramPlan): Tensor => input(name, 'int', [plan[name].length / 9, 3, 3]);
  const inputs: Readonly<Record<keyof ProgramPlan, Tensor>> = {
    anchors: ids('anchors'),
    firstRelations: ids('firstRelations'),
    secondTerms: terms('secondTerms'),
    secondRelations: ids('secondRelations'),
    thirdTerms: terms('thirdTerms'),
    thirdRelations: ids('thirdRelations'),
    answerTerms: terms('answerTerms'),
  };
  const pieces = {
    logic: logicOf(config),
    anchor: (entity: Tensor) => gather(entities, entity),
    project: (x: Tensor, relations: Tensor) => relationProjection(config, table, x, relations),
    centroid: centroidsIn(config, entities, relationDomains(graphOf(config, facts))),
  };
  const embedding = embedProgram(pieces, inputs);
  const program = createProgram({
    name: 'mixture',
    inputs: Object.values(inputs),
    outputs: { embedding, scores: scores(config, embedding, entities) },
  });
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([name, { shape }]) => [
      name,
      // as: shapes here hold numbers alone, and the names are those of the plan.
      numeric(shape as readonly number[], plan[name as keyof typeof plan]),
    ]),
  );
  const found = evaluate(program, { ...values(config, parameters), ...feeds });
  const row = (name: 'embedding' | 'scores', width: number, i: number): ArrayLike<number> =>
    found[name]!.data.slice(i * width, (i + 1) * width);
  return queries.map((_, i) =>
    answer(row('embedding', config.dimension, i), row('scores', config.entities, i)),
  );
}

/** The exact answers of queries by core's sets. */
export function productExact(
  { entities, relations }: ModelConfig,
  facts: readonly OracleFact[],
  queries: readonly OracleQuery[],
): number[][] {
  const graph = graphOf({ entities, relations }, facts);
  return queries.map((query) => Array.from(answerQuery(graph, productQuery(query)).toArray()));
}

/** Log-partitions by core, and the degrees of all entities for each query by sets. */
export async function productSets(
  config: ModelConfig,
  parameters: Parameters,
  triples: readonly OracleFact[],
  calibration: Calibration,
  queries: readonly OracleQuery[],
): Promise<{ readonly partitions: Float32Array; readonly degrees: readonly Float32Array[] }> {
  const { entities: count } = config;
  const facts = graphOf(config, triples);
  const trained = trainedParameters(config);
  const entities = entityEmbedding(config, trained.entities);
  const logic = logics[config.logic];
  /** Every program of sets, for n links: what layer normalisation is mutated into may ask for their number. */
  const run = (name: 'terms' | keyof SetGraphs, feeds: NumericTensors): Float32Array => {
    const n = feeds['heads']?.shape[0] ?? 1;
    const [heads, along] = [input('heads', 'int', [n]), input('along', 'int', [n])];
    const [offsets, membership] = [input('offsets', 'float', [n, 1]), input('membership', 'float', [n, 1])];
    const [recorded, known] = [input('recorded', 'float', [3, count]), input('known', 'float', [n, count])];
    const [left, right] = [input('left', 'float', ['n']), input('right', 'float', ['n'])];
    const table = relationWeights(config, trained);
    const projected = relationProjection(config, table, gather(entities, heads), along);
    const { input: calibrated, numbers } = calibrationInput();
    const logits = linkLogits(config, numbers.temperature, projected, entityDirections(config, entities));
    const predicted = predictedDegrees(numbers, logits, offsets);
    const programs: Readonly<Record<typeof name, readonly [inputs: readonly Tensor[], result: Tensor]>> = {
      terms: [[heads, along, known, calibrated], partitionTerms(logits, known)],
      links: [[heads, along, offsets, calibrated], predicted],
      projectSet: [
        [heads, along, offsets, membership, recorded, calibrated],
        projectedSet(logic, numbers.support, { predicted, membership, recorded }),
      ],
      and: [[left, right], logic.conjunction(left, right)],
      or: [[left, right], logic.disjunction(left, right)],
      not: [[left], sugenoNegation(calibration.negationLambda)(left)],
    };
    const [inputs, result] = programs[name];
    const given = { ...values(config, parameters), calibration: calibrationFeed, ...feeds };
    const found = evaluate(createProgram({ name, inputs, outputs: { result } }), given);
    return Float32Array.from(found['result']!.data);
  };
  const calibrationFeed = numeric([3], calibrationValues(calibration));
  const linkFeeds = (heads: Int32Array, along: Int32Array): NumericTensors => ({
    heads: numeric([heads.length], heads),
    along: numeric([along.length], along),
  });
  const column = (data: Float32Array): NumericTensors[string] => numeric([data.length, 1], data);
  const set = (data: Float32Array): NumericTensors[string] => numeric([data.length], data);

  const partitions = await measurePartitions(facts, async (heads, relation) => {
    const mask = new Float32Array(heads.length * count);
    heads.forEach((head, row) => {
      for (const tail of facts.tails(head, relation)) mask[row * count + tail] = 1;
    });
    const along = heads.map(() => relation);
    return run('terms', { ...linkFeeds(heads, along), known: numeric([heads.length, count], mask) });
  });
  const graphs: SetGraphs = {
    links: async ({ heads, relations: along, offsets }) =>
      run('links', { ...linkFeeds(heads, along), offsets: column(offsets) }),
    projectSet: async ({ heads, relation, offsets, membership, recorded: rows }) =>
      run('projectSet', {
        ...linkFeeds(
          heads,
          heads.map(() => relation),
        ),
        offsets: column(offsets),
        membership: column(membership),
        recorded: numeric([3, count], rows),
      }),
    and: (a, b) => run('and', { left: set(a), right: set(b) }),
    or: (a, b) => run('or', { left: set(a), right: set(b) }),
    not: (a) => run('not', { left: set(a) }),
  };
  const answers = await answerSets(graphs, { calibration, partitions, facts }, queries.map(productQuery));
  return { partitions, degrees: answers.map(({ degrees }) => degrees) };
}

function graphOf(
  { entities, relations }: Pick<ModelConfig, 'entities' | 'relations'>,
  facts: readonly OracleFact[],
): KnowledgeGraph {
  return createKnowledgeGraph({
    entityCount: entities,
    relationCount: relations,
    triples: Int32Array.from(facts.flat()),
  });
}

/** The query of a structure by core's templates. */
export function productStructure(
  structure: string,
  anchors: readonly number[],
  relations: readonly number[],
): Query {
  // as: an unknown name finds no structure, which throws.
  return instantiate(structures[structure as StructureName].template, anchors, relations);
}

/** The filtered ranks of hard answers. */
export function productRanks(
  all: readonly number[],
  easy: readonly number[],
  hard: readonly number[],
): number[] {
  return Array.from(filteredRanks(Float64Array.from(all), hard, [...easy, ...hard]));
}

/** A query in core's form. */
export function productQuery(query: OracleQuery): Query {
  if ('entity' in query) return { op: 'entity', entity: asEntityId(query.entity) };
  if ('project' in query)
    return { op: 'project', relation: asRelationId(query.project), from: productQuery(query.from) };
  if ('not' in query) return { op: 'not', operand: productQuery(query.not) };
  return 'and' in query
    ? { op: 'and', operands: query.and.map(productQuery) }
    : { op: 'or', operands: query.or.map(productQuery) };
}

function answer(embedding: ArrayLike<number>, all: ArrayLike<number>): ProductAnswer {
  const ranking = topK(Float64Array.from(all), all.length);
  return { embedding: Array.from(embedding), scores: Array.from(all), ids: Array.from(ranking.ids) };
}

function values(config: ModelConfig, parameters: Parameters): NumericTensors {
  return numericParameters(config, parameters);
}
