import { asEntityId, asRelationId, createKnowledgeGraph, type KnowledgeGraph } from '@fuzzqe/core';
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
import { answerSets, createSetLogic } from '@fuzzqe/core/sets';
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
import { applyRules, createLinkDegrees, createRuleIndex, type LinkScores, type Rule } from '@fuzzqe/evidence';
import {
  centroidsIn,
  embedProgram,
  embedTemplate,
  entityEmbedding,
  familyOf,
  groupedProjection,
  linkScores,
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
} from '@fuzzqe/model';
import type { OracleFact } from './answers.ts';
import type { OracleHub } from './cases.ts';
import type { OracleRule } from './evidence.ts';
import type { OracleQuery } from './query.ts';
import type { OracleSets } from './sets.ts';

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
  const found = evaluate(
    createProgram({ name: 'tables', inputs: [], outputs: { entities, ...table } }),
    values(config, parameters),
  );
  const of = (name: string): number[] => Array.from(found[name]?.data ?? []);
  return { entities: of('entities'), weights: of('relationWeights'), biases: of('relationBiases') };
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
      // Where relations have no matrices there are no groups.
      if (familyOf(config).projectGroups === undefined) return projections.served(relation, from);
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

/** The degrees of all entities for each query by sets. */
export async function productSets(
  config: ModelConfig,
  parameters: Parameters,
  sets: OracleSets,
  queries: readonly OracleQuery[],
): Promise<readonly Float32Array[]> {
  const facts = graphOf(config, sets.facts);
  const links = createLinkDegrees({
    facts,
    entailed: graphOf(config, sets.entailed),
    rules: createRuleIndex({ relationCount: config.relations, rules: sets.rules.map(productRule) }),
    weights: {
      temperature: sets.temperature,
      typeRelations: sets.typeRelations,
      relations: Float64Array.from(sets.weights.flat()),
    },
    scores: productScores(config, parameters),
    recordedShare: sets.recordedShare,
  });
  const state = { links, logic: createSetLogic(config.logic), projection: sets.projection, facts };
  const answers = await answerSets(state, queries.map(productQuery));
  return answers.map(({ degrees }) => degrees);
}

/** What the rules say of every entity as a tail of a link: the best confidence, and the joined ones. */
export function productRules(
  { entities, relations, facts, rules }: OracleHub,
  head: number,
  relation: number,
): { readonly best: readonly number[]; readonly joined: readonly number[] } {
  const index = createRuleIndex({ relationCount: relations, rules: rules.map(productRule) });
  const fired = applyRules(index, graphOf({ entities, relations }, facts), head, relation);
  const best = new Array<number>(entities).fill(0);
  const joined = new Array<number>(entities).fill(0);
  fired.ids.forEach((id, i) => {
    best[id] = fired.best[i]!;
    joined[id] = fired.joined[i]!;
  });
  return { best, joined };
}

/** The model's scores of links by core. */
function productScores(config: ModelConfig, parameters: Parameters): LinkScores {
  const trained = trainedParameters(config);
  const entities = entityEmbedding(config, trained.entities);
  return async (heads, relations) => {
    const n = heads.length;
    const [from, along] = [input('heads', 'int', [n]), input('along', 'int', [n])];
    const table = relationWeights(config, trained);
    const projected = relationProjection(config, table, gather(entities, from), along);
    const program = createProgram({
      name: 'links',
      inputs: [from, along],
      outputs: { scores: linkScores(config, projected, entities) },
    });
    const found = evaluate(program, {
      ...values(config, parameters),
      heads: numeric([n], heads),
      along: numeric([n], relations),
    });
    return Float32Array.from(found['scores']!.data);
  };
}

/** A rule in the product's form. */
function productRule({ relation, hits, predictions, path, constant: named }: OracleRule): Rule {
  if (path !== undefined) return { kind: 'path', relation, hits, predictions, path };
  const [tail, along, to] = named!;
  return { kind: 'constant', relation, hits, predictions, tail, body: { relation: along, tail: to } };
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
