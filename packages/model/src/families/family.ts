import type { Random } from '@fuzzqe/core';
import type { Logic } from '@fuzzqe/core/logic';
import type { Tensor } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../config/config.ts';
import type { AnyFamilyName } from '../config/family-traits.ts';
import type { InitialisationName, OfParameters, ParameterName, Parameters } from '../config/of-parameters.ts';

/** What training does inside a projection. */
export interface ProjectionDropout {
  /** By bases to x before (3), which lengthens it again; by blocks to the result of (3), where 0 says nothing of an element. */
  input(x: Tensor): Tensor;
  /** To the normalised output, before g. */
  output(normalised: Tensor): Tensor;
}

/** Where the rows of one level of projections stand when they are sorted by relation. */
export interface RowGroups {
  /** [groups, capacity]: the row at each place; the number of rows where a place stays empty. */
  readonly rows: Tensor;
  /** [n]: the place of each row, counted through all groups. */
  readonly places: Tensor;
}

/** The trained tensors without the entities; `coefficients` are the rows of some relations [n, ·]. */
export type OfRelations = Omit<OfParameters<Tensor>, 'entities'>;

/** What all relations share, as trained or from a bundle, by the same names. */
export type SharedTensors = Readonly<Partial<Record<ParameterName, Tensor>>>;

/** Scores of a batch in a loss, each times the factor of its query. */
export interface Comparison {
  /** With entities that all queries share [m, ·], or with m of each query's own [n, m, ·] → [n, m]. */
  all(entities: Tensor): Tensor;
  /** With one entity of each query [n, ·] → [n, 1]. */
  pairs(entities: Tensor): Tensor;
  /** The mean over entities, as `all` takes them → [n, 1]. */
  mean(entities: Tensor): Tensor;
}

/** A table of relations in a bundle, or of what all relations share: what its graphs read instead of the trained tensors. */
export interface FamilyTable {
  readonly name: string;
  readonly shape: readonly number[];
  /** Whether all relations share it, so that it has no row for each. */
  readonly isShared?: true;
  /** Whether it stays float32 in every profile, because it is few numbers. */
  readonly exact?: true;
}

/** The table of W_r [|R|, d, d], which is written and read relation by relation. */
export const matricesTable = 'relationWeights';

/** Rows or tables by name. */
export type Tables = Readonly<Record<string, Tensor>>;

/**
 * A family of models: what it trains, and its formulas as pieces of tensor programs.
 *
 * Training, exported graphs and every runtime interpret these pieces, and nothing else has a family's formulas.
 * Vectors are rows: w is the length of an entity's, d that of a query's.
 */
export interface Family {
  readonly name: AnyFamilyName;

  /** The trained tensors. */
  readonly trains: readonly ParameterName[];
  /** Their shapes: `entities` [|E|, ·], `coefficients` [|R|, ·], and what all relations share. */
  parameters(config: ModelConfig): OfParameters<readonly number[]>;
  /** Parameters to start training from; every tensor has a random stream of its own. */
  initialise(config: ModelConfig, random: Random, name: InitialisationName): Parameters;
  /** The model as it learns, where that differs from how it is served. */
  trained(config: ModelConfig): ModelConfig;

  /** How many vectors of one length make up a query, so that d is a multiple of it; absent where d is one vector. */
  readonly queryParts?: number;
  /** w, where it is not the width of `entities`. */
  readonly entityWidth?: (config: ModelConfig) => number;
  /** (1) Vectors of entities from rows of `entities`. Shapes: [n, ·] → [n, w]. */
  entity(config: ModelConfig, x: Tensor): Tensor;
  /**
   * The vector of a query that is an entity: of one alternative where training asks, otherwise of d numbers; absent where it is the entity's.
   * Shapes: [n, w] → [n, d].
   */
  readonly anchor?: (config: ModelConfig, vectors: Tensor, alternatives: 1 | 2) => Tensor;
  /** Whether a projection takes `ProjectionDropout`. */
  readonly hasDropout: boolean;
  /** (4) A projection of rows, each along the relation whose coefficients stand beside it. Shapes: x [n, d], coefficients [n, ·] → [n, d]. */
  project(config: ModelConfig, trained: OfRelations, x: Tensor, dropout?: ProjectionDropout): Tensor;
  /** (4) The same of rows that are sorted by relation, from `relationTables` of each group; absent where relations have no matrices. */
  readonly projectGroups?: (
    config: ModelConfig,
    tables: Tables,
    x: Tensor,
    groups: RowGroups,
    dropout?: ProjectionDropout,
  ) => Tensor;
  /** (4) The same from rows of the bundle's tables, and from what all relations share. Shapes: x [n, d], each row [n, ...] → [n, d]. */
  projectFrom(config: ModelConfig, x: Tensor, row: (table: string) => Tensor, shared: SharedTensors): Tensor;
  /** (5) to (7) ∧, ∨ and ¬ of the vectors of queries, with what all relations share. Shapes: [..., d] → [..., d]. */
  logic(config: ModelConfig, shared: SharedTensors): Logic;

  /** (8) φ(q, e) ≥ 0, of all entities [m, w] or of some for each query [n, m, w]. Shapes: query [n, d] → [n, m]. */
  scores(config: ModelConfig, query: Tensor, entities: Tensor): Tensor;
  /** What makes φ ≥ 0 of products that may be negative, in the same order; absent where they never are. Shapes: [n, m] → [n, m]. */
  readonly positive?: (products: Tensor) => Tensor;
  /** The vector whose product with s_e of (8) is a query's score at a temperature; absent where scores are no products. Shapes: τ [1] or [n, 1], query [n, d] → [n, d]. */
  readonly directions?: (config: ModelConfig, temperature: Tensor, query: Tensor) => Tensor;
  /** δ(q, e), where scores are distances. Shapes: as `scores`. */
  readonly distances?: (config: ModelConfig, query: Tensor, entities: Tensor) => Tensor;
  /** The scores that a loss compares, times a factor that it makes of the length of a query's vector [n, 1], or of 1 [1]. */
  compare(config: ModelConfig, query: Tensor, factorOf: (length: Tensor) => Tensor): Comparison;
  /** Whether models of one graph that stand side by side are one model, whose logits are the sum of theirs. */
  readonly addsUp: boolean;
  /** τ of (9) where nothing is calibrated. */
  readonly linkTemperature: number;

  /** The pairs of entities, where a score is a product of pairs of two entities and a relation: N3 penalises them with the coefficients. Shapes: [n, w] → [n, ·]. */
  readonly pairs?: (config: ModelConfig, entities: Tensor) => Tensor;
  /** The numbers whose product with coefficients is twice the score of a link, from which its relation is predicted. Shapes: heads [n, w], tails [n · A, w] → [n, A, ·]. */
  readonly relationFeatures?: (config: ModelConfig, heads: Tensor, tails: Tensor) => Tensor;

  /** What a bundle stores besides the vectors of entities, by name. A table of relations has |R| rows. */
  tables(config: ModelConfig): readonly FamilyTable[];
  /** (2) The tables, of some rows of `coefficients`. Shapes: coefficients [n, ·] → [n, ...] each. */
  relationTables(config: ModelConfig, trained: OfRelations): Tables;
}
