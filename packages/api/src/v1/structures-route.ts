import { asEntityId, inverseOf, type KnowledgeGraph, type RelationId } from '@fuzzqe/core';
import {
  type BetaETuple,
  formatQuery,
  type Query,
  queryToBetaE,
  type StructureName,
  structureNames,
  structures,
  type Template,
} from '@fuzzqe/core/query';
import { type Engine, examplePatterns, type PatternExample } from '@fuzzqe/engine';

/** One of the 14 structures, as `GET /v1/structures` lists it. */
export interface StructureInfo {
  readonly name: StructureName;
  readonly anchors: number;
  readonly relations: number;
  readonly negation: boolean;
  /** Whether the paper trains on it. */
  readonly trained: boolean;
  /** A query of it over the facts of the graph, as text and as nested tuples. */
  readonly example: string;
  readonly tuple: BetaETuple;
}

/** What `GET /v1/structures` lists: the 14 structures, and patterns over the facts of the graph. */
export interface StructureListing {
  readonly structures: readonly StructureInfo[];
  readonly patterns: readonly PatternExample[];
}

/** Answers `GET /v1/structures`. */
export function listStructures(engine: Engine): StructureListing {
  return {
    patterns: examplePatterns(engine),
    structures: structureNames.map((name) => {
      const { anchors, relations, negation, trained } = structures[name];
      const query = exampleOf(name, engine.facts);
      const example = formatQuery(query, engine.vocabulary);
      return { name, anchors, relations, negation, trained, example, tuple: queryToBetaE(query) };
    }),
  };
}

/** Entities among which the example's answer is looked for: those of large graphs are many. */
const candidates = 1000;

/** A query of a structure that recorded facts answer, wherever nothing that it negates is in the way. */
export function exampleOf(structure: StructureName, facts: KnowledgeGraph): Query {
  const answer = bestDescribed(facts);
  let edges = 0;
  /** A query that leads to an entity, by another edge each time. */
  const leadTo = (node: Template, target: number): Query => {
    switch (node.op) {
      case 'entity':
        return { op: 'entity', entity: asEntityId(target) };
      case 'project': {
        const [relation, from] = edgeInto(facts, target, edges++);
        return { op: 'project', relation, from: leadTo(node.from, from) };
      }
      case 'not':
        return { op: 'not', operand: leadTo(node.operand, facts.headsOf(0)[0] ?? answer) };
      default:
        return { op: node.op, operands: node.operands.map((operand) => leadTo(operand, target)) };
    }
  };
  return leadTo(structures[structure].template, answer);
}

/** The entity with most kinds of facts, then with most facts: of it there is something to ask, where a hub has one kind only. */
function bestDescribed(facts: KnowledgeGraph): number {
  let [best, most] = [0, -1];
  for (let id = 0; id < Math.min(facts.entityCount, candidates); id++) {
    const kinds = facts.relationsOf(id).length;
    if (kinds < most || (kinds === most && facts.degree(id) <= facts.degree(best))) continue;
    [best, most] = [id, kinds];
  }
  return best;
}

/** A relation into an entity and where it comes from; where no fact leads there, any relation from itself. */
function edgeInto(facts: KnowledgeGraph, target: number, choice: number): [RelationId, number] {
  const leaving = facts.relationsOf(target);
  const out = leaving[choice % Math.max(leaving.length, 1)] ?? 1;
  const tails = facts.tails(target, out);
  // The graph gives relations of its own.
  return [inverseOf(out as RelationId), tails[choice % Math.max(tails.length, 1)] ?? target];
}
