import { schema } from '@fuzzqe/core';
import { type LogicName, logicNames } from '@fuzzqe/core/logic';
import { type AnyFamilyName, familyNames, traitsOf } from './family-traits.ts';

/** How a row of free numbers becomes a vector in [0,1]^d: the paper's choices for g. */
export const mappingNames = ['logistic', 'boundedRectifier'] as const;
/** `1 / (1 + e^-x)` or `min(max(x, 0), 1)`. */
export type MappingName = (typeof mappingNames)[number];

/** How an entity's vector is scaled: it sums to 1 (L1, a distribution), or its squares do (L2). */
export const normalisationNames = ['l1', 'l2'] as const;
export type NormalisationName = (typeof normalisationNames)[number];

/**
 * What enters a projection: vectors as they are (the paper), or with length 1 (one scale for every hop); with blocks as
 * they are, which both of these say, or lengthened where they are shorter than entities are, or of what is no entity the centroid
 * of the relation's recorded heads.
 */
export const projectionInputNames = ['raw', 'l2', 'lengthened', 'domain'] as const;
export type ProjectionInputName = (typeof projectionInputNames)[number];

/** What entities are ranked by: the inner product with the query (the paper), or the cosine. */
export const scoreNames = ['innerProduct', 'cosine'] as const;
export type ScoreName = (typeof scoreNames)[number];

/** Everything that fixes the shape and the formulas of one FuzzQE model. */
export interface ModelConfig {
  /** Number of entities, |E|. */
  readonly entities: number;
  /** Number of relations with their inverses, |R|. Even. */
  readonly relations: number;
  /** Length of every embedding, the paper's d. */
  readonly dimension: number;
  /** What a relation does to a vector. */
  readonly relationForm: AnyFamilyName;
  /** Number of bases of W_r and b_r, the paper's K; ignored for blocks. */
  readonly bases: number;
  readonly logic: LogicName;
  /** λ of Sugeno's negation `(1 − a) / (1 + λa)` in embeddings, > −1; 0 is the paper's 1 − a. */
  readonly negationLambda: number;
  /** g: what follows layer normalisation in a projection. */
  readonly mapping: MappingName;
  /** What turns the free numbers of an entity into [0,1]^d before they are normalised. */
  readonly entityMapping: MappingName;
  readonly entityNormalisation: NormalisationName;
  readonly projectionInput: ProjectionInputName;
  readonly score: ScoreName;
}

/** ε of layer normalisation, as in the reference implementations of the field. */
export const layerNormEpsilon = 1e-5;

/** What a run chooses of a model; the graph says the rest. */
export type ModelOptions = Omit<ModelConfig, 'entities' | 'relations'>;

/** The largest length of an embedding. */
export const largestDimension = 8192;

/** The keys of a model configuration, each with what may stand there. */
export const modelConfigFields: { readonly [Key in keyof ModelConfig]: schema.Schema<ModelConfig[Key]> } = {
  // Ids are int32 wherever they are stored.
  entities: schema.integer({ min: 1, max: 2 ** 31 - 1 }),
  relations: schema.integer({ min: 2, max: 2 ** 31 - 2 }),
  dimension: schema.integer({ min: 1, max: largestDimension }),
  // Absent in what was written before there was a choice.
  relationForm: schema.withDefault(schema.oneOf(familyNames), 'bases'),
  bases: schema.integer({ min: 1, max: 4096 }),
  logic: schema.oneOf(logicNames),
  // Absent as above. At −1 the negation of 1 would not be there.
  negationLambda: schema.withDefault(schema.number({ min: -0.99, max: 100 }), 0),
  mapping: schema.oneOf(mappingNames),
  entityMapping: schema.oneOf(mappingNames),
  entityNormalisation: schema.oneOf(normalisationNames),
  projectionInput: schema.oneOf(projectionInputNames),
  score: schema.oneOf(scoreNames),
};

/** Reads a model configuration from JSON, as bundles have it: all keys are there. */
export const modelConfigSchema: schema.Schema<ModelConfig> = schema.checked(
  schema.object(modelConfigFields),
  expectForm,
);

/** Reports what a model of its family cannot have. */
export function expectForm(model: ModelOptions, report: schema.Report): void {
  const { relationForm, dimension } = model;
  const { choices = { projectionInput: ['raw', 'l2'] }, hasMatrices } = traitsOf(model);
  if (!hasMatrices && dimension % 2 === 1)
    report(['dimension'], `an even number for ${relationForm}`, `${dimension}`);
  for (const [name, allowed] of Object.entries(choices)) {
    const got = `${model[name as keyof ModelOptions]}`;
    if (!allowed.includes(got)) report([name], `"${allowed.join('" or "')}" for ${relationForm}`, `"${got}"`);
  }
}

/**
 * A small product-logic model with logistic mappings, vectors of length 1 and the inner product as its score.
 *
 * Fixtures and measurements say only in what theirs differ, so that a new option has its plain value in one place.
 *
 * @example
 * const model = { ...plainModel, dimension: 32 };
 */
export const plainModel: ModelOptions = {
  dimension: 8,
  relationForm: 'bases',
  bases: 3,
  logic: 'product',
  negationLambda: 0,
  mapping: 'logistic',
  entityMapping: 'logistic',
  entityNormalisation: 'l2',
  projectionInput: 'l2',
  score: 'innerProduct',
};
