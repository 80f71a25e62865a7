import type { Golden, Ranked, RankedAnswer } from '@fuzzqe/bundle';
import { asEntityId, asRelationId, createRandom, type Random } from '@fuzzqe/core';
import {
  and,
  entity,
  instantiate,
  not,
  or,
  type Pattern,
  project,
  type Query,
  relationsOf,
  type StructureName,
  structures,
  templateOf,
} from '@fuzzqe/core/query';
import { type ModelConfig, structuresOf, traitsOf } from '@fuzzqe/model';
import { drawPatterns } from './draw-patterns.ts';

/** Where the expected answer of a case comes from. */
export type CaseKind = 'golden' | 'fresh' | 'tree' | 'pattern';

/** A query to ask on every runtime. */
export interface ParityCase {
  /** Out of the bundle, drawn anew of a structure, a tree of any shape, or a pattern of two variables. */
  readonly kind: CaseKind;
  /** Null for a tree and a pattern. */
  readonly structure: StructureName | null;
  /** Of the kind `pattern` a pattern, else a tree. */
  readonly query: Query | Pattern;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  readonly expected: ExpectedAnswer;
}

/** What float64 says of a query, in both modes. */
export interface ExpectedAnswer extends RankedAnswer {
  /** The best entities that the facts do not give; golden cases have none. */
  readonly open?: Ranked;
  /**
   * The best of its fuzzy set, and where it was computed now the degree of every entity [|E|].
   *
   * Absent where members of a set tie so nearly that two runtimes may choose others, or where the search of a pattern ends at its budget.
   * Of a pattern the best tuples, as `rankedTuples`.
   */
  readonly set?: Ranked & { readonly degrees?: Float32Array };
}

/** A query whose answer is still to be computed. */
export type DrawnQuery = Omit<ParityCase, 'expected'>;

/** How many queries are drawn, and from which seed. */
export interface DrawOptions {
  /** Queries of each structure, and of each form of a pattern. */
  readonly fresh: number;
  readonly trees: number;
  readonly seed: number;
}

const treeDepth = 5;

/** The golden cases of a profile. */
export function goldenParityCases({ cases }: Golden): ParityCase[] {
  return cases.map(({ structure, anchors, relations, embedding, ids, scores, sets }) => ({
    kind: 'golden',
    structure,
    query: instantiate(structures[structure].template, anchors, relations),
    anchors,
    relations,
    expected: {
      embedding,
      ids,
      scores,
      ...(sets === null ? {} : { set: { ids: sets.ids, scores: sets.degrees } }),
    },
  }));
}

/** Fresh queries of every structure, trees of any shape and patterns, the same for every profile and runtime. */
export function drawQueries(config: ModelConfig, { fresh, trees, seed }: DrawOptions): DrawnQuery[] {
  const random = createRandom('parity', seed);
  const drawn: DrawnQuery[] = [];
  for (const structure of structuresOf(config)) {
    const { template, anchors, relations } = structures[structure];
    const own = random.fork(structure);
    for (let i = 0; i < fresh; i += 1) {
      const filled = {
        anchors: draw(own, anchors, config.entities),
        relations: draw(own, relations, config.relations),
      };
      const query = instantiate(template, filled.anchors, filled.relations);
      drawn.push({ kind: 'fresh', structure, query, ...filled });
    }
  }
  const own = random.fork('tree');
  // Where a family embeds the structures alone, they are all the trees that there are.
  const { distances = 'trees' } = traitsOf(config);
  for (let i = 0; i < (distances === 'trees' ? trees : 0); i += 1) {
    const query = randomTree(config, treeDepth, own);
    const { anchors, relations } = templateOf(query);
    drawn.push({ kind: 'tree', structure: null, query, anchors, relations });
  }
  for (const query of drawPatterns(config, fresh, random.fork('pattern')))
    drawn.push({ kind: 'pattern', structure: null, query, anchors: [], relations: relationsOf(query) });
  return drawn;
}

function draw(random: Random, count: number, below: number): number[] {
  return Array.from({ length: count }, () => random.below(below));
}

/**
 * A query tree of any shape with at most `depth` operators above an anchor.
 *
 * Projections are likeliest, as in questions that people ask; branches have two operands, now and then three. With blocks none
 * of them is an entity itself: p_e ∧ p_e' is some 1/d² everywhere, and ¬ twice leaves the rounding of 1 of it, which a projection
 * by its mean scales up again.
 */
export function randomTree(config: ModelConfig, depth: number, random: Random): Query {
  const kind = depth === 0 ? 0 : random.below(10);
  const inner = (): Query => randomTree(config, depth - 1, random);
  const relation = () => asRelationId(random.below(config.relations));
  const operand = (): Query => {
    const query = inner();
    return traitsOf(config).isCentred && query.op === 'entity' ? project(relation(), query) : query;
  };
  if (kind === 0) return entity(asEntityId(random.below(config.entities)));
  if (kind <= 4) return project(relation(), inner());
  if (kind === 9) return not(operand());
  const branch = kind <= 6 ? and : or;
  return random.below(5) === 0 ? branch(operand(), operand(), operand()) : branch(operand(), operand());
}
